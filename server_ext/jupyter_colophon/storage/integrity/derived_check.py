"""Derived rows held against truth, a slice at a time: what differs, and what mends it (spec MODEL-13).

Each step is one short read; each difference is mended in a transaction that derives anew, so a server may write
meanwhile. `verify` reads the differences, `reindex` mends them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth, timeseries
from jupyter_colophon.storage.entities.sources_of_truth import AT_ONCE, Derived, Told, Unreadable, Way
from jupyter_colophon.storage.integrity import ingestion_check
from jupyter_colophon.storage.lineage import assertions, relationships, statements
from jupyter_colophon.storage.search import past_values
from jupyter_colophon.storage.spi import Document, Key, Row, TableContext

_KEYS = {
    spec.id: spec.primary_key
    for spec in (tables.ENTITY_NAMES, tables.METADATA_VALUES, tables.VALUE_HISTORY, tables.RELATIONSHIPS)
}
_TIME_KEY = ("program", "start", "urn")
#: How many roll-ups one look tells of.
_STALE_MAX = 1_000
#: How many rows of relationships one look compares: the aspects that tell of them may be large.
_NAMED_AT_ONCE = 1_000

Mend = Callable[[TableContext], None]


@dataclass(frozen=True, slots=True)
class Difference:
    """A derived row that is missing, wrong or too many."""

    subject: str
    fault: str
    mend: Mend


Step = tuple[list[Difference], Any]


def comparisons(registry: Registry) -> list[Way[Difference]]:
    """All ways through the store, but for what is counted and what is too many of it (storage/integrity/counters_check.py)."""
    return [
        Way("entities", "", partial(_entities, registry)),
        Way("runs", (), _runs),
        Way("runs by time", (), _extra_times),
        Way("lineage", "", _extra_links),
        Way("edges", None, _rolled_up),
        Way("relationships", (), partial(_extra_relationships, registry)),
        Way("runs of moments", (), _moments),
        Way("runs of ingestions", (), _extra_ingested),
    ]


def mend_entity(registry: Registry, urn: str, tx: TableContext) -> None:
    """Write what has to be in the derived tables because of an entity, but for counts."""
    told = sources_of_truth.entity(tx, urn)
    made = _derived(registry, told)
    if made is None:
        return
    if made.name is not None:
        tx.table("entity_names").upsert(made.name)
    for row in made.values.values():
        tx.table("metadata_values").upsert(row)
    for row in _past(tx, registry, told).values():
        tx.table(past_values.TABLE).upsert(row)
    tx.table(relationships.TABLE).upsert_all([*_related(registry, told).values()])
    if made.document is None:
        tx.search.remove(urn)
    else:
        tx.search.put(made.document)


def mend_run(urn: str, tx: TableContext) -> None:
    """Write what has to be in the derived tables because of a run."""
    tx.edges.forget(urn)
    run = sources_of_truth.run(tx, urn)
    if run is None:
        return
    statements.add_links(tx, sources_of_truth.links(tx, run))
    for key in sources_of_truth.times(run):
        tx.table("run_times").upsert(dict(zip(_TIME_KEY, key, strict=True)))


def _entities(registry: Registry, tx: TableContext, after: str) -> Step:
    """Entities against their names, values and documents; and documents of what is no entity."""
    found = sources_of_truth.entities_after(tx, after)
    last = found[-1].entity["urn"] if len(found) == AT_ONCE else None
    documents = sources_of_truth.documents_between(tx, after, last)
    made = {told.entity["urn"]: one for told in found if (one := _derived(registry, told)) is not None}
    there = {told.entity["urn"] for told in found}
    faults = [
        *_missing(tx, "entity_names", [one.name for one in made.values() if one.name is not None]),
        *_missing(tx, "metadata_values", [row for one in made.values() for row in one.values.values()]),
        *_missing(tx, past_values.TABLE, [row for told in found for row in _past(tx, registry, told).values()]),
        *_missing(tx, relationships.TABLE, [row for told in found for row in _related(registry, told).values()]),
        *_documents(made, {urn: one for urn, one in documents.items() if urn in made or urn not in there}),
    ]
    mends = dict.fromkeys(faults)
    return [
        *(Difference(urn, fault, partial(mend_entity, registry, urn)) for urn, fault in mends),
        *_wrongly_removed(registry, found),
        *_asserted(tx, found),
        *_not_ingested(tx, (row for told in found for row in told.aspects.values())),
    ], last


def _wrongly_removed(registry: Registry, found: Sequence[Told]) -> Iterator[Difference]:
    """Entities whose row differs from their aspect `status`."""
    for told in found:
        if (removed := _is_removed(registry, told)) is not None and removed != bool(told.entity["removed"]):
            urn = told.entity["urn"]
            yield Difference(urn, "its row differs from its status", partial(mend_removed, registry, urn))


def mend_removed(registry: Registry, urn: str, tx: TableContext) -> None:
    """Write to an entity's row whether it was softly deleted."""
    told = sources_of_truth.entity(tx, urn)
    if told is not None and (removed := _is_removed(registry, told)) is not None:
        tx.table("entities").upsert(told.entity | {"removed": removed or None})


def _is_removed(registry: Registry, told: Told) -> bool | None:
    """Whether an entity was softly deleted; None where its aspects cannot be read."""
    try:
        return not told.entity["deleted"] and sources_of_truth.is_removed(registry, told)
    except Unreadable:
        return None


def _asserted(tx: TableContext, found: Sequence[Told]) -> Iterator[Difference]:
    for told in found:
        urn = told.entity["urn"]
        if not told.aspects.keys() & set(declared_lineage.asserting(told.entity["type"])):
            continue
        wanted = assertions.of_history(tx, told.entity)
        columns = assertions.columns_of_entity(tx, told.entity)
        there = all(tx.edges.of_run(run) == links for run, links in wanted.items())
        if not there or not assertions.are_known(tx, columns):
            yield Difference(urn, "its edges are not those that are asserted", partial(mend_asserted, urn))


def mend_asserted(urn: str, tx: TableContext) -> None:
    """Write what has to be in lineage because of what is asserted of data."""
    assertions.mend(tx, urn)


def _missing(tx: TableContext, table: str, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """(URN, fault) for rows that are not there, or not as they have to be."""
    key = _KEYS[table]
    keys = [tuple(row[name] for name in key) for row in rows]
    there = {tuple(row[name] for name in key): row for row in tx.table(table).multi_read(keys)}
    for one, row in zip(keys, rows, strict=True):
        if there.get(one) != row:
            yield row["urn"], f"a row of {table} is {'wrong' if one in there else 'missing'}"


def _documents(made: dict[str, Derived], documents: dict[str, Document]) -> Iterator[tuple[str, str]]:
    for urn in sorted(made.keys() | documents.keys()):
        wanted = made[urn].document if urn in made else None
        if documents.get(urn) == wanted:
            continue
        what = "is missing" if urn not in documents else "is too many" if wanted is None else "is wrong"
        yield urn, f"its document in full text {what}"


def mend_extra(registry: Registry, table: str, key: Key, tx: TableContext) -> None:
    """Remove a row of names or values unless its entity asks for it now."""
    urn = key[_KEYS[table].index("urn")]
    told = sources_of_truth.entity(tx, urn)
    made = _derived(registry, told)
    if made is None:
        return
    if table == past_values.TABLE:
        if key not in _past(tx, registry, told):
            tx.table(table).delete(key)
        return
    name = set() if made.name is None else {tuple(made.name[part] for part in _KEYS["entity_names"])}
    if key not in (made.values if table == "metadata_values" else name):
        tx.table(table).delete(key)


def _runs(tx: TableContext, place: Key) -> Step:
    """Runs against lineage and their places in time."""
    rows = sources_of_truth.runs_after(tx, place)
    keys = [key for row in rows for key in sources_of_truth.times(row)]
    there = {tuple(row[name] for name in _TIME_KEY) for row in tx.table("run_times").multi_read(keys)}
    differences = []
    for row in rows:
        mend = partial(mend_run, row["urn"])
        if tx.edges.of_run(row["urn"]) != sources_of_truth.links(tx, row):
            differences.append(Difference(row["urn"], "its edges are not those of its accesses", mend))
        if not there.issuperset(sources_of_truth.times(row)):
            differences.append(Difference(row["urn"], "a row of run_times is missing", mend))
    return differences, _place(rows, ("program", "run_id"))


def _extra_times(tx: TableContext, place: Key) -> Step:
    rows = list(tx.table("run_times").scan(sources_of_truth.beyond(place), AT_ONCE))
    keys = (tuple(row[name] for name in _TIME_KEY) for row in rows)
    differences = [
        Difference(str(key[2]), "a row of run_times is too many", partial(_remove_time, key))
        for key in keys
        if not _is_time(tx, key)
    ]
    return differences, _place(rows, _TIME_KEY)


def _is_time(tx: TableContext, key: Key) -> bool:
    run = sources_of_truth.run(tx, key[2])
    return run is not None and key in sources_of_truth.times(run)


def _remove_time(key: Key, tx: TableContext) -> None:
    if not _is_time(tx, key):
        tx.table("run_times").delete(key)


def _extra_links(tx: TableContext, after: str) -> Step:
    """Edges of what is no run."""
    urns = tx.edges.runs_after(after, AT_ONCE)
    differences = [
        Difference(urn, "its edges are there, but no such run", partial(mend_run, urn))
        for urn in urns
        if sources_of_truth.run(tx, urn) is None and not assertions.is_there(tx, urn)
    ]
    return differences, urns[-1] if len(urns) == AT_ONCE else None


def _rolled_up(tx: TableContext, _place: None) -> Step:
    return [
        Difference(triple[0], "the roll-up of its edges is wrong", lambda tx, triple=triple: tx.edges.renew(*triple))  # type: ignore[misc]
        for triple in tx.edges.stale(_STALE_MAX)
    ], None


def _derived(registry: Registry, told: Told | None) -> Derived | None:
    """What an entity asks for, nothing where there is none; None where an aspect cannot be read: `soundness` tells."""
    if told is None:
        return sources_of_truth.NOTHING
    try:
        return sources_of_truth.derived(registry, told)
    except Unreadable:
        return None


def _past(tx: TableContext, registry: Registry, told: Told | None) -> dict[Key, Row]:
    """What an entity said before; nothing where there is none."""
    return {} if told is None else past_values.of_history(tx, registry, told.entity, told.aspects)


def _related(registry: Registry, told: Told | None) -> dict[Key, Row]:
    """Whom an entity names; nobody where there is none."""
    return {} if told is None else relationships.of_entity(registry, told.entity, told.aspects)


def _extra_relationships(registry: Registry, tx: TableContext, place: Key) -> Step:
    """Rows of relationships that no aspect tells of."""
    rows = relationships.after(tx, place, _NAMED_AT_ONCE)
    differences = [
        Difference(one.urn, "a row of relationships is too many", partial(_remove_relationship, registry, one))
        for one in relationships.untold(tx, registry, rows)
    ]
    return differences, tuple(rows[-1]) if len(rows) == _NAMED_AT_ONCE else None


def _remove_relationship(registry: Registry, one: relationships.Named, tx: TableContext) -> None:
    if relationships.untold(tx, registry, [one]):
        tx.table(relationships.TABLE).delete(tuple(one))


def _not_ingested(tx: TableContext, rows: Iterable[Row]) -> Iterator[Difference]:
    """Rows of the index of runs that aspects, or moments, ask for and that are not there."""
    for key in ingestion_check.lacking(tx, rows):
        yield Difference(str(key[1]), "a row of ingested is missing", partial(ingestion_check.mend, key=key))


def _moments(tx: TableContext, place: Key) -> Step:
    """What is told by time against the index of the runs that told it."""
    rows = list(tx.table("timeseries").scan(sources_of_truth.beyond(place), AT_ONCE))
    return list(_not_ingested(tx, rows)), _place(rows, timeseries.KEY)


def _extra_ingested(tx: TableContext, place: Key) -> Step:
    """Rows of the index of runs that nothing asks for."""
    keys = ingestion_check.after(tx, place, AT_ONCE)
    differences = [
        Difference(str(key[1]), "a row of ingested is too many", partial(ingestion_check.mend, key=key))
        for key in ingestion_check.untold(tx, keys)
    ]
    return differences, keys[-1] if len(keys) == AT_ONCE else None


def _place(rows: Sequence[Row], key: Iterable[str]) -> Key | None:
    return tuple(rows[-1][name] for name in key) if len(rows) == AT_ONCE else None
