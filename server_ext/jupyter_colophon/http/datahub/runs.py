"""Runs of ingestions: which there are, what each wrote, and taking back what one wrote."""

from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.errors import NotFound, TooLarge
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX
from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.actions import Action, ActionsHandler, bodies, parameter
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.operation import operation

_FLAG: Final = {"type": ["boolean", "null"]}
#: What a run wrote and was taken back is no part of any answer, whatever `includeSoft` says.
_LIST: Final = shapes.record(pageOffset=shapes.PLACE, pageSize=shapes.COUNT, includeSoft=_FLAG)
_DESCRIBE: Final = shapes.record(
    "runId",
    runId=shapes.TEXT,
    start=shapes.PLACE,
    count=shapes.COUNT,
    includeSoft=_FLAG,
    includeAspect=_FLAG,
)
_ROLLBACK: Final = shapes.record("runId", runId=shapes.TEXT, dryRun=_FLAG, safe=_FLAG, hardDelete=_FLAG)
_COUNT: Final = 100


def list_runs(asking: Asking) -> Answer:
    """A page of runs, those that wrote last first."""
    start, most = asking.body.get("pageOffset", 0), shapes.count(asking.body, "pageSize", _COUNT)
    # The command line tells which page is wanted, and how long one is.
    found = asking.catalog.datahub.ingestions.list(start * most, most, asking.principal)
    return Answer({"value": [{"runId": one.run, "timestamp": one.time, "rows": one.aspects} for one in found]})


def describe(asking: Asking) -> Answer:
    """The aspects that have what a run wrote; with `includeAspect`, with their values."""
    body, asked = asking.body, asking.catalog.datahub
    start, most = body.get("start", 0), shapes.count(body, "count", _COUNT)
    found = asked.ingestions.aspects(body["runId"], start, most, asking.principal)
    told = [_row(asking, *one) for one in found]
    if body.get("includeAspect"):
        size = 0
        for one in told:
            held = asked.reader.entities([Urn.parse(one["urn"])], {one["aspectName"]}, asking.principal)
            value = held.get(one["urn"], {}).get(one["aspectName"])
            one["payload"] = None if value is None else compact(value.value)
            size += len(one["payload"] or "")
            if size > LIST_BYTES_MAX:
                raise TooLarge(f"the answer would have more than {LIST_BYTES_MAX} bytes: send a smaller count")
    return Answer({"value": told})


def roll_back(asking: Asking) -> Answer:
    """Take back what a run wrote; with `dryRun`, tell what that would be."""
    body = asking.body
    safe = body.get("safe") is not False and body.get("hardDelete") is not True
    found = asking.catalog.datahub.ingestions.roll_back(
        body["runId"], asking.principal, dry_run=body.get("dryRun") is True, safe=safe
    )
    told = {
        "aspectRowSummaries": [_row(asking, *one) for one in found.rows],
        "entitiesAffected": found.entities_affected,
        "entitiesDeleted": found.entities_deleted,
        "aspectsReverted": found.aspects_reverted,
        "aspectsAffected": found.aspects_affected,
        "unsafeEntitiesCount": found.unsafe_count,
        "unsafeEntities": [{"urn": urn} for urn in found.unsafe],
    }
    return Answer({"value": told})


def _row(asking: Asking, run: str, urn: str, aspect: str, time: int) -> dict[str, Any]:
    key = asking.catalog.registry.type(Urn.parse(urn).type).key_aspect
    about = {"runId": run, "urn": urn, "aspectName": aspect, "timestamp": time}
    return {**about, "metadata": "", "version": 0, "keyAspect": aspect == key}


ACTIONS: Final = {
    "list": Action(_LIST, list_runs),
    "describe": Action(_DESCRIBE, describe),
    "rollback": Action(_ROLLBACK, roll_back, writes=True),
}
_ACTION: Final = parameter(ACTIONS)


class RunsHandler(ActionsHandler):
    """`POST /runs`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "actOnRuns",
        takes=[_ACTION],
        body=bodies(ACTIONS),
        answers={200: {"anyOf": [shapes.value(shapes.several(shapes.ANY)), shapes.value(shapes.ANY)]}},
        refuses=[NotFound, TooLarge],
    )
    async def post(self) -> None:
        """The runs of ingestions (`list`), what one wrote (`describe`), or taking that back (`rollback`)."""
        await self.act(ACTIONS, self.asked(_ACTION))


ROUTES = [("/runs", RunsHandler)]
