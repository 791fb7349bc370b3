"""Lineage and runs."""

from typing import cast, get_args

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import AlreadyExists, HistoryExpired, InvalidName, InvalidQuery, NotFound, RunConflict
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import (
    DEFAULT_RELATIONS,
    MAX_LEVELS,
    MAX_RELATIONS,
    Direction,
    LineageQuestion,
    RunListing,
    Window,
)
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import documents, lineage_documents
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import choice, flag, number, text
from jupyter_colophon.operations.shared_parameters import AS_OF, CURSOR, END, LIMIT, START, URN

DIRECTION = choice(
    "direction",
    "What made it, what was made of it, both, or (undirected) all that the same programs touched as well.",
    *get_args(Direction),
    default="both",
)
LEVELS = number(
    "levels", "How far: data, programs and their other data are one level.", default=1, least=1, most=MAX_LEVELS
)
RELATIONS = number("limit", "How many relations at most.", default=DEFAULT_RELATIONS, least=1, most=MAX_RELATIONS)
_COLUMNS = flag("columns", "Whether edges between columns are given.")
_PROGRAM = text("program", "Of this program alone.", format="colophon-urn")
_DATA = text("data", "That touched this dataset.", format="colophon-urn")
_STATUS = choice("status", "With this status alone.", "running", "succeeded", "failed", "killed")
_NEXT = (
    Link("readRun", {"path.urn": "$response.body#/urn"}),
    Link("updateRun", {"path.urn": "$response.body#/urn"}),
    Link("recordAccesses", {"path.urn": "$response.body#/urn"}),
)


class LineageHandler(ApiHandler):
    """`GET /lineage`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readLineage",
        takes=[URN, DIRECTION, LEVELS, START, END, RELATIONS, _COLUMNS, AS_OF],
        answers="lineage",
        refuses=[InvalidName, NotFound, HistoryExpired],
    )
    async def get(self) -> None:
        """The graph around an entity."""
        question = LineageQuestion(
            urn=Urn.parse(self.asked(URN)),
            direction=cast("Direction", self.asked(DIRECTION)),
            levels=self.asked(LEVELS),
            window=window(self),
            limit=self.asked(RELATIONS),
            columns=self.asked(_COLUMNS),
            as_of=self.asked(AS_OF),
        )
        principal = self.principal
        found = await self.hop(lambda catalog: catalog.lineage.lineage(question, principal))
        self.answer(lineage_documents.asked(question) | lineage_documents.lineage(found))


class RunsHandler(ApiHandler):
    """`GET POST /runs`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listRuns",
        takes=[_PROGRAM, _DATA, START, END, _STATUS, LIMIT, CURSOR],
        answers="runs",
        links=[Link("readRun", {"path.urn": "$response.body#/runs/0/urn"})],
    )
    async def get(self) -> None:
        """A page of runs, newest first."""
        listing = RunListing(
            program=self.asked(_PROGRAM),
            data=self.asked(_DATA),
            window=window(self),
            status=self.asked(_STATUS),
            limit=self.asked(LIMIT),
            cursor=self.asked(CURSOR),
        )
        principal = self.principal
        found, cursor = await self.hop(lambda catalog: catalog.runs.runs(listing, principal))
        self.answer({"runs": [documents.run(one) for one in found], "cursor": cursor})

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "startRun",
        takes=[IDEMPOTENCY_KEY],
        body="run-start",
        answers="run",
        refuses=[InvalidName, NotFound, AlreadyExists],
        links=_NEXT,
    )
    async def post(self) -> None:
        """Record a run; the same program and run id again is the same run."""
        start, principal = documents.run_start(await self.body()), self.principal
        self.answer(documents.run(await self.writing(lambda to, once: to.write_path.start_run(start, principal, once))))


class RunHandler(ApiHandler):
    """`GET PATCH /runs/{urn}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readRun", answers="run", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """One run with its accesses."""
        urn, principal = str(self.urn(in_path)), self.principal
        found = await self.hop(lambda catalog: catalog.runs.run(urn, principal))
        self.answer(documents.run(found))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "updateRun",
        takes=[IDEMPOTENCY_KEY],
        body="run-change",
        answers="run",
        refuses=[NotFound, RunConflict],
        links=_NEXT,
    )
    async def patch(self, in_path: str) -> None:
        """Record how the run went on."""
        urn, principal = str(self.urn(in_path)), self.principal
        change = documents.run_change(await self.body())
        done = await self.writing(lambda to, once: to.write_path.change_run(urn, change, principal, once))
        self.answer(documents.run(done))


class AccessesHandler(ApiHandler):
    """`GET POST /runs/{urn}/accesses`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listRunAccesses", answers="run-accesses", refuses=[NotFound])
    async def get(self, in_path: str) -> None:
        """What the run has to do with, and what was said of it when the run met it first."""
        urn, principal = str(self.urn(in_path)), self.principal
        found = await self.hop(lambda catalog: catalog.runs.touched(catalog.runs.run(urn, principal), principal))
        self.answer(documents.touched(found))

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "recordAccesses",
        takes=[IDEMPOTENCY_KEY],
        body="accesses",
        answers="run",
        refuses=[NotFound],
        links=_NEXT,
    )
    async def post(self, in_path: str) -> None:
        """Record what the run touched."""
        urn, principal, body = str(self.urn(in_path)), self.principal, await self.body()
        accesses = [documents.access(one) for one in body["accesses"]]
        columns = [documents.column_edge(one) for one in body.get("columns", ())]
        done = await self.writing(
            lambda to, once: to.write_path.record_accesses(urn, accesses, columns, principal, once)
        )
        self.answer(documents.run(done))


def window(handler: ApiHandler) -> Window:
    """The parameters `start` and `end`. Raises InvalidQuery."""
    start, end = handler.asked(START), handler.asked(END)
    if start is not None and end is not None and start > end:
        raise InvalidQuery("is after end", "start")
    return Window(start, end)


ROUTES = [
    ("/lineage", LineageHandler),
    ("/runs", RunsHandler),
    ("/runs/{urn}", RunHandler),
    ("/runs/{urn}/accesses", AccessesHandler),
]
