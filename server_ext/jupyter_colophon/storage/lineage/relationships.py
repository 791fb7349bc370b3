"""Which entities name which others, in which aspect and as what: found by the one that is named.

It is derived in the transaction of the write from what is new in aspects; `reindex` rebuilds it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.errors import InvalidName, NotFound, StoreDamaged
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import canonical
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

TABLE = "relationships"


class NamedEntity(NamedTuple):
    """An entity is named by another one: the row's own key."""

    target: str
    urn: str
    aspect: str
    kind: str


def follow(
    tx: TableContext, registry: Registry, urn: str, entity_type: str, before: Mapping[str, Row], now: Mapping[str, Row]
) -> None:
    """Bring the table from what an entity's aspects named before to what they name now."""
    for name, row in now.items():
        old = before.get(name, {}).get("value")
        if row["value"] == old:
            continue
        spec = registry.stored_aspect(entity_type, name)
        if spec.relationships:
            were, are = set(_named(urn, spec, old)), set(_named(urn, spec, row["value"]))
            tx.table(TABLE).multi_delete([tuple(key) for key in sorted(were - are)])
            tx.table(TABLE).upsert_all([one._asdict() for one in sorted(are - were)])


def of_entity(registry: Registry, entity: Row, aspects: Mapping[str, Row]) -> dict[Key, Row]:
    """What has to be in the table because of an entity."""
    found = (one for row in aspects.values() for one in _in_aspect(registry, entity["type"], row))
    return {tuple(one): one._asdict() for one in found}


def unclaimed(tx: TableContext, registry: Registry, rows: Sequence[NamedEntity]) -> list[NamedEntity]:
    """Return those of these rows of the table that no aspect tells of.

    Each aspect is read once: one may name thousands. Rows of an aspect that the registry lost are left alone: nobody
    knows whom it names.
    """
    aspects = tx.table("aspects").multi_read(sorted({(one.urn, one.aspect) for one in rows}))
    claimed = {one for row in aspects for one in _in_aspect(registry, Urn.parse(row["urn"]).type, row)}
    lost = {
        (row["urn"], row["aspect"])
        for row in aspects
        if row["value"] is not None and not registry.has_aspect(Urn.parse(row["urn"]).type, row["aspect"])
    }
    return [one for one in rows if one not in claimed and (one.urn, one.aspect) not in lost]


def rows_naming(
    tx: TableContext, target: str, kinds: frozenset[str], after: Key, limit: int | None
) -> list[NamedEntity]:
    """Return who names an entity (as one of these kinds; none: as any), after a place of the table."""
    within = Range.prefix(target)
    keys = Range(after, within.end, begin_inclusive=False) if after else within
    rows: Iterable[Row] = tx.table(TABLE).scan(keys, None if kinds else limit)
    found: list[NamedEntity] = []
    for row in rows:
        if not kinds or row["kind"] in kinds:
            found.append(NamedEntity(row["target"], row["urn"], row["aspect"], row["kind"]))
        if len(found) == limit:
            break
    return found


def after(tx: TableContext, place: Key, limit: int) -> list[NamedEntity]:
    """The rows of the table after a place; () is before the first."""
    keys = Range(place, begin_inclusive=False) if place else Range()
    return [
        NamedEntity(row["target"], row["urn"], row["aspect"], row["kind"]) for row in tx.table(TABLE).scan(keys, limit)
    ]


def named_by(tx: TableContext, registry: Registry, urn: Urn) -> list[NamedEntity]:
    """Whom an entity names, in order."""
    rows = tx.table("aspects").scan(Range.prefix(str(urn)))
    return sorted({one for row in rows for one in _in_aspect(registry, urn.type, row)})


def _in_aspect(registry: Registry, entity_type: str, row: Row) -> Iterator[NamedEntity]:
    if row["value"] is None:
        return
    try:
        spec = registry.aspect(entity_type, row["aspect"])
    except NotFound:
        # What the registry no longer has, `soundness` tells.
        return
    yield from _named(row["urn"], spec, row["value"])


def _named(urn: str, spec: AspectSpec, value: str | None) -> Iterator[NamedEntity]:
    if value is None or not spec.relationships:
        return
    try:
        parsed = stored(value)
    except StoreDamaged:
        # That is told as well.
        return
    for relationship in spec.relationships:
        for text in relationship.named_in(parsed):
            try:
                yield NamedEntity(canonical(text), urn, spec.name, relationship.name)
            except InvalidName:
                # The schema takes texts that are no names to us; nobody can ask for those.
                continue
