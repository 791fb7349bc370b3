"""Write backups while servers run, and restore them into an empty store of any provider (spec MODEL-22)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from jupyter_colophon.core.errors import BackupRejected
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.service.admin.archive_replay import Replay, RestorePoint, measure_replay, replay_archive
from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.changes import archived_rows
from jupyter_colophon.storage.changes.archived_rows import ArchivePosition, delete_archive_state
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.integrity import backup, restoring
from jupyter_colophon.storage.integrity.derived_check import rewrite_derived_rows_of_run
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.migrations.numbered import list_store_migrations
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.secret import read_or_create_store_key
from jupyter_colophon.storage.spi import Key, Row, StorageProvider, TableContext

T = TypeVar("T")
#: Tables that are not in a backup.
_OMITTED = tables.DERIVED | {archived_rows.TABLE.id}


@dataclass(frozen=True, slots=True)
class BackupService:
    """Writes and restores backups of one store whose tables exist."""

    provider: StorageProvider
    registry: Registry
    now: Callable[[], int]
    product: str
    progress: Progress

    def write_backup_file(self, path: Path) -> dict[str, int]:
        """Write a consistent snapshot of the store to a file with mode 0600, atomically; return the row count of each table.

        Raises StorageError, OSError.
        """
        seal_unsealed_rows(self.provider, read_or_create_store_key(self.provider), self.now)
        admin = self.provider.table_admin
        specs = [admin.get_spec(name) for name in admin.list() if name not in _OMITTED]

        def report_table(table: str) -> None:
            self.progress(table, 0)

        return self.provider.tx_runner.run(
            lambda tx: backup.write_backup_file(tx, path, specs, self.product, self.now(), report_table), read_only=True
        )

    def restore_into_empty_store(self, path: Path, header: backup.BackupHeader | None = None) -> int:
        """Restore a file into the empty store; return the number of rows. Raises BackupRejected before any change.

        `header` is the result of `read_and_check_backup` for this file, if it was already called.
        """
        return self._restore(path, header or read_and_check_backup(path, self.registry, self.progress), _do_nothing)

    def restore_to_point(
        self, path: Path, header: backup.BackupHeader, folder: Path, point: RestorePoint
    ) -> tuple[int, Replay]:
        """Restore a file into the empty store, and apply archived writes up to a point; return the number of rows of the
        file, and what was applied. `check_archive` finds out before whether the archive is complete.

        Raises BackupRejected.
        """
        position = _require_archive_position(path, header, point)
        replays: list[Replay] = []

        def replay() -> None:
            replays.append(
                replay_archive(
                    self.provider, folder, position, point, lambda writes: self.progress("archived writes", writes)
                )
            )

        rows = self._restore(path, header, replay)
        return rows, replays[0]

    def _restore(self, path: Path, header: backup.BackupHeader, replay: Callable[[], None]) -> int:
        if not self.provider.tx_runner.run(_is_store_empty, read_only=True):
            raise BackupRejected("the store is not empty: restore into another file or schema")
        current_ids = {spec.id for spec in tables.ALL}
        self.provider.table_admin.create_or_update(
            *(spec for spec in header.tables.values() if spec.id not in current_ids and spec.id != backup.LOG.id)
        )
        self._run_write_transaction(restoring.mark_restore_begun)
        count = 0
        for table, rows in backup.iterate_backup_rows(path, header):
            self._run_write_transaction(partial(_insert_backup_rows, table, rows))
            count += len(rows)
            self.progress(table, count)
        replay()
        # The store archives nothing until a server starts to.
        self._run_write_transaction(delete_archive_state)
        self._create_all_derived_rows()
        self._run_write_transaction(restoring.mark_restore_ended)
        return count

    def _create_all_derived_rows(self) -> None:
        """Create all derived rows in a store that has none."""
        after, done = "", 0
        while urns := self._run_write_transaction(partial(_create_derived_rows_of_entities, self.registry, after)):
            after, done = urns[-1], done + len(urns)
            self.progress("search", done)
        position: Key = ()
        while runs := self._run_write_transaction(partial(_create_derived_rows_of_runs, position)):
            position, done = (runs[-1]["program"], runs[-1]["run_id"]), done + len(runs)
            self.progress("lineage", done)

    def _run_write_transaction(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work)


def read_and_check_backup(path: Path, registry: Registry, progress: Progress) -> backup.BackupHeader:
    """Read a backup to its end and return its header. Raises BackupRejected, also if a newer version wrote it."""
    progress("checking the file", 0)
    header = backup.check_whole_backup(path)
    current_tables, version = {spec.id: spec for spec in tables.ALL}, len(list_store_migrations(registry))
    unknown = any(
        spec.fields.keys() - current_tables[name].fields.keys()
        for name, spec in header.tables.items()
        if name in current_tables
    )
    if header.schema is None or header.schema < version:
        raise BackupRejected(
            f"{path}: written by an earlier version of jupyter-colophon ({header.product}): restore it with that version, "
            "open the store with this version, and write a new backup"
        )
    if unknown or header.schema > version:
        raise BackupRejected(
            f"{path}: written by a newer version of jupyter-colophon ({header.product}): use that version"
        )
    return header


def check_archive(path: Path, header: backup.BackupHeader, folder: Path, point: RestorePoint) -> Replay:
    """Read the archived writes between a backup and a point, and return their extent. Raises BackupRejected."""
    return measure_replay(folder, _require_archive_position(path, header, point), point)


def _require_archive_position(path: Path, header: backup.BackupHeader, point: RestorePoint) -> ArchivePosition:
    """Return the position of a backup in the archive. Raises BackupRejected if there is none, or the point is before it."""
    if header.archive is None:
        raise BackupRejected(
            f"{path}: changes were not archived when this backup was written (c.Colophon.archive_folder):"
            " only the time of the backup can be restored"
        )
    if point.until_ms is not None and point.until_ms < header.time:
        raise BackupRejected(
            f"{path}: this backup was written at {format_ms_as_iso_time(header.time)}, which is later: use an earlier one"
        )
    if point.until_change is not None and point.until_change < header.newest_change:
        raise BackupRejected(
            f"{path}: this backup contains changes up to {header.newest_change}, which are later: use an earlier one"
        )
    return header.archive


def _do_nothing() -> None:
    pass


def _is_store_empty(tx: TableContext) -> bool:
    return (
        tx.log.get_newest_number() == 0
        and tx.get_table("entities").count() == 0
        and not restoring.is_restore_unfinished(tx)
    )


def _insert_backup_rows(table: str, rows: Sequence[Row], tx: TableContext) -> None:
    if table == backup.LOG.id:
        tx.log.append_changes(rows)
        return
    tx.get_table(table).upsert_many(rows)


def _create_derived_rows_of_entities(registry: Registry, after: str, tx: TableContext) -> list[str]:
    """Create the derived rows of the next entities; return their URNs."""
    entities = sources_of_truth.list_stored_entities_after(tx, after)
    index.update_search_rows_and_counters(
        tx,
        (
            index.EntityChange(
                source.entity,
                {},
                sources_of_truth.select_searchable_aspects_of_entity(registry, source),
                sources_of_truth.collect_marked_search_words(registry, source.entity, source.aspects),
            )
            for source in entities
        ),
    )
    tx.get_table("entity_names").upsert_many(
        [sources_of_truth.build_name_row(source.entity) for source in entities if not source.entity["deleted"]]
    )
    for source in entities:
        values = past_values.derive_past_value_rows(tx, registry, source.entity, source.aspects)
        tx.get_table(past_values.TABLE).upsert_many(list(values.values()))
        references = relationships.derive_relationship_rows(registry, source.entity, source.aspects)
        tx.get_table(relationships.TABLE).upsert_many(list(references.values()))
        if source.aspects.keys() & set(declared_lineage.list_declaring_aspects(source.entity["type"])):
            assertions.rewrite_declared_lineage(tx, source.entity["urn"])
    return [source.entity["urn"] for source in entities]


def _create_derived_rows_of_runs(position: Key, tx: TableContext) -> list[Row]:
    runs = sources_of_truth.list_run_rows_after(tx, position)
    for run in runs:
        rewrite_derived_rows_of_run(run["urn"], tx)
    return runs
