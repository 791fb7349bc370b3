"""Runs of programs, what they touched, and their metadata."""

from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cdap.names import from_v3
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import RunListing, Window
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, PAGE_BYTES_MAX, take_page
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3 import run_documents as documents
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.parameters import FORMAT, SCOPE, SCOPES, word
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import count, time

_LIST: Final = {"type": "array"}
_DONE: Final = {"type": "object"}
_ANY: Final = {"type": ["object", "array"]}
_START: Final = time("start", "Not over before this time.")
_END: Final = time("end", "Begun before this time.")
_LIMIT: Final = count("limit", "How many at most.", default=100, least=1, most=10_000)
_STATUS: Final = word("status", "With this status alone; completed is succeeded.", *documents.STATUSES)
#: How many runs a page of the list looks for, and how many pages one request reads at most.
_PAGE, _PAGES = 500, 20
#: Of a path: `namespaces/{ns}/apps/{a}/{type}/{p}` are six segments.
_PROGRAM: Final = 6


class _RunHandler(V3Handler):
    """What the routes of runs share."""

    def program(self) -> tuple[Urn, str]:
        """The program in the path, and the namespace that the path says."""
        segments = self.segments()
        return from_v3(segments[:_PROGRAM], self.state.identity), segments[1]

    @property
    def run_id(self) -> str:
        """The run id in the path."""
        return self.segments()[_PROGRAM + 1]

    async def found(self) -> Run:
        """The run in the path; its program may be gone."""
        program, says = self.program()
        run_id, principal = self.run_id, self.principal
        return await self.hop(lambda catalog: catalog.runs.of_program(program, says, run_id, principal))

    async def record(self, told: Any, message: str) -> None:
        """Record what was told of a run."""
        principal = self.principal
        done = await self.writing(lambda catalog, once: catalog.write_path.record(told, principal, once))
        self.answer({"message": message} | documents.run(done))

    async def tell_accesses(self) -> None:
        """Answer with what the run touched: a record of each entity and scope."""
        run, principal = await self.found(), self.principal
        found = await self.hop(lambda catalog: catalog.runs.touched(run, principal))
        records = documents.accesses(found, self.state.identity)
        shown = list(take_page(records, measure, LIST_BYTES_MAX))
        if len(shown) < len(records):
            self.set_header("X-Colophon-Truncated", "true")
        self.answer(shown)


class RunsHandler(_RunHandler):
    """`GET …/apps/{a}/{type}/{p}/runs`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ListRuns", takes=[_START, _END, _STATUS, _LIMIT], answers={200: _LIST})
    async def get(self) -> None:
        """Runs of a program in an interval, newest first; the program may be gone."""
        program, says = self.program()
        start, end, limit, principal = self.asked(_START), self.asked(_END), self.asked(_LIMIT), self.principal
        if start is not None and end is not None and start > end:
            raise InvalidQuery("is after end", "start")
        status = self.asked(_STATUS)

        def work(catalog: Any) -> tuple[list[Run], bool]:
            catalog.runs.require_program(program, says, principal)
            window = Window(start, end)
            return _listed(catalog, str(program), window, documents.STATUSES.get(status, ""), limit, principal)

        found, more = await self.hop(work)
        if more:
            self.set_header("X-Colophon-Truncated", "true")
        self.answer([documents.run(one) for one in found])


def _listed(
    catalog: Any, program: str, window: Window, status: str, limit: int, principal: Principal
) -> tuple[list[Run], bool]:
    """Return the newest runs, no more than a page has bytes for, and whether there may be more."""
    found: list[Run] = []
    size = 0
    cursor: str | None = ""
    for _ in range(_PAGES):
        listing = RunListing(
            program=program, window=window, status=status, limit=min(_PAGE, limit - len(found)), cursor=cursor or ""
        )
        page, cursor = catalog.runs.runs(listing, principal)
        found += page
        size += sum(measure((run.facts, run.arguments)) for run in page)
        if cursor is None or len(found) == limit or size > PAGE_BYTES_MAX:
            break
    return found, cursor is not None


class RunHandler(_RunHandler):
    """`PUT GET …/apps/{a}/{type}/{p}/runs/{run}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadRun", answers={200: _DONE})
    async def get(self) -> None:
        """A run with its arguments and facts; its program may be gone."""
        self.answer(documents.run(await self.found()))

    @authenticated
    @authorized("write", resource="colophon")
    @operation("v3PutRun", takes=[IDEMPOTENCY_KEY], body={"application/json": documents.RUN}, answers={200: _DONE})
    async def put(self) -> None:
        """Record that a run began, how it goes on, or how it ended."""
        program, says = self.program()
        told = documents.recording(program, says, self.run_id, await self.told())
        await self.record(told, "The run is recorded.")

    async def told(self) -> Any:
        """The body; nothing is an empty object."""
        return await self.body() if self.sent() else {}


class AccessesHandler(_RunHandler):
    """`POST …/runs/{run}/accesses`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "v3RecordAccess", takes=[IDEMPOTENCY_KEY], body={"application/json": documents.ACCESS}, answers={200: _DONE}
    )
    async def post(self) -> None:
        """Record that a run touches data; told again, the time alone is new."""
        program, says = self.program()
        told = documents.recorded_access(program, says, self.run_id, await self.body(), self.state.identity)
        await self.record(told, "The access is recorded.")


class HistoryHandler(_RunHandler):
    """`POST /metadata/history`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "v3RecordHistory", takes=[IDEMPOTENCY_KEY], body={"application/json": documents.HISTORY}, answers={200: _DONE}
    )
    async def post(self) -> None:
        """Record one access of a run, with the metadata that were in force where they are told."""
        told = documents.history(await self.body(), self.state.identity)
        await self.record(told, "The access is recorded.")


class RunAccessesHandler(_RunHandler):
    """`GET …/runs/{run}/metadata/accesses`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadRunAccesses", answers={200: _LIST})
    async def get(self) -> None:
        """What a run touched, and what was said of it when the run met it first; its program may be gone."""
        await self.tell_accesses()


class RunMetadataHandler(_RunHandler):
    """`GET …/runs/{run}/metadata`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadRunMetadata", takes=[SCOPE, FORMAT], answers={200: _ANY})
    async def get(self) -> None:
        """A run's metadata: what people said of its program then, or how it went; `v5` tells its accesses."""
        scopes, form = SCOPES[self.asked(SCOPE) or "user"], self.asked(FORMAT)
        if form == "v5":
            await self.tell_accesses()
            return
        run = await self.found()
        found = await self.hop(lambda catalog: catalog.runs.metadata(run))
        self.answer(documents.metadata(found, scopes, form))


class RunPropertiesHandler(_RunHandler):
    """`GET …/runs/{run}/metadata/properties` and `…/properties/system`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadRunProperties", takes=[SCOPE, FORMAT], answers={200: _ANY})
    async def get(self) -> None:
        """The properties in a run's metadata."""
        system = self.segments()[-1] == "system"
        scopes = ("SYSTEM",) if system else SCOPES[self.asked(SCOPE) or "user"]
        run = await self.found()
        found = await self.hop(lambda catalog: catalog.runs.metadata(run))
        self.answer(documents.properties(found, scopes, self.asked(FORMAT)))


class RunTagsHandler(_RunHandler):
    """`GET …/runs/{run}/metadata/tags`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ReadRunTags", takes=[SCOPE, FORMAT], answers={200: _ANY})
    async def get(self) -> None:
        """The tags in a run's metadata."""
        run = await self.found()
        found = await self.hop(lambda catalog: catalog.runs.metadata(run))
        self.answer(documents.tags(found, SCOPES[self.asked(SCOPE) or "user"], self.asked(FORMAT)))


_RUNS: Final = "namespaces/[^/]+/apps/[^/]+/[^/]+/[^/]+/runs"
#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("metadata/history", HistoryHandler),
    (_RUNS, RunsHandler),
    (f"{_RUNS}/[^/]+", RunHandler),
    (f"{_RUNS}/[^/]+/accesses", AccessesHandler),
    (f"{_RUNS}/[^/]+/metadata", RunMetadataHandler),
    (f"{_RUNS}/[^/]+/metadata/accesses", RunAccessesHandler),
    (f"{_RUNS}/[^/]+/metadata/properties(?:/system)?", RunPropertiesHandler),
    (f"{_RUNS}/[^/]+/metadata/tags", RunTagsHandler),
]
