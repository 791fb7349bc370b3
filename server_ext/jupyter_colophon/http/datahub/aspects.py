"""Rest.li's aspects: proposals, one aspect of an entity in any version, and aspects that are told by time."""

from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidName,
    InvalidQuery,
    NotEmpty,
    NotFound,
    PatchFailed,
    TooLarge,
)
from jupyter_colophon.http.datahub import documents, restli_proposals, shapes, timeseries
from jupyter_colophon.http.datahub.actions import Action, ActionsHandler, bodies, parameter
from jupyter_colophon.http.datahub.base import RestliHandler, names_in, urn_in
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import Parameter, text

_VERSION_DIGITS: Final = 9


def _version(told: str) -> int:
    digits = told.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _VERSION_DIGITS):
        raise InvalidQuery("a whole number", "version")
    return int(told)


_ASPECT: Final = text("aspect", "The aspect's name.", required=True)
_VERSION: Final = Parameter(
    "version",
    "0 is the present one, 1 the oldest, -1 the one before the present.",
    {"type": "integer", "default": 0},
    _version,
    0,
)
_ASPECTS: Final = text("aspects", "The names of the aspects wanted: `List(a,b)`; all of them without it.")


def count(asking: Asking) -> Answer:
    """How many entities have an aspect."""
    found = asking.catalog.datahub.finder.count(
        asking.body["aspect"], asking.body.get("urnLike") or "%", asking.principal
    )
    return Answer({"value": found})


ACTIONS: Final = {
    "ingestProposal": Action(restli_proposals.PROPOSAL, restli_proposals.ingest_proposal, writes=True),
    "ingestProposalBatch": Action(restli_proposals.PROPOSALS, restli_proposals.ingest_proposal_batch, writes=True),
    "getTimeseriesAspectValues": Action(timeseries.QUESTION, timeseries.values),
    "getCount": Action(shapes.record("aspect", aspect=shapes.TEXT, urnLike=shapes.TEXT_OR_NULL), count),
}
_ACTION: Final = parameter(ACTIONS)
_USAGE: Final = {"batchIngest": Action(restli_proposals.BUCKETS, restli_proposals.ingest_usage, writes=True)}
_USAGE_ACTION: Final = parameter(_USAGE)


class AspectsHandler(ActionsHandler):
    """`POST /aspects`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "actOnAspects",
        takes=[_ACTION, IDEMPOTENCY_KEY],
        body=bodies(ACTIONS),
        answers={200: {"anyOf": [shapes.DONE, shapes.value(timeseries.VALUES), shapes.value(shapes.NUMBER)]}},
        refuses=[InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed, TooLarge],
    )
    async def post(self) -> None:
        """Propose (`ingestProposal`, `ingestProposalBatch`), or ask for values by time, or for a count."""
        await self.act(ACTIONS, self.asked(_ACTION))


class UsageHandler(ActionsHandler):
    """`POST /usageStats`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "actOnUsage",
        takes=[_USAGE_ACTION, IDEMPOTENCY_KEY],
        body=bodies(_USAGE),
        answers={200: shapes.DONE},
        refuses=[InvalidName, NotFound],
    )
    async def post(self) -> None:
        """Tell how datasets were used (`batchIngest`), which the aspect `datasetUsageStatistics` then says."""
        await self.act(_USAGE, self.asked(_USAGE_ACTION))


class AspectHandler(RestliHandler):
    """`GET /aspects/{urn}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readAspectByClass",
        takes=[_ASPECT, _VERSION],
        answers={
            200: shapes.record("version aspect", version=shapes.NUMBER, aspect=shapes.ANY, systemMetadata=shapes.ANY)
        },
        refuses=[NotFound],
    )
    async def get(self, *_: str) -> None:
        """One aspect of an entity, under the name of its class."""
        urn, name, version = urn_in(self.below("/aspects/")), self.asked(_ASPECT), self.asked(_VERSION)

        def read(asking: Asking) -> Answer:
            held = asking.catalog.datahub.reader.one(urn, name, version, asking.principal)
            return Answer(documents.aspect_by_class(held, asking.catalog.registry))

        await self.reply(read, None)


class EntityV2Handler(RestliHandler):
    """`GET /entitiesV2/{urn}`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readEnvelopedEntity",
        takes=[_ASPECTS],
        answers={
            200: shapes.record("urn entityName aspects", urn=shapes.URN, entityName=shapes.TEXT, aspects=shapes.ANY)
        },
        refuses=[NotFound],
    )
    async def get(self, *_: str) -> None:
        """An entity with its aspects; of one that there is not, its key."""
        urn, names = urn_in(self.below("/entitiesV2/")), names_in(self.asked(_ASPECTS))

        def read(asking: Asking) -> Answer:
            reader = asking.catalog.datahub.reader
            said = reader.entity(urn, names, asking.principal)
            (spelled,) = reader.spelled([str(urn)])
            return Answer(documents.entity(spelled, urn.type, said))

        await self.reply(read, None)


ROUTES = [
    ("/aspects", AspectsHandler),
    ("/aspects/{urn}", AspectHandler),
    ("/entitiesV2/{urn}", EntityV2Handler),
    ("/usageStats", UsageHandler),
]
