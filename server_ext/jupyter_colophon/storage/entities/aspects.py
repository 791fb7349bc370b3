"""Read entities, aspects and their history."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.entities.containment import get_urn_prefix_of_children
from jupyter_colophon.core.entities.entity import (
    STATUS,
    Aspect,
    AspectVersion,
    AuditStamp,
    EntitySummary,
    is_status_removed,
)
from jupyter_colophon.core.identity.names import Urn, is_variable_urn
from jupyter_colophon.core.identity.urn import encode_urn_text
from jupyter_colophon.core.model.registry import Registry, Scope
from jupyter_colophon.core.model.vocabulary import may_have_descriptors
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.entities.deleting_namespaces import (
    is_namespace_being_deleted,
    list_namespaces_being_deleted,
)
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: The number of versions that one statement reads. Each may have 16 MiB.
_VERSIONS_AT_ONCE = 8
#: The number of entities whose aspects one statement reads.
_ENTITIES_AT_ONCE = 5


def find_entity_summary(tx: TableContext, urn: str) -> EntitySummary | None:
    """Return an existing entity, None if it does not exist."""
    row = tx.get_table("entities").read((urn,))
    if row is None or row["deleted"] or is_namespace_being_deleted(tx, row["namespace"]):
        return None
    return _parse_summary(row)


def find_entity_summaries(tx: TableContext, urns: Sequence[str]) -> dict[str, EntitySummary]:
    """Return the existing ones of these entities, by URN."""
    rows = tx.get_table("entities").read_many([(urn,) for urn in urns])
    ends = list_namespaces_being_deleted(tx)
    return {row["urn"]: _parse_summary(row) for row in rows if not row["deleted"] and row["namespace"] not in ends}


def filter_not_removed(tx: TableContext, urns: Collection[str]) -> set[str]:
    """Return those of these entities that were not softly deleted."""
    rows = tx.get_table("entities").read_many([(urn,) for urn in sorted(urns)])
    return {row["urn"] for row in rows if not row["removed"]}


def list_namespaces(tx: TableContext, *, include_deleted: bool = False) -> list[str]:
    """Return the names of all namespaces, sorted; with `ever`, also of deleted ones."""
    # ";" is the character after ":", so this range has exactly the URNs of the type.
    rows = tx.get_table("entities").scan(Range(("urn:li:namespace:",), ("urn:li:namespace;",), end_inclusive=False))
    return sorted(row["namespace"] for row in rows if include_deleted or not row["deleted"])


def iterate_entity_types(tx: TableContext, namespace: str) -> Iterator[str]:
    """Yield the entity types of a namespace in order, with one read for each."""
    place: tuple[str, ...] = (namespace,)
    while rows := list(
        tx.get_table("entity_names").scan(Range(place, (namespace,), begin_inclusive=len(place) == 1), 1)
    ):
        yield rows[0]["type"]
        place = (namespace, rows[0]["type"])


def list_entity_urns(
    tx: TableContext, namespace: str, entity_type: str, prefix: str, after: tuple[str, str] | None, limit: int
) -> list[str]:
    """Return URNs of one namespace and type, sorted by name, whose name has the prefix, after the position (name, urn)."""
    within = Range.prefix(namespace, entity_type)
    place = after or (prefix, "")
    begin = (namespace, entity_type, *max(place, (prefix, "")))
    urns = []
    for row in tx.get_table("entity_names").scan(Range(begin, within.end, begin_inclusive=after is None), limit):
        if not row["name"].startswith(prefix):
            break
        urns.append(row["urn"])
    return urns


def list_field_paths_with_metadata(tx: TableContext, urn: Urn) -> list[str]:
    """Return the names of a dataset's fields that are entities, since they have metadata."""
    within = _get_range_of_field_urns(urn)
    if within is None:
        return []
    ends = list_namespaces_being_deleted(tx)
    rows = tx.get_table("entities").scan(within)
    return [row["name"] for row in rows if not row["deleted"] and row["namespace"] not in ends]


def list_page_of_fields(tx: TableContext, urn: Urn, after: str, limit: int) -> tuple[list[EntitySummary], str | None]:
    """Return the fields among the next `limit` URNs, deleted ones included, and the last of these URNs if there are
    more.
    """
    within = _get_range_of_field_urns(urn)
    if within is None or limit == 0:
        return [], None
    if after:
        within = replace(within, begin=(after,), begin_inclusive=False)
    rows = list(tx.get_table("entities").scan(within, limit + 1))
    ends, seen = list_namespaces_being_deleted(tx), rows[:limit]
    living = [_parse_summary(row) for row in seen if not row["deleted"] and row["namespace"] not in ends]
    return living, seen[-1]["urn"] if len(rows) > limit else None


def list_fields_with_prefix(tx: TableContext, urn: Urn, beginning: str) -> list[EntitySummary]:
    """Return a dataset's fields that are entities and whose path has this prefix."""
    within = _get_range_of_field_urns(urn)
    if within is None:
        return []
    prefix = f"{within.begin[0]}{encode_urn_text(beginning)}"
    rows = tx.get_table("entities").scan(Range((prefix,), (prefix + "\U0010ffff",)))
    ends = list_namespaces_being_deleted(tx)
    return [_parse_summary(row) for row in rows if not row["deleted"] and row["namespace"] not in ends]


def _get_range_of_field_urns(urn: Urn) -> Range | None:
    """Return the range of the URNs of a dataset's fields; None for an entity without fields."""
    prefix = get_urn_prefix_of_children(urn) if urn.type == "dataset" else None
    # "-" is the character after ",", so this range has exactly the URNs with the prefix.
    return None if prefix is None else Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)


def read_present_aspects(
    tx: TableContext,
    registry: Registry,
    entity_type: str,
    urn: str,
    names: Collection[str] | None = None,
    *,
    scope: Scope | None = None,
) -> dict[str, Aspect]:
    """Return the aspects of an entity that have a value (all, or those of `names` or of a scope), by name."""
    rows = tx.get_table("aspects").scan(Range.prefix(urn))
    selected = (row for row in rows if names is None or row["aspect"] in names)
    return parse_present_aspects(registry, entity_type, selected, scope=scope)


def parse_present_aspects(
    registry: Registry, entity_type: str, rows: Iterable[Row], *, scope: Scope | None = None
) -> dict[str, Aspect]:
    """Return the aspects of these rows that have a value (all, or those of a scope), by name."""
    return {
        row["aspect"]: _parse_aspect(registry, entity_type, row)
        for row in rows
        if row["value"] is not None
        and (scope is None or registry.get_aspect_or_unregistered(entity_type, row["aspect"]).scope == scope)
    }


def read_present_aspects_by_urn(
    tx: TableContext, registry: Registry, entity_type: str, urns: Sequence[str]
) -> dict[str, dict[str, Aspect]]:
    """Return the aspects of entities by URN, reading the range from the first to the last of these sorted URNs."""
    by_urn: dict[str, dict[str, Aspect]] = {urn: {} for urn in urns}
    if urns:
        for row in tx.get_table("aspects").scan(Range((urns[0],), (urns[-1],))):
            if row["value"] is not None and row["urn"] in by_urn:
                by_urn[row["urn"]][row["aspect"]] = _parse_aspect(registry, entity_type, row)
    return by_urn


def iterate_described_aspects(
    tx: TableContext, registry: Registry, entities: Sequence[tuple[str, str]]
) -> Iterator[dict[str, Aspect]]:
    """Yield the aspects that have a value and may have descriptors, by name, of each of these entities, given their URN
    and type.
    """
    for at in range(0, len(entities), _ENTITIES_AT_ONCE):
        part = entities[at : at + _ENTITIES_AT_ONCE]
        rows_by_urn: dict[str, list[Row]] = {urn: [] for urn, _ in part}
        for row in tx.get_table("aspects").scan_ranges([Range.prefix(urn) for urn in rows_by_urn]):
            rows_by_urn[row["urn"]].append(row)
        for urn, entity_type in part:
            rows = (row for row in rows_by_urn[urn] if _may_have_descriptors(registry, entity_type, row["aspect"]))
            yield parse_present_aspects(registry, entity_type, rows)


def _may_have_descriptors(registry: Registry, entity_type: str, name: str) -> bool:
    return may_have_descriptors(name, registry.get_aspect_or_unregistered(entity_type, name).contributes)


def iterate_aspects_of_keys(
    tx: TableContext, registry: Registry, keys: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, Aspect]]:
    """Yield the URN and the aspect for each of these pairs of URN and aspect name that has a value."""
    for row in tx.get_table("aspects").read_many(keys):
        if row["value"] is not None:
            yield row["urn"], _parse_aspect(registry, Urn.parse(row["urn"]).type, row)


def find_aspect(tx: TableContext, registry: Registry, entity_type: str, urn: str, name: str) -> Aspect | None:
    """Return one aspect of an entity, None if it has no value."""
    row = tx.get_table("aspects").read((urn, name))
    if row is None or row["value"] is None or _is_in_deleted_namespace(tx, urn):
        return None
    return _parse_aspect(registry, entity_type, row)


def find_aspect_version(
    tx: TableContext, registry: Registry, entity_type: str, urn: str, name: str, number: int
) -> Aspect | None:
    """Return a version of an aspect since its entity was created: 0 is the present one, 1 the first, -1 the previous
    one.
    """
    row = tx.get_table("aspects").read((urn, name))
    if number == 0 or row is None or row["value"] is None:
        return find_aspect(tx, registry, entity_type, urn, name)
    number = row["base"] + number if number > 0 else row["version"] + number
    version = tx.get_table("aspect_versions").read((urn, name, number))
    if version is None or version["value"] is None or number <= row["base"] or _is_in_deleted_namespace(tx, urn):
        return None
    return _parse_aspect(registry, entity_type, version)


def read_aspects_at_time(
    tx: TableContext, registry: Registry, entity_type: str, urn: str, time: int
) -> dict[str, Aspect]:
    """Return the aspects that an entity had at a time, by name; none if it did not exist."""
    aspects = {}
    for row in tx.get_table("aspects").scan(Range.prefix(urn)):
        versions = tx.get_table("aspect_versions").scan(Range.prefix(urn, row["aspect"]), order="desc")
        version = next((candidate for candidate in versions if candidate["time"] <= time), None)
        if version is not None and version["value"] is not None:
            aspects[row["aspect"]] = _parse_aspect(registry, entity_type, version)
    return aspects


def find_entity_summary_at_time(tx: TableContext, registry: Registry, urn: Urn, time: int) -> EntitySummary | None:
    """Return an entity as it was at a time; None if it did not exist. Raises NotFound for an unknown type."""
    row = tx.get_table("entities").read((str(urn),))
    then = {} if row is None else read_aspects_at_time(tx, registry, urn.type, str(urn), time)
    key = then.get(registry.get_type_or_unregistered(urn.type).key_aspect)
    if row is None or key is None:
        return None
    newest = max(then.values(), key=lambda aspect: aspect.time)
    return replace(
        _parse_summary(row),
        created=AuditStamp(key.time, key.actor),
        updated=AuditStamp(newest.time, newest.actor),
        removed=is_variable_urn(str(urn)) or (STATUS in then and is_status_removed(then[STATUS].value)),
    )


def list_aspect_versions(
    tx: TableContext, urn: str, aspect: str, before: int | None, limit: int
) -> tuple[list[AspectVersion], bool]:
    """Return a page of an aspect's versions since its entity was created, newest first, and whether there are more.

    Each has the patch from the previous one. The page ends after `limit` versions, or after PAGE_BYTES_MAX. If there
    are more, one more version is read, since the last version of the page is compared with it.
    """
    row = tx.get_table("aspects").read((urn, aspect))
    if row is None or _is_in_deleted_namespace(tx, urn):
        return [], False
    base = row["base"]
    newest = row["version"] if before is None else before - 1
    rows: list[Row] = []
    size = 0
    # One more than requested: the oldest version of the page is compared with it.
    for version in _iterate_version_rows(tx, Range((urn, aspect, base + 1), (urn, aspect, newest)), limit + 1):
        rows.append(version)
        size += len(version["value"] or "")
        if size > PAGE_BYTES_MAX and len(rows) > 1:
            break
    is_cut = len(rows) > limit or (size > PAGE_BYTES_MAX and len(rows) > 1)
    return list(_iterate_versions_with_diffs(rows)), is_cut


def _iterate_version_rows(tx: TableContext, key_range: Range, limit: int) -> Iterator[Row]:
    """Yield versions, newest first, up to `limit`.

    They are read a few at a time: a store may send all rows of a statement before the first can be used.
    """
    while limit > 0:
        part = list(tx.get_table("aspect_versions").scan(key_range, limit=min(limit, _VERSIONS_AT_ONCE), order="desc"))
        yield from part
        if len(part) < _VERSIONS_AT_ONCE:
            return
        limit -= len(part)
        key_range = replace(key_range, end=(*key_range.end[:-1], part[-1]["version"]), end_inclusive=False)


def iterate_earlier_aspect_values(tx: TableContext, urn: str, aspect: str, limit: int) -> Iterator[Any]:
    """Yield the earlier values of an aspect since its entity was created, newest first, from up to `limit` versions."""
    row = tx.get_table("aspects").read((urn, aspect))
    if row is not None and not _is_in_deleted_namespace(tx, urn):
        within = Range((urn, aspect, row["base"] + 1), (urn, aspect, row["version"]), end_inclusive=False)
        for version in tx.get_table("aspect_versions").scan(within, limit=limit, order="desc"):
            if version["value"] is not None:
                yield parse_stored_json(version["value"])


def _is_in_deleted_namespace(tx: TableContext, urn: str) -> bool:
    """Return whether an entity is in a namespace that is being deleted; nearly always there is none, and nothing else
    is read.
    """
    ends = list_namespaces_being_deleted(tx)
    row = tx.get_table("entities").read((urn,)) if ends else None
    return row is not None and row["namespace"] in ends


def _iterate_versions_with_diffs(rows: Sequence[Row]) -> Iterator[AspectVersion]:
    values = [None if row["value"] is None else parse_stored_json(row["value"]) for row in rows]
    for at, row in enumerate(rows):
        older = values[at + 1] if at + 1 < len(rows) else None
        yield AspectVersion(
            row["version"],
            values[at],
            row["actor"],
            row["via"],
            row["time"],
            _diff_values_or_nothing(older, values[at]),
            codecs.parse_system_metadata(row["system"]),
        )


def _diff_values_or_nothing(older: Any, newer: Any) -> tuple[Mapping[str, Any], ...]:
    if older is None and newer is not None:
        return ({"op": "add", "path": "", "value": newer},)
    if newer is None:
        return ({"op": "remove", "path": ""},)
    return tuple(diff_as_json_patch(older, newer))


def _parse_summary(row: Row) -> EntitySummary:
    return EntitySummary(
        urn=row["urn"],
        type=row["type"],
        namespace=row["namespace"],
        name=row["name"],
        platform=row["platform"],
        created=AuditStamp(row["created"], row["created_by"]),
        updated=AuditStamp(row["updated"], row["updated_by"]),
        removed=bool(row["removed"]),
    )


def _parse_aspect(registry: Registry, entity_type: str, row: Row) -> Aspect:
    return Aspect(
        name=row["aspect"],
        scope=registry.get_aspect_or_unregistered(entity_type, row["aspect"]).scope,
        version=row["version"],
        value=parse_stored_json(row["value"]),
        actor=row["actor"],
        via=row["via"],
        time=row["time"],
        system=codecs.parse_system_metadata(row["system"]),
    )
