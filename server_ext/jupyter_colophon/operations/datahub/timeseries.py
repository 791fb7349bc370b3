"""Values of time-series aspects, as DataHub's clients read them."""

from functools import partial
from typing import Final

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.datahub.mcp import build_generic_aspect, parse_urn_at
from jupyter_colophon.core.errors import TooLarge
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX
from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

_LIMIT: Final = 100
QUERY: Final = body_schemas.declare_object_schema(
    "urn aspect",
    urn=body_schemas.TEXT,
    entity=body_schemas.TEXT_OR_NULL,
    aspect=body_schemas.TEXT,
    limit={**body_schemas.COUNT, "type": ["integer", "null"]},
    latestValue=body_schemas.FLAG_OR_NULL,
    filter=body_schemas.ANY_OR_NULL,
    startTimeMillis=body_schemas.TIME,
    endTimeMillis=body_schemas.TIME,
)
VALUES: Final = body_schemas.declare_object_schema(
    "entityName aspectName limit values",
    entityName=body_schemas.TEXT,
    aspectName=body_schemas.TEXT,
    limit=body_schemas.NUMBER,
    values=body_schemas.declare_list_schema(
        body_schemas.declare_object_schema("aspect", aspect=body_schemas.ANY, systemMetadata=body_schemas.ANY)
    ),
)


def read_timeseries_values(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the newest values that match, the newest first."""
    body = request.body
    urn, name = parse_urn_at(body["urn"], "/urn"), body["aspect"]
    limit = _LIMIT if body.get("limit") is None else body_schemas.parse_count_of_body(body, "limit", _LIMIT)
    if body.get("latestValue"):
        limit = 1
    filter_ = criteria.parse_filter(body.get("filter"), "/filter")
    timed_values = services.get_or_open_catalog().datahub.timeseries.read_newest_values(
        urn,
        name,
        request.principal,
        limit=limit,
        start=body.get("startTimeMillis"),
        end=body.get("endTimeMillis"),
        matches=partial(criteria.matches_aspect_value, filter_) if any(filter_) else None,
        bytes_max=LIST_BYTES_MAX,
    )
    if timed_values.truncated:
        raise TooLarge(f"the answer would have more than {LIST_BYTES_MAX} bytes: send a smaller limit")
    values = [
        {
            "aspect": build_generic_aspect(value.value),
            "systemMetadata": {} if value.system is None else value.system.document,
        }
        for value in timed_values.values
    ]
    return {"value": {"entityName": urn.type, "aspectName": name, "limit": limit, "values": values}}
