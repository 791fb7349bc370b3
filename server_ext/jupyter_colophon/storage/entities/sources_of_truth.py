"""Read the sources of all derived rows: current aspects, runs and accesses (spec MODEL-13)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Generic, Literal, TypeVar

from jupyter_colophon.core.errors import NotFound, StoreDamaged
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_fields import collect_encoded_search_words, may_have_searchable_texts
from jupyter_colophon.core.model.search_index_terms import ValueRow
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.spi import AccessLink, Document, Key, Range, Row, TableContext

#: The number of entities or runs that one short transaction reads.
AT_ONCE = 200


T = TypeVar("T")
#: What the keys of a scan begin with: the URN of an entity or of a run, "" for anything else.
KeyOrder = Literal["entity", "run", ""]


@dataclass(frozen=True, slots=True)
class CheckStep(Generic[T]):
    """A scan of the store in slices.

    `step` takes a position, first `begin`, and returns what it found in that slice and the next position, None at
    the end. Positions are keys, or the only part of a key; `order` is what the keys begin with.
    """

    title: str
    begin: Any
    step: Callable[[TableContext, Any], tuple[list[T], Any]]
    order: KeyOrder = "entity"


class UnreadableAspect(Exception):
    """An aspect's value cannot be parsed, so no rows can be derived from it."""


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """An entity's row and the rows of its aspects, by aspect name."""

    entity: Row
    aspects: Mapping[str, Row] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DerivedRows:
    """The rows that one entity requires in the derived tables, except counters; a deleted entity requires none."""

    name: Row | None
    values: Mapping[Key, Row]
    document: Document | None


NO_ROWS = DerivedRows(None, {}, None)


def build_range_after_key(after_key: Key) -> Range:
    """Return the range of rows after a key; () means the start of the table."""
    return Range(after_key, begin_inclusive=False) if after_key else Range()


def list_stored_entities_after(tx: TableContext, urn: str, limit: int = AT_ONCE) -> list[StoredEntity]:
    """Return entities in the order of their URNs, starting after `urn`, deleted ones included."""
    rows = list(tx.get_table("entities").scan(build_range_after_key((urn,) if urn else ()), limit))
    if not rows:
        return []
    aspects: dict[str, dict[str, Row]] = {row["urn"]: {} for row in rows}
    for aspect in tx.get_table("aspects").scan(Range((rows[0]["urn"],), (rows[-1]["urn"],))):
        if aspect["urn"] in aspects:
            aspects[aspect["urn"]][aspect["aspect"]] = aspect
    return [StoredEntity(row, aspects[row["urn"]]) for row in rows]


def find_stored_entity(tx: TableContext, urn: str) -> StoredEntity | None:
    """Return one entity, None if it does not exist."""
    row = tx.get_table("entities").read((urn,))
    return (
        None
        if row is None
        else StoredEntity(row, {aspect["aspect"]: aspect for aspect in tx.get_table("aspects").scan(Range.prefix(urn))})
    )


def derive_search_value_rows(registry: Registry, stored: StoredEntity) -> frozenset[ValueRow]:
    """Return the searchable values of an entity, none if it is deleted. Raises Unreadable."""
    if stored.entity["deleted"]:
        return frozenset()
    try:
        return frozenset(index.collect_aspect_value_rows(select_searchable_aspects_of_entity(registry, stored)))
    except (NotFound, StoreDamaged, ValueError, TypeError, AttributeError) as error:
        raise UnreadableAspect(stored.entity["urn"]) from error


def derive_all_rows(registry: Registry, stored: StoredEntity) -> DerivedRows:
    """Return the rows that an entity requires in the derived tables. Raises Unreadable."""
    entity, rows = stored.entity, set(derive_search_value_rows(registry, stored))
    if entity["deleted"]:
        return NO_ROWS
    try:
        words = collect_marked_search_words(registry, entity, stored.aspects)
    except (NotFound, ValueError) as error:
        raise UnreadableAspect(entity["urn"]) from error
    document = index.build_search_document(entity, rows, words, removed=is_entity_left_out_of_lists(registry, stored))
    return DerivedRows(build_name_row(entity), index.build_stored_value_rows(entity, rows), document)


def list_run_rows_after(tx: TableContext, after_key: Key, limit: int = AT_ONCE) -> list[Row]:
    """Return runs in the order of program and run id, starting after this key."""
    return list(tx.get_table("runs").scan(build_range_after_key(after_key), limit))


def find_run_row(tx: TableContext, urn: str) -> Row | None:
    """Return a run's row, None if it does not exist."""
    return next(iter(tx.get_table("runs").scan_index("urn", urn, 1)), None)


def derive_lineage_links_of_run(tx: TableContext, run: Row) -> set[AccessLink]:
    """Return the lineage edges of a run."""
    return statements.derive_links_of_run(tx, run)


def derive_time_index_keys_of_run(run: Row) -> list[Key]:
    """Return the keys of a run in the table of runs by time: one for its program, one for all programs."""
    return [(program, run["start"], run["urn"]) for program in (run["program"], "")]


def read_search_documents_between(tx: TableContext, after: str, last: str | None) -> dict[str, Document]:
    """Return the full-text documents after one URN and up to another, to the end if `last` is None."""
    documents: dict[str, Document] = {}
    while page := tx.search.read_documents_after(after, AT_ONCE):
        fitting = list(takewhile(lambda document: last is None or document.urn <= last, page))
        documents |= {document.urn: document for document in fitting}
        if len(fitting) < len(page):
            break
        after = page[-1].urn
    return documents


def select_searchable_aspects_of_entity(registry: Registry, stored: StoredEntity) -> index.Aspects:
    """Return the aspects of an entity that have a value and contribute to search, as the index takes them."""
    kind = registry.get_type(stored.entity["type"])
    for name, row in stored.aspects.items():
        if row["value"] is not None and kind.find_aspect(name) is None:
            # The contributions of an aspect that is no longer registered are unknown: leave its derived rows unchanged.
            raise NotFound(f"{kind.type} aspect", name)
    return index.select_searchable_aspects(kind, stored.aspects)


def is_entity_left_out_of_lists(registry: Registry, stored: StoredEntity) -> bool:
    """Return whether searches and lists leave an entity out. Raises Unreadable."""
    try:
        return index.is_left_out_of_lists(stored.entity["urn"], select_searchable_aspects_of_entity(registry, stored))
    except (NotFound, StoreDamaged) as error:
        raise UnreadableAspect(stored.entity["urn"]) from error


def collect_marked_search_words(registry: Registry, entity: Row, aspects: Mapping[str, Row]) -> frozenset[str]:
    """Return the words of the texts that the model marks for search."""
    kind = registry.get_type_or_unregistered(entity["type"])
    values = {
        name: (spec, json.loads(value))
        for name, row in aspects.items()
        if (spec := kind.find_aspect(name)) is not None
        and (value := row["value"]) is not None
        and may_have_searchable_texts(spec, value)
    }
    return collect_encoded_search_words(values) if values else frozenset()


def build_name_row(entity: Row) -> Row:
    """Return the row that an existing entity has in the table of names."""
    return {part: entity[part] for part in ("namespace", "type", "name", "urn")}
