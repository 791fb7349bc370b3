"""Reading entities, aspects and their history."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jupyter_colophon.core.documents.difference import diff
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.entities.containment import held_prefix
from jupyter_colophon.core.entities.entity import STATUS, Aspect, AspectVersion, EntitySummary, Stamp, is_removed
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.urn import encoded
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.entities.deleting_namespaces import ending, is_ending
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: How many versions one statement reads. Each may have 16 MiB.
_VERSIONS_AT_ONCE = 8


def summary(tx: TableContext, urn: str) -> EntitySummary | None:
    """An entity that exists now, or None."""
    row = tx.table("entities").read((urn,))
    if row is None or row["deleted"] or is_ending(tx, row["namespace"]):
        return None
    return _summary(row)


def summaries(tx: TableContext, urns: Sequence[str]) -> dict[str, EntitySummary]:
    """Those of these entities that exist now, by URN."""
    rows = tx.table("entities").multi_read([(urn,) for urn in urns])
    ends = ending(tx)
    return {row["urn"]: _summary(row) for row in rows if not row["deleted"] and row["namespace"] not in ends}


def not_removed(tx: TableContext, urns: Collection[str]) -> set[str]:
    """Return those of these entities that were not softly deleted."""
    rows = tx.table("entities").multi_read([(urn,) for urn in sorted(urns)])
    return {row["urn"] for row in rows if not row["removed"]}


def namespaces(tx: TableContext, *, ever: bool = False) -> list[str]:
    """The names of all namespaces that there are, or `ever` were, sorted."""
    # ";" is the character after ":", so this takes every URN of the type and no other.
    rows = tx.table("entities").scan(Range(("urn:li:namespace:",), ("urn:li:namespace;",), end_inclusive=False))
    return sorted(row["namespace"] for row in rows if ever or not row["deleted"])


def types(tx: TableContext, namespace: str) -> Iterator[str]:
    """The types of which a namespace has entities, in order: one look into the table for each."""
    place: tuple[str, ...] = (namespace,)
    while rows := list(tx.table("entity_names").scan(Range(place, (namespace,), begin_inclusive=len(place) == 1), 1)):
        yield rows[0]["type"]
        place = (namespace, rows[0]["type"])


def names(
    tx: TableContext, namespace: str, entity_type: str, prefix: str, after: tuple[str, str] | None, limit: int
) -> list[str]:
    """URNs of one namespace and type, by name, whose name begins with `prefix`, after the place (name, urn)."""
    within = Range.prefix(namespace, entity_type)
    place = after or (prefix, "")
    begin = (namespace, entity_type, *max(place, (prefix, "")))
    found = []
    for row in tx.table("entity_names").scan(Range(begin, within.end, begin_inclusive=after is None), limit):
        if not row["name"].startswith(prefix):
            break
        found.append(row["urn"])
    return found


def fields(tx: TableContext, urn: Urn) -> list[str]:
    """Return the names of a dataset's fields that are entities, since they have metadata."""
    within = _fields_within(urn)
    if within is None:
        return []
    ends = ending(tx)
    rows = tx.table("entities").scan(within)
    return [row["name"] for row in rows if not row["deleted"] and row["namespace"] not in ends]


def some_fields(tx: TableContext, urn: Urn, after: str, limit: int) -> tuple[list[EntitySummary], str | None]:
    """Those of `fields` among the next `limit` URNs that there ever were, and the last of these while there are more."""
    within = _fields_within(urn)
    if within is None or limit == 0:
        return [], None
    if after:
        within = replace(within, begin=(after,), begin_inclusive=False)
    rows = list(tx.table("entities").scan(within, limit + 1))
    ends, seen = ending(tx), rows[:limit]
    living = [_summary(row) for row in seen if not row["deleted"] and row["namespace"] not in ends]
    return living, seen[-1]["urn"] if len(rows) > limit else None


def fields_beginning(tx: TableContext, urn: Urn, beginning: str) -> list[EntitySummary]:
    """Return a dataset's fields that are entities now and whose path begins so."""
    within = _fields_within(urn)
    if within is None:
        return []
    prefix = f"{within.begin[0]}{encoded(beginning)}"
    rows = tx.table("entities").scan(Range((prefix,), (prefix + "\U0010ffff",)))
    ends = ending(tx)
    return [_summary(row) for row in rows if not row["deleted"] and row["namespace"] not in ends]


def _fields_within(urn: Urn) -> Range | None:
    """The URNs of a dataset's fields; None for what has none."""
    prefix = held_prefix(urn) if urn.type == "dataset" else None
    # "-" is the character after ",", so this takes every URN that begins so and no other.
    return None if prefix is None else Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)


def present(
    tx: TableContext, registry: Registry, entity_type: str, urn: str, names: Collection[str] | None = None
) -> dict[str, Aspect]:
    """The aspects of an entity that have a value now (all, or those of `names`), by name."""
    rows = tx.table("aspects").scan(Range.prefix(urn))
    return {
        row["aspect"]: _aspect(registry, entity_type, row)
        for row in rows
        if row["value"] is not None and (names is None or row["aspect"] in names)
    }


def present_of(
    tx: TableContext, registry: Registry, entity_type: str, urns: Sequence[str]
) -> dict[str, dict[str, Aspect]]:
    """The aspects that entities have now, by URN: one look at all from the first of these sorted URNs to the last."""
    found: dict[str, dict[str, Aspect]] = {urn: {} for urn in urns}
    if urns:
        for row in tx.table("aspects").scan(Range((urns[0],), (urns[-1],))):
            if row["value"] is not None and row["urn"] in found:
                found[row["urn"]][row["aspect"]] = _aspect(registry, entity_type, row)
    return found


def some(tx: TableContext, registry: Registry, keys: Sequence[tuple[str, str]]) -> Iterator[tuple[str, Aspect]]:
    """Yield the URN and the aspect for each of these pairs of a URN and an aspect's name that has a value now."""
    for row in tx.table("aspects").multi_read(keys):
        if row["value"] is not None:
            yield row["urn"], _aspect(registry, Urn.parse(row["urn"]).type, row)


def one(tx: TableContext, registry: Registry, entity_type: str, urn: str, name: str) -> Aspect | None:
    """One aspect of an entity, or None when it has no value now."""
    row = tx.table("aspects").read((urn, name))
    if row is None or row["value"] is None or _is_ending(tx, urn):
        return None
    return _aspect(registry, entity_type, row)


def counted(tx: TableContext, registry: Registry, entity_type: str, urn: str, name: str, count: int) -> Aspect | None:
    """A version of an aspect in the entity's present life: 0 is the present one, 1 the first, -1 the one before the present."""
    row = tx.table("aspects").read((urn, name))
    if count == 0 or row is None or row["value"] is None:
        return one(tx, registry, entity_type, urn, name)
    number = row["base"] + count if count > 0 else row["version"] + count
    found = tx.table("aspect_versions").read((urn, name, number))
    if found is None or found["value"] is None or number <= row["base"] or _is_ending(tx, urn):
        return None
    return _aspect(registry, entity_type, found)


def at(tx: TableContext, registry: Registry, entity_type: str, urn: str, time: int) -> dict[str, Aspect]:
    """The aspects that an entity had at a time, by name; nothing where it did not exist then."""
    found = {}
    for row in tx.table("aspects").scan(Range.prefix(urn)):
        versions = tx.table("aspect_versions").scan(Range.prefix(urn, row["aspect"]), order="desc")
        version = next((one for one in versions if one["time"] <= time), None)
        if version is not None and version["value"] is not None:
            found[row["aspect"]] = _aspect(registry, entity_type, version)
    return found


def summary_at(tx: TableContext, registry: Registry, urn: Urn, time: int) -> EntitySummary | None:
    """An entity as it was at a time; None where it did not exist then. Raises NotFound for an unknown type."""
    row = tx.table("entities").read((str(urn),))
    then = {} if row is None else at(tx, registry, urn.type, str(urn), time)
    key = then.get(registry.stored_type(urn.type).key_aspect)
    if row is None or key is None:
        return None
    newest = max(then.values(), key=lambda one: one.time)
    return replace(
        _summary(row),
        created=Stamp(key.time, key.actor),
        updated=Stamp(newest.time, newest.actor),
        removed=STATUS in then and is_removed(then[STATUS].value),
    )


def history(
    tx: TableContext, urn: str, aspect: str, before: int | None, limit: int
) -> tuple[list[AspectVersion], bool]:
    """Return a page of the versions of the entity's present life, newest first, and whether there are more.

    Each has the patch from the one before it. The page ends after so many, or after PAGE_BYTES_MAX. Where there are
    more, the last one is not part of the page: the page's last one is compared with it.
    """
    row = tx.table("aspects").read((urn, aspect))
    if row is None or _is_ending(tx, urn):
        return [], False
    base = row["base"]
    newest = row["version"] if before is None else before - 1
    rows: list[Row] = []
    size = 0
    # One more than asked for: the oldest of the page is compared with it.
    for version in _versions(tx, Range((urn, aspect, base + 1), (urn, aspect, newest)), limit + 1):
        rows.append(version)
        size += len(version["value"] or "")
        if size > PAGE_BYTES_MAX and len(rows) > 1:
            break
    is_cut = len(rows) > limit or (size > PAGE_BYTES_MAX and len(rows) > 1)
    return list(_with_diffs(rows)), is_cut


def _versions(tx: TableContext, within: Range, limit: int) -> Iterator[Row]:
    """Yield so many versions, newest first.

    They are read a few at a time: a store may send all rows of a statement before the first can be looked at.
    """
    while limit > 0:
        part = list(tx.table("aspect_versions").scan(within, limit=min(limit, _VERSIONS_AT_ONCE), order="desc"))
        yield from part
        if len(part) < _VERSIONS_AT_ONCE:
            return
        limit -= len(part)
        within = replace(within, end=(*within.end[:-1], part[-1]["version"]), end_inclusive=False)


def earlier(tx: TableContext, urn: str, aspect: str, limit: int) -> Iterator[Any]:
    """The values that an aspect had before, in the entity's present life; newest first, of so many versions."""
    row = tx.table("aspects").read((urn, aspect))
    if row is not None and not _is_ending(tx, urn):
        within = Range((urn, aspect, row["base"] + 1), (urn, aspect, row["version"]), end_inclusive=False)
        for version in tx.table("aspect_versions").scan(within, limit=limit, order="desc"):
            if version["value"] is not None:
                yield stored(version["value"])


def _is_ending(tx: TableContext, urn: str) -> bool:
    """Whether it is gone with its namespace. Nearly always none is being deleted, and nothing more is asked."""
    ends = ending(tx)
    row = tx.table("entities").read((urn,)) if ends else None
    return row is not None and row["namespace"] in ends


def _with_diffs(rows: Sequence[Row]) -> Iterator[AspectVersion]:
    values = [None if row["value"] is None else stored(row["value"]) for row in rows]
    for at, row in enumerate(rows):
        older = values[at + 1] if at + 1 < len(rows) else None
        yield AspectVersion(
            row["version"],
            values[at],
            row["actor"],
            row["via"],
            row["time"],
            _patch(older, values[at]),
            codecs.system(row["system"]),
        )


def _patch(older: Any, newer: Any) -> tuple[Mapping[str, Any], ...]:
    if older is None and newer is not None:
        return ({"op": "add", "path": "", "value": newer},)
    if newer is None:
        return ({"op": "remove", "path": ""},)
    return tuple(diff(older, newer))


def _summary(row: Row) -> EntitySummary:
    return EntitySummary(
        urn=row["urn"],
        type=row["type"],
        namespace=row["namespace"],
        name=row["name"],
        platform=row["platform"],
        created=Stamp(row["created"], row["created_by"]),
        updated=Stamp(row["updated"], row["updated_by"]),
        removed=bool(row["removed"]),
    )


def _aspect(registry: Registry, entity_type: str, row: Row) -> Aspect:
    return Aspect(
        name=row["aspect"],
        scope=registry.stored_aspect(entity_type, row["aspect"]).scope,
        version=row["version"],
        value=stored(row["value"]),
        actor=row["actor"],
        via=row["via"],
        time=row["time"],
        system=codecs.system(row["system"]),
    )
