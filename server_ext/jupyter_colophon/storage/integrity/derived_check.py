"""Compare the derived tables with their sources, a slice at a time, and repair what differs (spec MODEL-13).

Each comparison is one short read. Each repair runs in a transaction of its own that derives the rows again, so a
server may write in the meantime. `verify` lists the differences; `reindex` repairs them.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth, timeseries
from jupyter_colophon.storage.entities.sources_of_truth import (
    AT_ONCE,
    CheckStep,
    DerivedRows,
    StoredEntity,
    UnreadableAspect,
)
from jupyter_colophon.storage.integrity import ingestion_check
from jupyter_colophon.storage.lineage import assertions, relationships, statements
from jupyter_colophon.storage.search import past_values
from jupyter_colophon.storage.spi import Document, Key, Row, TableContext

_KEYS = {
    spec.id: spec.primary_key
    for spec in (tables.ENTITY_NAMES, tables.METADATA_VALUES, tables.VALUE_HISTORY, tables.RELATIONSHIPS)
}
_TIME_KEY = ("program", "start", "urn")
#: The most roll-ups that one step reports.
_STALE_MAX = 1_000
#: How many rows of relationships one step compares: the aspects that name them may be large.
_NAMED_AT_ONCE = 1_000

Repair = Callable[[TableContext], None]


@dataclass(frozen=True, slots=True)
class DerivedRowDifference:
    """A derived row that is missing, wrong or superfluous, and the function that repairs it."""

    subject: str
    fault: str
    repair: Repair

    @property
    def issue(self) -> IntegrityIssue:
        """The issue that the difference is."""
        return IntegrityIssue(self.subject, self.fault)


Step = tuple[list[DerivedRowDifference], Any]


def list_derived_row_checks(registry: Registry) -> list[CheckStep[DerivedRowDifference]]:
    """Return every comparison except that of counters and superfluous rows (storage/integrity/counters_check.py)."""
    return [
        CheckStep("entities", "", partial(_compare_entities_with_derived_rows, registry)),
        CheckStep("runs", (), _compare_runs_with_derived_rows),
        CheckStep("runs by time", (), _find_superfluous_run_times),
        CheckStep("lineage", "", _find_edges_without_run, "run"),
        CheckStep("edges", None, _find_stale_roll_ups, ""),
        CheckStep("relationships", (), partial(_find_superfluous_relationships, registry)),
        CheckStep("runs of timeseries values", (), _compare_timeseries_with_ingestion_index),
        CheckStep("runs of ingestions", (), _find_superfluous_ingestion_rows, ""),
    ]


def rewrite_derived_rows_of_entity(registry: Registry, urn: str, tx: TableContext) -> None:
    """Write the rows that an entity has in the derived tables, except counters."""
    stored = sources_of_truth.find_stored_entity(tx, urn)
    expected = _derive_rows_if_readable(registry, stored)
    if expected is None:
        return
    if expected.name is not None:
        tx.get_table("entity_names").upsert(expected.name)
    for row in expected.values.values():
        tx.get_table("metadata_values").upsert(row)
    for row in _derive_past_value_rows(tx, registry, stored).values():
        tx.get_table(past_values.TABLE).upsert(row)
    tx.get_table(relationships.TABLE).upsert_many([*_derive_relationship_rows(registry, stored).values()])
    if expected.document is None:
        tx.search.remove_document(urn)
    else:
        tx.search.put_documents(expected.document)


def rewrite_derived_rows_of_run(urn: str, tx: TableContext) -> None:
    """Write the rows that a run has in the derived tables."""
    tx.edges.delete_run_links(urn)
    run = sources_of_truth.find_run_row(tx, urn)
    if run is None:
        return
    statements.add_lineage_links(tx, sources_of_truth.derive_lineage_links_of_run(tx, run))
    for key in sources_of_truth.derive_time_index_keys_of_run(run):
        tx.get_table("run_times").upsert(dict(zip(_TIME_KEY, key, strict=True)))


def _compare_entities_with_derived_rows(registry: Registry, tx: TableContext, after: str) -> Step:
    """Compare entities with their names, values and documents, and find documents without an entity."""
    entities = sources_of_truth.list_stored_entities_after(tx, after)
    last = entities[-1].entity["urn"] if len(entities) == AT_ONCE else None
    documents = sources_of_truth.read_search_documents_between(tx, after, last)
    expected = {
        stored.entity["urn"]: derived
        for stored in entities
        if (derived := _derive_rows_if_readable(registry, stored)) is not None
    }
    present = {stored.entity["urn"] for stored in entities}
    faults = [
        *_find_missing_or_wrong_rows(
            tx, "entity_names", [derived.name for derived in expected.values() if derived.name is not None]
        ),
        *_find_missing_or_wrong_rows(
            tx, "metadata_values", [row for derived in expected.values() for row in derived.values.values()]
        ),
        *_find_missing_or_wrong_rows(
            tx,
            past_values.TABLE,
            [row for stored in entities for row in _derive_past_value_rows(tx, registry, stored).values()],
        ),
        *_find_missing_or_wrong_rows(
            tx,
            relationships.TABLE,
            [row for stored in entities for row in _derive_relationship_rows(registry, stored).values()],
        ),
        *_find_wrong_documents(
            expected, {urn: derived for urn, derived in documents.items() if urn in expected or urn not in present}
        ),
    ]
    repairs = dict.fromkeys(faults)
    return [
        *(
            DerivedRowDifference(urn, fault, partial(rewrite_derived_rows_of_entity, registry, urn))
            for urn, fault in repairs
        ),
        *_find_wrong_removed_flags(registry, entities),
        *_find_wrong_declared_lineage(tx, entities),
        *_find_missing_ingestion_rows(tx, (row for stored in entities for row in stored.aspects.values())),
    ], last


def _find_wrong_removed_flags(registry: Registry, entities: Sequence[StoredEntity]) -> Iterator[DerivedRowDifference]:
    """Find entities whose row disagrees with their aspect `status`."""
    for stored in entities:
        if (removed := _is_removed_or_unreadable(registry, stored)) is not None and removed != bool(
            stored.entity["removed"]
        ):
            urn = stored.entity["urn"]
            yield DerivedRowDifference(
                urn, "its row differs from its status", partial(rewrite_removed_flag, registry, urn)
            )


def rewrite_removed_flag(registry: Registry, urn: str, tx: TableContext) -> None:
    """Write into an entity's row whether it is softly deleted."""
    stored = sources_of_truth.find_stored_entity(tx, urn)
    if stored is not None and (removed := _is_removed_or_unreadable(registry, stored)) is not None:
        tx.get_table("entities").upsert(stored.entity | {"removed": removed or None})


def _is_removed_or_unreadable(registry: Registry, stored: StoredEntity) -> bool | None:
    """Return whether an entity is softly deleted; None if its aspects are unreadable."""
    try:
        return not stored.entity["deleted"] and sources_of_truth.is_entity_left_out_of_lists(registry, stored)
    except UnreadableAspect:
        return None


def _find_wrong_declared_lineage(tx: TableContext, entities: Sequence[StoredEntity]) -> Iterator[DerivedRowDifference]:
    for stored in entities:
        urn = stored.entity["urn"]
        if not stored.aspects.keys() & set(declared_lineage.list_declaring_aspects(stored.entity["type"])):
            continue
        required = assertions.derive_declared_links(tx, stored.entity)
        columns = assertions.derive_declared_column_rows(tx, stored.entity)
        present = all(tx.edges.list_links_of_run(run) == links for run, links in required.items())
        if not present or not assertions.are_column_rows_stored(tx, columns):
            yield DerivedRowDifference(
                urn, "its edges differ from the declared lineage", partial(rewrite_declared_lineage, urn)
            )


def rewrite_declared_lineage(urn: str, tx: TableContext) -> None:
    """Write the lineage that an entity's aspects declare."""
    assertions.rewrite_declared_lineage(tx, urn)


def _find_missing_or_wrong_rows(tx: TableContext, table: str, rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Yield (URN, fault) for each expected row that is missing or has other values."""
    key = _KEYS[table]
    keys = [tuple(row[name] for name in key) for row in rows]
    present = {tuple(row[name] for name in key): row for row in tx.get_table(table).read_many(keys)}
    for row_key, row in zip(keys, rows, strict=True):
        if present.get(row_key) != row:
            yield row["urn"], f"a row of {table} is {'wrong' if row_key in present else 'missing'}"


def _find_wrong_documents(
    expected: dict[str, DerivedRows], documents: dict[str, Document]
) -> Iterator[tuple[str, str]]:
    for urn in sorted(expected.keys() | documents.keys()):
        required = expected[urn].document if urn in expected else None
        if documents.get(urn) == required:
            continue
        what = "is missing" if urn not in documents else "is superfluous" if required is None else "is wrong"
        yield urn, f"its full-text document {what}"


def remove_unclaimed_row(registry: Registry, table: str, key: Key, tx: TableContext) -> None:
    """Delete a row of names or values unless its entity still requires it."""
    urn = key[_KEYS[table].index("urn")]
    stored = sources_of_truth.find_stored_entity(tx, urn)
    expected = _derive_rows_if_readable(registry, stored)
    if expected is None:
        return
    if table == past_values.TABLE:
        if key not in _derive_past_value_rows(tx, registry, stored):
            tx.get_table(table).delete(key)
        return
    name = set() if expected.name is None else {tuple(expected.name[part] for part in _KEYS["entity_names"])}
    if key not in (expected.values if table == "metadata_values" else name):
        tx.get_table(table).delete(key)


def _compare_runs_with_derived_rows(tx: TableContext, after_key: Key) -> Step:
    """Compare runs with their edges and their rows in the table of runs by time."""
    rows = sources_of_truth.list_run_rows_after(tx, after_key)
    keys = [key for row in rows for key in sources_of_truth.derive_time_index_keys_of_run(row)]
    present = {tuple(row[name] for name in _TIME_KEY) for row in tx.get_table("run_times").read_many(keys)}
    differences = []
    for row in rows:
        repair = partial(rewrite_derived_rows_of_run, row["urn"])
        if tx.edges.list_links_of_run(row["urn"]) != sources_of_truth.derive_lineage_links_of_run(tx, row):
            differences.append(DerivedRowDifference(row["urn"], "its edges differ from its accesses", repair))
        if not present.issuperset(sources_of_truth.derive_time_index_keys_of_run(row)):
            differences.append(DerivedRowDifference(row["urn"], "a row of run_times is missing", repair))
    return differences, _get_key_of_last_row(rows, ("program", "run_id"))


def _find_superfluous_run_times(tx: TableContext, after_key: Key) -> Step:
    rows = list(tx.get_table("run_times").scan(sources_of_truth.build_range_after_key(after_key), AT_ONCE))
    keys = (tuple(row[name] for name in _TIME_KEY) for row in rows)
    differences = [
        DerivedRowDifference(
            str(key[2]), "a row of run_times is superfluous", partial(_remove_run_time_unless_required, key)
        )
        for key in keys
        if not _is_required_run_time(tx, key)
    ]
    return differences, _get_key_of_last_row(rows, _TIME_KEY)


def _is_required_run_time(tx: TableContext, key: Key) -> bool:
    run = sources_of_truth.find_run_row(tx, key[2])
    return run is not None and key in sources_of_truth.derive_time_index_keys_of_run(run)


def _remove_run_time_unless_required(key: Key, tx: TableContext) -> None:
    if not _is_required_run_time(tx, key):
        tx.get_table("run_times").delete(key)


def _find_edges_without_run(tx: TableContext, after: str) -> Step:
    """Find edges whose run does not exist."""
    urns = tx.edges.list_runs_after(after, AT_ONCE)
    differences = [
        DerivedRowDifference(urn, "it has edges, but the run does not exist", partial(rewrite_derived_rows_of_run, urn))
        for urn in urns
        if sources_of_truth.find_run_row(tx, urn) is None and not assertions.exists_version_of_mark(tx, urn)
    ]
    return differences, urns[-1] if len(urns) == AT_ONCE else None


def _find_stale_roll_ups(tx: TableContext, _next_place: None) -> Step:
    return [
        DerivedRowDifference(
            triple[0],
            "the roll-up of its edges is wrong",
            lambda tx, triple=triple: tx.edges.rebuild_roll_up(*triple),  # type: ignore[misc]
        )
        for triple in tx.edges.find_stale_roll_ups(_STALE_MAX)
    ], None


def _derive_rows_if_readable(registry: Registry, stored: StoredEntity | None) -> DerivedRows | None:
    """Derive an entity's rows: no rows without an entity; None if an aspect is unreadable, which `source_check`
    reports.
    """
    if stored is None:
        return sources_of_truth.NO_ROWS
    try:
        return sources_of_truth.derive_all_rows(registry, stored)
    except UnreadableAspect:
        return None


def _derive_past_value_rows(tx: TableContext, registry: Registry, stored: StoredEntity | None) -> dict[Key, Row]:
    """Return the rows of an entity's past values; no rows without an entity."""
    return {} if stored is None else past_values.derive_past_value_rows(tx, registry, stored.entity, stored.aspects)


def _derive_relationship_rows(registry: Registry, stored: StoredEntity | None) -> dict[Key, Row]:
    """Return the rows of the entities that an entity names; no rows without an entity."""
    return {} if stored is None else relationships.derive_relationship_rows(registry, stored.entity, stored.aspects)


def _find_superfluous_relationships(registry: Registry, tx: TableContext, after_key: Key) -> Step:
    """Find rows of relationships that no aspect contains."""
    rows = relationships.list_relationships_after(tx, after_key, _NAMED_AT_ONCE)
    differences = [
        DerivedRowDifference(
            row.urn,
            "a row of relationships is superfluous",
            partial(_remove_relationship_unless_required, registry, row),
        )
        for row in relationships.find_unrequired_relationships(tx, registry, rows)
    ]
    return differences, tuple(rows[-1]) if len(rows) == _NAMED_AT_ONCE else None


def _remove_relationship_unless_required(
    registry: Registry, row: relationships.RelationshipRow, tx: TableContext
) -> None:
    if relationships.find_unrequired_relationships(tx, registry, [row]):
        tx.get_table(relationships.TABLE).delete(tuple(row))


def _find_missing_ingestion_rows(tx: TableContext, rows: Iterable[Row]) -> Iterator[DerivedRowDifference]:
    """Find rows that the index of ingestion runs lacks for these aspects or timeseries values."""
    for key in ingestion_check.find_missing_ingestion_rows(tx, rows):
        yield DerivedRowDifference(
            str(key[1]), "a row of ingested is missing", partial(ingestion_check.rewrite_ingestion_row, key=key)
        )


def _compare_timeseries_with_ingestion_index(tx: TableContext, after_key: Key) -> Step:
    """Compare timeseries values with the index of the ingestion runs that wrote them."""
    rows = list(tx.get_table("timeseries").scan(sources_of_truth.build_range_after_key(after_key), AT_ONCE))
    return list(_find_missing_ingestion_rows(tx, rows)), _get_key_of_last_row(rows, timeseries.KEY)


def _find_superfluous_ingestion_rows(tx: TableContext, after_key: Key) -> Step:
    """Find rows of the index of ingestion runs that no aspect requires."""
    keys = ingestion_check.list_ingestion_keys_after(tx, after_key, AT_ONCE)
    differences = [
        DerivedRowDifference(
            str(key[1]), "a row of ingested is superfluous", partial(ingestion_check.rewrite_ingestion_row, key=key)
        )
        for key in ingestion_check.find_unrequired_ingestion_keys(tx, keys)
    ]
    return differences, keys[-1] if len(keys) == AT_ONCE else None


def _get_key_of_last_row(rows: Sequence[Row], key: Iterable[str]) -> Key | None:
    return tuple(rows[-1][name] for name in key) if len(rows) == AT_ONCE else None
