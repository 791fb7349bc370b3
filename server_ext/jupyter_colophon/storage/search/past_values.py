"""Past values by key: one row for each version of an aspect that was the last to have the value.

Search as of a time finds candidates here, and reads their history (spec SEARCH-18). The
history of aspects is the truth: what a version says and the next one does not is here, whatever the clock did meanwhile.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from jupyter_colophon.core.errors import NotFound, StoreDamaged
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.model.search_index_terms import fold
from jupyter_colophon.core.model.vocabulary import is_described
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.spi import Key, Range, Row, TableContext

TABLE: Final = "value_history"
KEY: Final = ("namespace", "key", "value", "urn", "aspect", "version")
#: Under which key a name is found that nothing has any more.
NAME_KEY: Final = "name"


def lost(entity: Row, spec: AspectSpec, old: Row, value: str | None, time: int) -> list[Row]:
    """What a version (`old`) of an aspect says and the next one, with this value from this time on, does not."""
    if old.get("value") is None or not (spec.key or is_described(spec.name, spec.contributes)):
        return []
    gone = _places(entity, spec, old["value"]) - _places(entity, spec, value)
    return [_row(place, old, time) for place in sorted(gone)]


def of_history(tx: TableContext, registry: Registry, entity: Row, aspects: Mapping[str, Row]) -> dict[Key, Row]:
    """Every such row of an entity with these aspects, by its key; none where its history cannot be read.

    Unreadable values are reported by `source_check`. Most entities were never changed and have none: their history is not
    looked at.
    """
    changed = [name for name, aspect in aspects.items() if aspect["version"] > 1]
    try:
        rows = [row for name in changed for row in _of_aspect(tx, entity, registry.aspect(entity["type"], name))]
    except (NotFound, StoreDamaged, ValueError, TypeError, AttributeError):
        return {}
    return {tuple(row[part] for part in KEY): row for row in rows}


def _of_aspect(tx: TableContext, entity: Row, spec: AspectSpec) -> Iterator[Row]:
    before: Row = {}
    for version in tx.table("aspect_versions").scan(Range.prefix(entity["urn"], spec.name)):
        yield from lost(entity, spec, before, version["value"], version["time"])
        before = version


def _places(entity: Row, spec: AspectSpec, value: str | None) -> set[tuple[str, ...]]:
    """Namespace, key, value and URN of everything that a value of an aspect says; a key aspect says the name."""
    if value is None:
        return set()
    if spec.key:
        return {(entity["namespace"], NAME_KEY, fold(entity["name"]).strip(), entity["urn"])}
    return {index.key_of(entity, row)[:4] for row in index.values_of(spec, value)}


def _row(place: tuple[str, ...], old: Row, time: int) -> Row:
    key = (*place, old["aspect"], old["version"])
    return dict(zip(KEY, key, strict=True)) | {"until": time}
