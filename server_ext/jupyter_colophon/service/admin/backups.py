"""Write backups while servers run, and restore them into an empty store of any provider (spec MODEL-22)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from jupyter_colophon.core.errors import BackupRejected
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.admin.integrity_check import Progress
from jupyter_colophon.service.changes.sealing import seal
from jupyter_colophon.storage import tables
from jupyter_colophon.storage.entities import sources_of_truth
from jupyter_colophon.storage.integrity import backup, restoring
from jupyter_colophon.storage.integrity.derived_check import repair_run
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.migrations.numbered import list_migrations
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.secret import read_store_key
from jupyter_colophon.storage.spi import Key, Row, StorageProvider, TableContext

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Backups:
    """Writes and restores backups of one store whose tables exist."""

    provider: StorageProvider
    registry: Registry
    now: Callable[[], int]
    product: str
    progress: Progress

    def write(self, path: Path) -> dict[str, int]:
        """Write a consistent snapshot of the store to a file with mode 0600, atomically; return the row count of each table.

        Raises StorageError, OSError.
        """
        seal(self.provider, read_store_key(self.provider), self.now)
        admin = self.provider.table_admin
        specs = [admin.get_spec(name) for name in admin.list() if name not in tables.DERIVED]

        def report_table(table: str) -> None:
            self.progress(table, 0)

        return self.provider.tx_runner.run(
            lambda tx: backup.write(tx, path, specs, self.product, self.now(), report_table), read_only=True
        )

    def restore(self, path: Path, header: backup.Header | None = None) -> int:
        """Restore a file into the empty store; return the number of rows. Raises BackupRejected before any change.

        `header` is the result of `check_backup` for this file, if it was already called.
        """
        header = header or check_backup(path, self.registry, self.progress)
        if not self.provider.tx_runner.run(_is_empty, read_only=True):
            raise BackupRejected("the store is not empty: restore into a new one")
        current_ids = {spec.id for spec in tables.ALL}
        self.provider.table_admin.create_or_update(
            *(spec for spec in header.tables.values() if spec.id not in current_ids and spec.id != backup.LOG.id)
        )
        self._write(restoring.begin)
        count = 0
        for table, rows in backup.read(path, header):
            self._write(partial(_insert_rows, table, rows))
            count += len(rows)
            self.progress(table, count)
        self._derive()
        self._write(restoring.end)
        return count

    def _derive(self) -> None:
        """Create all derived rows in a store that has none."""
        after, done = "", 0
        while urns := self._write(partial(_derive_entities, self.registry, after)):
            after, done = urns[-1], done + len(urns)
            self.progress("search", done)
        position: Key = ()
        while runs := self._write(partial(_derive_runs, position)):
            position, done = (runs[-1]["program"], runs[-1]["run_id"]), done + len(runs)
            self.progress("lineage", done)

    def _write(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work)


def check_backup(path: Path, registry: Registry, progress: Progress) -> backup.Header:
    """Read a backup to its end and return its header. Raises BackupRejected, also if a newer version wrote it."""
    progress("checking the file", 0)
    header = backup.check(path)
    current_tables, version = {spec.id: spec for spec in tables.ALL}, len(list_migrations(registry))
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


def _is_empty(tx: TableContext) -> bool:
    return tx.log.get_head() == 0 and tx.get_table("entities").count() == 0 and not restoring.is_begun(tx)


def _insert_rows(table: str, rows: Sequence[Row], tx: TableContext) -> None:
    if table == backup.LOG.id:
        tx.log.append(rows)
        return
    tx.get_table(table).upsert_many(rows)


def _derive_entities(registry: Registry, after: str, tx: TableContext) -> list[str]:
    """Create the derived rows of the next entities; return their URNs."""
    entities = sources_of_truth.list_entities_after(tx, after)
    index.update_search_rows(
        tx,
        (
            index.EntityChange(
                source.entity,
                {},
                sources_of_truth.select_described_aspects(registry, source),
                sources_of_truth.collect_search_words(registry, source.entity, source.aspects),
            )
            for source in entities
        ),
    )
    tx.get_table("entity_names").upsert_many(
        [sources_of_truth.build_name_row(source.entity) for source in entities if not source.entity["deleted"]]
    )
    for source in entities:
        values = past_values.derive_rows(tx, registry, source.entity, source.aspects)
        tx.get_table(past_values.TABLE).upsert_many(list(values.values()))
        references = relationships.derive_rows(registry, source.entity, source.aspects)
        tx.get_table(relationships.TABLE).upsert_many(list(references.values()))
        if source.aspects.keys() & set(declared_lineage.list_declaring_aspects(source.entity["type"])):
            assertions.repair(tx, source.entity["urn"])
    return [source.entity["urn"] for source in entities]


def _derive_runs(position: Key, tx: TableContext) -> list[Row]:
    runs = sources_of_truth.list_runs_after(tx, position)
    for run in runs:
        repair_run(run["urn"], tx)
    return runs
