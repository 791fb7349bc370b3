"""Past values by key: one row for each version of an aspect that was the last one with the value.

Search as of a time finds candidates here, and reads their history (spec SEARCH-18). The source is the history of
aspects: a value that a version has and the next one has not is here, regardless of clocks.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from jupyter_colophon.core.errors import NotFound, StoreDamaged
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.model.search_index_terms import fold_text_for_comparison
from jupyter_colophon.core.model.vocabulary import has_contributions
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

TABLE: Final = "value_history"
KEY: Final = ("namespace", "key", "value", "urn", "aspect", "version")
#: The key under which names of deleted entities are found.
NAME_KEY: Final = "name"


def derive_past_value_rows_of_version(
    entity: Row, spec: AspectSpec, old: Row, value: str | None, time: int
) -> list[Row]:
    """Return the rows of the values that a version (`old`) of an aspect has and the next one, with this value from this
    time on, has not.
    """
    if old.get("value") is None or not (spec.key or has_contributions(spec.name, spec.contributes)):
        return []
    lost_keys = _get_value_keys(entity, spec, old["value"]) - _get_value_keys(entity, spec, value)
    return [_build_past_value_row(place, old, time) for place in sorted(lost_keys)]


def derive_past_value_rows(
    tx: TableContext, registry: Registry, entity: Row, aspects: Mapping[str, Row]
) -> dict[Key, Row]:
    """Return all such rows of an entity with these aspects, by key; none if its history cannot be read.

    Unreadable values are reported by `source_check`. Most entities were never changed and have no rows: their history
    is not read.
    """
    changed = [name for name, aspect in aspects.items() if aspect["version"] > 1]
    try:
        rows = [
            row
            for name in changed
            for row in _iterate_past_value_rows(tx, entity, registry.get_aspect(entity["type"], name))
        ]
    except (NotFound, StoreDamaged, ValueError, TypeError, AttributeError):
        return {}
    return {tuple(row[part] for part in KEY): row for row in rows}


def _iterate_past_value_rows(tx: TableContext, entity: Row, spec: AspectSpec) -> Iterator[Row]:
    before: Row = {}
    for version in tx.get_table("aspect_versions").scan(Range.prefix(entity["urn"], spec.name)):
        yield from derive_past_value_rows_of_version(entity, spec, before, version["value"], version["time"])
        before = version


def _get_value_keys(entity: Row, spec: AspectSpec, value: str | None) -> set[tuple[str, ...]]:
    """Return namespace, key, value and URN of all values in an aspect; a key aspect has the name."""
    if value is None:
        return set()
    if spec.key:
        return {(entity["namespace"], NAME_KEY, fold_text_for_comparison(entity["name"]).strip(), entity["urn"])}
    return {index.get_value_key(entity, row)[:4] for row in index.parse_aspect_value_rows(spec, value)}


def _build_past_value_row(place: tuple[str, ...], old: Row, time: int) -> Row:
    key = (*place, old["aspect"], old["version"])
    return dict(zip(KEY, key, strict=True)) | {"until": time}
