"""What everything that is derived is made of: current aspects, runs and accesses (spec MODEL-13)."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, Generic, TypeVar

from jupyter_colophon.core.errors import NotFound, StoreDamaged
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.search_fields import is_marked, marked_words
from jupyter_colophon.core.model.search_index_terms import ValueRow
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.spi import Document, Key, Link, Range, Row, TableContext

#: How many entities or runs are looked at in one short transaction.
AT_ONCE = 200


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Way(Generic[T]):
    """A way through the store, a slice at a time.

    `step` is given the place, first `begin`, and answers what it found there and the next place: None at the end.
    """

    title: str
    begin: Any
    step: Callable[[TableContext, Any], tuple[list[T], Any]]


class Unreadable(Exception):
    """An aspect's value cannot be understood, so nothing can be derived from it."""


@dataclass(frozen=True, slots=True)
class Told:
    """An entity's row and its aspects' rows, by name."""

    entity: Row
    aspects: Mapping[str, Row] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Derived:
    """What has to be in the derived tables because of one entity, but for counts; a deleted one has nothing there."""

    name: Row | None
    values: Mapping[Key, Row]
    document: Document | None


NOTHING = Derived(None, {}, None)


def beyond(place: Key) -> Range:
    """What comes after a place in a table; () is before the first row."""
    return Range(place, begin_inclusive=False) if place else Range()


def entities_after(tx: TableContext, urn: str, limit: int = AT_ONCE) -> list[Told]:
    """Entities by URN, from the first after this one on, deleted ones too."""
    rows = list(tx.table("entities").scan(beyond((urn,) if urn else ()), limit))
    if not rows:
        return []
    aspects: dict[str, dict[str, Row]] = {row["urn"]: {} for row in rows}
    for aspect in tx.table("aspects").scan(Range((rows[0]["urn"],), (rows[-1]["urn"],))):
        if aspect["urn"] in aspects:
            aspects[aspect["urn"]][aspect["aspect"]] = aspect
    return [Told(row, aspects[row["urn"]]) for row in rows]


def entities(tx: TableContext) -> Iterator[Told]:
    """All entities, read in slices: not every store's scans are lazy."""
    after = ""
    while found := entities_after(tx, after):
        yield from found
        after = found[-1].entity["urn"]


def entity(tx: TableContext, urn: str) -> Told | None:
    """One entity."""
    row = tx.table("entities").read((urn,))
    return (
        None if row is None else Told(row, {one["aspect"]: one for one in tx.table("aspects").scan(Range.prefix(urn))})
    )


def said(registry: Registry, told: Told) -> frozenset[ValueRow]:
    """Everything that an entity says; a deleted one says nothing. Raises Unreadable."""
    if told.entity["deleted"]:
        return frozenset()
    try:
        return frozenset(index.rows(said_aspects(registry, told)))
    except (NotFound, StoreDamaged, ValueError, TypeError, AttributeError) as error:
        raise Unreadable(told.entity["urn"]) from error


def derived(registry: Registry, told: Told) -> Derived:
    """What has to be in the derived tables. Raises Unreadable."""
    entity, rows = told.entity, set(said(registry, told))
    if entity["deleted"]:
        return NOTHING
    try:
        words = marked(registry, entity, told.aspects)
    except (NotFound, ValueError) as error:
        raise Unreadable(entity["urn"]) from error
    document = index.document(entity, rows, words, removed=is_removed(registry, told))
    return Derived(name_row(entity), index.stored(entity, rows), document)


def runs_after(tx: TableContext, place: Key, limit: int = AT_ONCE) -> list[Row]:
    """Runs by program and run id, from the first after this place on."""
    return list(tx.table("runs").scan(beyond(place), limit))


def run(tx: TableContext, urn: str) -> Row | None:
    """A run's row."""
    return next(iter(tx.table("runs").scan_index("urn", urn, 1)), None)


def links(tx: TableContext, run: Row) -> set[Link]:
    """What lineage has to know of a run."""
    return statements.links_of_run(tx, run)


def times(run: Row) -> list[Key]:
    """The keys of a run in the table of runs by time: of its program, and of all."""
    return [(program, run["start"], run["urn"]) for program in (run["program"], "")]


def documents_between(tx: TableContext, after: str, last: str | None) -> dict[str, Document]:
    """What full text holds after a URN and up to another one; without that, to the end."""
    found: dict[str, Document] = {}
    while page := tx.search.after(after, AT_ONCE):
        fitting = list(takewhile(lambda one: last is None or one.urn <= last, page))
        found |= {one.urn: one for one in fitting}
        if len(fitting) < len(page):
            break
        after = page[-1].urn
    return found


def said_aspects(registry: Registry, told: Told) -> index.Aspects:
    """The aspects of an entity that have a value and contribute to the vocabulary, as the index takes them."""
    kind = registry.type(told.entity["type"])
    for name, row in told.aspects.items():
        if row["value"] is not None and kind.aspect(name) is None:
            # Nobody knows what an aspect that the registry lost contributes: what is derived from it is left alone.
            raise NotFound(f"aspect of a {kind.type}", name)
    return index.described(kind, told.aspects)


def is_removed(registry: Registry, told: Told) -> bool:
    """Return whether an entity was softly deleted. Raises Unreadable."""
    try:
        return index.is_removed(said_aspects(registry, told))
    except (NotFound, StoreDamaged) as error:
        raise Unreadable(told.entity["urn"]) from error


def marked(registry: Registry, entity: Row, aspects: Mapping[str, Row]) -> frozenset[str]:
    """The words of texts that the model marks for search."""
    kind = registry.stored_type(entity["type"])
    specs = [spec for name in aspects if (spec := kind.aspect(name)) is not None and is_marked(spec)]
    said = {spec.name: (spec, value) for spec in specs if (value := aspects[spec.name]["value"]) is not None}
    return marked_words({name: (spec, json.loads(value)) for name, (spec, value) in said.items()})


def name_row(entity: Row) -> Row:
    """A living entity's row in the table of names."""
    return {part: entity[part] for part in ("namespace", "type", "name", "urn")}
