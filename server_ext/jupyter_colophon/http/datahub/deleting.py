"""Deletions: of an entity, of one of its aspects, of what an aspect told at some time, and of references to an entity."""

from typing import Final

from jupyter_colophon.core.datahub.mcp import urn_at
from jupyter_colophon.core.errors import Absent
from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.proposal import Proposal
from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.asking import Answer, Asking
from jupyter_colophon.http.datahub.proposing import Wish, propose

WISH: Final = shapes.record(
    "urn",
    urn=shapes.TEXT,
    aspectName=shapes.TEXT_OR_NULL,
    startTimeMillis=shapes.TIME,
    endTimeMillis=shapes.TIME,
)


def delete(asking: Asking) -> Answer:
    """An entity, or an aspect of it; tells how many aspects went."""
    body = asking.body
    urn, name = urn_at(body["urn"], "/urn"), body.get("aspectName")
    kind = asking.catalog.registry.type(urn.type)
    if name is not None and asking.catalog.registry.aspect(urn.type, name).timeseries:
        moments = body.get("startTimeMillis"), body.get("endTimeMillis")
        rows = asking.catalog.write_path.forget_moments(urn, name, *moments, asking.principal)
        return _told(urn, 0, rows)
    return _told(urn, gone(asking, urn, None if name in (None, kind.key_aspect) else name), 0)


def gone(asking: Asking, urn: Urn, name: str | None) -> int:
    """Delete an entity, or one aspect; how many aspects it had. What is not there takes no deletion."""
    said = asking.catalog.datahub.reader.entities([urn], None if name is None else {name}, asking.principal)
    try:
        propose(asking, [Wish(Proposal(urn, name, "delete"), "")])
    except Absent:
        return 0
    return len(said.get(str(urn), {}))


def _told(urn: Urn, rows: int, timeseries_rows: int) -> Answer:
    return Answer({"value": {"urn": str(urn), "rows": rows, "timeseriesRows": timeseries_rows}})
