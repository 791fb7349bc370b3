"""Deletions: of an entity, of one of its aspects, of what an aspect told at some time, and of references to an entity."""

from collections.abc import Iterator
from typing import Any, Final

from jupyter_colophon.core.datahub.mcp import urn_at
from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Condition, Proposal
from jupyter_colophon.core.model.relationships import without
from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.ingest import Wish, propose
from jupyter_colophon.http.datahub.request import Answer, Asking

WISH: Final = shapes.record(
    "urn",
    urn=shapes.TEXT,
    aspectName=shapes.TEXT_OR_NULL,
    startTimeMillis=shapes.TIME,
    endTimeMillis=shapes.TIME,
)

REFERENCES: Final = shapes.record("urn", urn=shapes.TEXT, dryRun={"type": ["boolean", "null"]})
#: How many of the aspects that named it are told.
_TOLD = 100


def delete(asking: Asking) -> Answer:
    """An entity, or an aspect of it; tells how many aspects went."""
    body = asking.body
    urn, name = urn_at(body["urn"], "/urn"), body.get("aspectName")
    kind = asking.catalog.registry.type(urn.type)
    if name is not None and asking.catalog.registry.aspect(urn.type, name).timeseries:
        window = body.get("startTimeMillis"), body.get("endTimeMillis")
        rows = asking.catalog.write_path.forget_moments(urn, name, *window, asking.principal)
        return _told(body["urn"], 0, rows)
    if name not in (None, kind.key_aspect):
        return _told(body["urn"], gone(asking, urn, name), 0)
    moments = asking.catalog.datahub.timeseries.count(urn, asking.principal)
    rows = gone(asking, urn, None)
    return _told(body["urn"], rows, moments if rows else 0)


def gone(asking: Asking, urn: Urn, name: str | None) -> int:
    """Delete an entity, or one aspect; how many aspects it had. What is not there takes no deletion."""
    said = asking.catalog.datahub.reader.entities([urn], None if name is None else {name}, asking.principal)
    try:
        propose(asking, [Wish(Proposal(urn, name, "delete"), "")])
    except NotFound:
        return 0
    if urn.type == "namespace" and name is None:
        asking.catalog.namespaces.remove_files(urn.parts[0], asking.principal)
    return len(said.get(str(urn), {}))


def delete_references(asking: Asking) -> Answer:
    """Take an entity's URN out of the aspects that name it, wholly or not at all; with `dryRun`, tell which do."""
    urn = urn_at(asking.body["urn"], "/urn")
    found = asking.catalog.datahub.relater.references(urn, asking.principal)
    if not asking.body.get("dryRun"):
        asking.catalog.write_path.require_deletion(asking.principal, urn, "references")
        wishes = [
            wish
            for place in dict.fromkeys((one.urn, one.aspect) for one in found)
            for wish in _freed(asking, urn, *place)
        ]
        propose(asking, wishes)
    told = [{"entity": one.urn, "relationship": one.kind, "aspect": one.aspect} for one in found[:_TOLD]]
    return Answer({"value": {"total": len(found), "relatedAspects": told}})


def _freed(asking: Asking, urn: Urn, source: str, name: str) -> Iterator[Wish]:
    """The proposal that an aspect names an entity no more; one that has to name it is taken away."""
    holder = Urn.parse(source)
    held = asking.catalog.datahub.reader.one(holder, name, 0, asking.principal)
    spec = asking.catalog.registry.aspect(holder.type, name)
    value: Any = held.value
    for relationship in spec.relationships:
        named = frozenset(text for text in relationship.named_in(value) if _is(text, urn))
        value = without(value, relationship.path, named) if named else value
    condition = Condition(version=held.version)
    if spec.schema.is_valid(value):
        yield Wish(Proposal(holder, name, "upsert", value, condition), "")
    else:
        yield Wish(Proposal(holder, name, "delete", None, condition), "")


def _is(text: str, urn: Urn) -> bool:
    try:
        return Urn.parse(text) == urn
    except InvalidName:
        return False


def _told(urn: str, rows: int, timeseries_rows: int) -> Answer:
    return Answer({"value": {"urn": urn, "rows": rows, "timeseriesRows": timeseries_rows}})
