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
from jupyter_colophon.storage.migrations.numbered import numbered
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.secret import store_key
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
        seal(self.provider, store_key(self.provider), self.now)
        admin = self.provider.table_admin
        specs = [admin.schema(name) for name in admin.list() if name not in tables.DERIVED]

        def tick(table: str) -> None:
            self.progress(table, 0)

        return self.provider.tx_runner.run(
            lambda tx: backup.write(tx, path, specs, self.product, self.now(), tick), read_only=True
        )

    def restore(self, path: Path, header: backup.Header | None = None) -> int:
        """Restore a file into the empty store; return the number of rows. Raises BackupRejected before any change.

        `header` is the result of `check_backup` for this file, if it was already called.
        """
        header = header or checked(path, self.registry, self.progress)
        if not self.provider.tx_runner.run(_is_empty, read_only=True):
            raise BackupRejected("the store is not empty: restore into a new one")
        known = {spec.id for spec in tables.ALL}
        self.provider.table_admin.create_or_update(
            *(spec for spec in header.tables.values() if spec.id not in known and spec.id != backup.LOG.id)
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
        while found := self._write(partial(_derive_entities, self.registry, after)):
            after, done = found[-1], done + len(found)
            self.progress("search", done)
        position: Key = ()
        while runs := self._write(partial(_derive_runs, position)):
            position, done = (runs[-1]["program"], runs[-1]["run_id"]), done + len(runs)
            self.progress("lineage", done)

    def _write(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work)


def checked(path: Path, registry: Registry, progress: Progress) -> backup.Header:
    """Read a backup to its end and return its header. Raises BackupRejected, also if a newer version wrote it."""
    progress("checking the file", 0)
    header = backup.check(path)
    known, version = {spec.id: spec for spec in tables.ALL}, len(numbered(registry))
    unknown = any(
        spec.fields.keys() - known[name].fields.keys() for name, spec in header.tables.items() if name in known
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
    return tx.log.head() == 0 and tx.table("entities").count() == 0 and not restoring.is_begun(tx)


def _insert_rows(table: str, rows: Sequence[Row], tx: TableContext) -> None:
    if table == backup.LOG.id:
        tx.log.append(rows)
        return
    tx.table(table).upsert_all(rows)


def _derive_entities(registry: Registry, after: str, tx: TableContext) -> list[str]:
    """Create the derived rows of the next entities; return their URNs."""
    entities = sources_of_truth.entities_after(tx, after)
    index.update_search_rows(
        tx,
        (
            index.EntityChange(
                source.entity,
                {},
                sources_of_truth.described_aspects(registry, source),
                sources_of_truth.search_words(registry, source.entity, source.aspects),
            )
            for source in entities
        ),
    )
    tx.table("entity_names").upsert_all(
        [sources_of_truth.name_row(source.entity) for source in entities if not source.entity["deleted"]]
    )
    for source in entities:
        values = past_values.of_history(tx, registry, source.entity, source.aspects)
        tx.table(past_values.TABLE).upsert_all(list(values.values()))
        references = relationships.of_entity(registry, source.entity, source.aspects)
        tx.table(relationships.TABLE).upsert_all(list(references.values()))
        if source.aspects.keys() & set(declared_lineage.declaring_aspects(source.entity["type"])):
            assertions.repair(tx, source.entity["urn"])
    return [source.entity["urn"] for source in entities]


def _derive_runs(position: Key, tx: TableContext) -> list[Row]:
    runs = sources_of_truth.runs_after(tx, position)
    for run in runs:
        repair_run(run["urn"], tx)
    return runs
