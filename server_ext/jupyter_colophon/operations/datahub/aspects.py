"""Rest.li's aspects: proposals, one aspect of an entity in any version, and time-series aspects."""

from typing import Final

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
from jupyter_colophon.operations.datahub import body_schemas, documents, restli_proposals, timeseries
from jupyter_colophon.operations.datahub.actions import RestliAction, declare_restli_actions
from jupyter_colophon.operations.datahub.errors import RESTLI_STATUSES
from jupyter_colophon.operations.datahub.urns import parse_name_list, parse_path_urn
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import Parameter, declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_VERSION_DIGITS: Final = 9


def _parse_version(text: str) -> int:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _VERSION_DIGITS):
        raise InvalidQuery("must be an integer", "version")
    return int(text)


_ASPECT: Final = declare_text("aspect", "The aspect's name.", required=True)
_VERSION: Final = Parameter(
    "version",
    "0 is the current version, 1 the oldest, -1 the one before the current version.",
    {"type": "integer", "default": 0},
    _parse_version,
    0,
)
_ASPECTS: Final = declare_text(
    "aspects", "The names of the aspects to return, as `List(a,b)`; by default, all of them."
)
_COUNT: Final = body_schemas.declare_object_schema(
    "aspect", aspect=body_schemas.TEXT, urnLike=body_schemas.TEXT_OR_NULL
)


def count_entities(services: ProcessServices, request: OperationRequest) -> Document:
    """Return how many entities have an aspect."""
    body, finder = request.body, services.get_or_open_catalog().datahub.finder
    return {"value": finder.count_entities_with_aspect(body["aspect"], body.get("urnLike") or "%", request.principal)}


ACT_ON_ASPECTS: Final = declare_restli_actions(
    "actOnAspects",
    "/aspects",
    "Write proposals (`ingestProposal`, `ingestProposalBatch`), read time-series values, or count entities",
    {
        "ingestProposal": RestliAction(restli_proposals.ingest_proposal, restli_proposals.PROPOSAL, writes=True),
        "ingestProposalBatch": RestliAction(
            restli_proposals.ingest_proposal_batch, restli_proposals.PROPOSALS, writes=True
        ),
        "getTimeseriesAspectValues": RestliAction(timeseries.read_timeseries_values, timeseries.QUERY),
        "getCount": RestliAction(count_entities, _COUNT),
    },
    parameters=[IDEMPOTENCY_KEY],
    answer={
        "anyOf": [
            body_schemas.SUCCESS,
            body_schemas.declare_action_result_schema(timeseries.VALUES),
            body_schemas.declare_action_result_schema(body_schemas.NUMBER),
        ]
    },
    errors=[InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed, TooLarge],
)


@declare_operation(
    "readAspectByClass",
    "GET /aspects/{urn}",
    decided_by="entities",
    parameters=[_ASPECT, _VERSION],
    answers={
        200: body_schemas.declare_object_schema(
            "version aspect", version=body_schemas.NUMBER, aspect=body_schemas.ANY, systemMetadata=body_schemas.ANY
        )
    },
    errors=[NotFound],
    statuses=RESTLI_STATUSES,
)
def read_aspect_by_class(services: ProcessServices, request: OperationRequest) -> Document:
    """Return one aspect of an entity, under the name of its class."""
    catalog, urn = services.get_or_open_catalog(), parse_path_urn(request, "/aspects/")
    aspect = catalog.datahub.reader.read_aspect(urn, request[_ASPECT], request[_VERSION], request.principal)
    return documents.render_aspect_by_class(aspect, catalog.registry)


@declare_operation(
    "readEnvelopedEntity",
    "GET /entitiesV2/{urn}",
    decided_by="entities",
    parameters=[_ASPECTS],
    answers={
        200: body_schemas.declare_object_schema(
            "urn entityName aspects", urn=body_schemas.URN, entityName=body_schemas.TEXT, aspects=body_schemas.ANY
        )
    },
    errors=[NotFound],
    statuses=RESTLI_STATUSES,
)
def read_enveloped_entity(services: ProcessServices, request: OperationRequest) -> Document:
    """Return an entity with its aspects; of one that is not stored, its key."""
    reader, urn = services.get_or_open_catalog().datahub.reader, parse_path_urn(request, "/entitiesV2/")
    aspects = reader.read_aspects_of_entity(urn, parse_name_list(request[_ASPECTS]), request.principal)
    (original_spellings,) = reader.read_original_spellings([str(urn)])
    return documents.render_enveloped_entity(original_spellings, urn.type, aspects)


ACT_ON_USAGE: Final = declare_restli_actions(
    "actOnUsage",
    "/usageStats",
    "Write the usage of datasets (`batchIngest`) as their aspect `datasetUsageStatistics`",
    {"batchIngest": RestliAction(restli_proposals.ingest_usage, restli_proposals.BUCKETS, writes=True)},
    parameters=[IDEMPOTENCY_KEY],
    answer=body_schemas.SUCCESS,
    errors=[InvalidName, NotFound],
)
