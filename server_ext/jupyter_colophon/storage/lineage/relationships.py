"""Which entities name which others, in which aspect and relationship; indexed by the named entity.

The rows are derived from changed aspects in the transaction of the write; `reindex` rebuilds them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import InvalidName, NotFound, StoreDamaged
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import canonicalize_urn
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

TABLE = "relationships"
#: Follows every character of a URN.
_LAST = "\U0010ffff"


class RelationshipRow(NamedTuple):
    """An entity that another one names; the fields are the row's key."""

    target: str
    urn: str
    aspect: str
    kind: str


def update_relationships(
    tx: TableContext, registry: Registry, urn: str, entity_type: str, before: Mapping[str, Row], now: Mapping[str, Row]
) -> None:
    """Update the table from what an entity's aspects named before to what they name now."""
    kind = registry.get_type_or_unregistered(entity_type)
    for name, row in now.items():
        spec = kind.find_aspect(name)
        if spec is None or not spec.relationships:
            continue
        old = before.get(name, {}).get("value")
        if row["value"] != old:
            were, are = (
                set(_iterate_relationships_of_value(urn, spec, old)),
                set(_iterate_relationships_of_value(urn, spec, row["value"])),
            )
            tx.get_table(TABLE).delete_many([tuple(key) for key in sorted(were - are)])
            tx.get_table(TABLE).upsert_many([named._asdict() for named in sorted(are - were)])


def derive_relationship_rows(registry: Registry, entity: Row, aspects: Mapping[str, Row]) -> dict[Key, Row]:
    """Return the rows that an entity requires in the table."""
    rows = (
        named for row in aspects.values() for named in _iterate_relationships_of_aspect(registry, entity["type"], row)
    )
    return {tuple(named): named._asdict() for named in rows}


def find_unrequired_relationships(
    tx: TableContext, registry: Registry, rows: Sequence[RelationshipRow]
) -> list[RelationshipRow]:
    """Return those of these rows that no aspect requires.

    Each aspect is read once, since it may name thousands of entities. Rows of an aspect that is no longer registered
    are kept: its relationships are unknown.
    """
    aspects = tx.get_table("aspects").read_many(sorted({(named.urn, named.aspect) for named in rows}))
    claimed = {
        named
        for row in aspects
        for named in _iterate_relationships_of_aspect(registry, Urn.parse(row["urn"]).type, row)
    }
    unregistered = {
        (row["urn"], row["aspect"])
        for row in aspects
        if row["value"] is not None and not registry.has_aspect(Urn.parse(row["urn"]).type, row["aspect"])
    }
    return [named for named in rows if named not in claimed and (named.urn, named.aspect) not in unregistered]


def list_relationships_to(
    tx: TableContext, target: str, kinds: frozenset[str], after: Key, limit: int | None
) -> list[RelationshipRow]:
    """Return the entities that name an entity (in one of these relationships, or in any), after a position of the
    table.
    """
    within = Range.prefix(target)
    keys = Range(after, within.end, begin_inclusive=False) if after else within
    rows: Iterable[Row] = tx.get_table(TABLE).scan(keys, None if kinds else limit)
    named: list[RelationshipRow] = []
    for row in rows:
        if not kinds or row["kind"] in kinds:
            named.append(RelationshipRow(row["target"], row["urn"], row["aspect"], row["kind"]))
        if len(named) == limit:
            break
    return named


def list_targets_with_prefix(tx: TableContext, prefix: str, limit: int) -> list[str]:
    """Return the named entities whose URNs begin with a text, such as the columns of a table; of at most `limit` rows."""
    rows = tx.get_table(TABLE).scan(Range((prefix,), (prefix + _LAST,)), limit)
    return list(dict.fromkeys(row["target"] for row in rows))


def list_relationships_after(tx: TableContext, after_key: Key, limit: int) -> list[RelationshipRow]:
    """Return the rows of the table after a position; () means the start."""
    keys = Range(after_key, begin_inclusive=False) if after_key else Range()
    return [
        RelationshipRow(row["target"], row["urn"], row["aspect"], row["kind"])
        for row in tx.get_table(TABLE).scan(keys, limit)
    ]


def list_relationships_from(tx: TableContext, registry: Registry, urn: Urn) -> list[RelationshipRow]:
    """Return the entities that an entity names, in order."""
    rows = tx.get_table("aspects").scan(Range.prefix(str(urn)))
    return sorted({named for row in rows for named in _iterate_relationships_of_aspect(registry, urn.type, row)})


def _iterate_relationships_of_aspect(registry: Registry, entity_type: str, row: Row) -> Iterator[RelationshipRow]:
    if row["value"] is None:
        return
    try:
        spec = registry.get_aspect(entity_type, row["aspect"])
    except NotFound:
        # `source_check` reports aspects that are no longer registered.
        return
    yield from _iterate_relationships_of_value(row["urn"], spec, row["value"])


def _iterate_relationships_of_value(urn: str, spec: AspectSpec, value: str | None) -> Iterator[RelationshipRow]:
    if value is None or not spec.relationships:
        return
    try:
        parsed = parse_stored_json(value)
    except StoreDamaged:
        # Reported by `source_check` as well.
        return
    for relationship in spec.relationships:
        for text in relationship.list_related_urns(parsed):
            try:
                yield RelationshipRow(canonicalize_urn(text), urn, spec.name, relationship.name)
            except InvalidName:
                # The schema allows strings that are not URNs; nobody can look those up.
                continue
