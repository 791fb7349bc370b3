"""Aspects that are told by time, read as DataHub's clients ask for them."""

from functools import partial
from typing import Final

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.datahub.mcp import generic, urn_at
from jupyter_colophon.core.errors import TooLarge
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX
from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.request import Answer, Asking

_LIMIT = 100
QUESTION: Final = shapes.record(
    "urn aspect",
    urn=shapes.TEXT,
    entity=shapes.TEXT_OR_NULL,
    aspect=shapes.TEXT,
    limit={**shapes.COUNT, "type": ["integer", "null"]},
    latestValue={"type": ["boolean", "null"]},
    filter={"type": ["object", "null"]},
    startTimeMillis=shapes.TIME,
    endTimeMillis=shapes.TIME,
)
VALUES: Final = shapes.record(
    "entityName aspectName limit values",
    entityName=shapes.TEXT,
    aspectName=shapes.TEXT,
    limit=shapes.NUMBER,
    values=shapes.several(shapes.record("aspect", aspect=shapes.ANY, systemMetadata=shapes.ANY)),
)


def values(asking: Asking) -> Answer:
    """The newest values that fit, the newest first."""
    body = asking.body
    urn, name = urn_at(body["urn"], "/urn"), body["aspect"]
    limit = (
        1 if body.get("latestValue") else _LIMIT if body.get("limit") is None else shapes.count(body, "limit", _LIMIT)
    )
    filter_ = criteria.read(body.get("filter"), "/filter")
    found = asking.catalog.datahub.timeseries.values(
        urn,
        name,
        asking.principal,
        limit=limit,
        start=body.get("startTimeMillis"),
        end=body.get("endTimeMillis"),
        fits=partial(criteria.fits_value, filter_) if any(filter_) else None,
        bytes_max=LIST_BYTES_MAX,
    )
    if found.truncated:
        raise TooLarge(f"the answer would have more than {LIST_BYTES_MAX} bytes: send a smaller limit")
    told = [
        {"aspect": generic(one.value), "systemMetadata": {} if one.system is None else one.system.document}
        for one in found.values
    ]
    return Answer({"value": {"entityName": urn.type, "aspectName": name, "limit": limit, "values": told}})
