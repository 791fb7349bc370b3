"""Migrate the data of a store to the schema of this program, slice by slice.

The schema version of a store is a row in `settings`, written in the transaction of each slice. A process that is killed
stops between two slices, and processes that start together apply every slice once.
"""

import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import StoreTooNew, TransactionTimeout
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.storage.tables import SETTINGS

#: The name of the row in `settings`.
NAME = "schema"
#: The longest pause after a slice, in seconds. Another process that waits for SQLite's lock asks for it every 0.1 s, and would
#: wait for the whole migration otherwise.
_PAUSE_S = 0.15
#: How often a slice is tried that takes too long. What it read stays in the cache of the file system, so each attempt takes
#: less time: the first ones of a large store may read thousands of pages from a slow disk.
_ATTEMPTS = 10
_logger = logging.getLogger("jupyter_colophon.storage")


class TableRename(NamedTuple):
    """A table's old and new name, and the old and new names of those of its fields that change."""

    old: str
    new: str
    fields: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class StoreMigration:
    """A change from one schema version to the next; its position in the list is the version that it starts from,
    forever.

    `step` changes one slice of data in one short transaction: it gets the place, first "", and returns the next one,
    None at the end. `renames` are applied before, and again by each process that opens the store meanwhile.
    """

    title: str
    step: Callable[[TableContext, str], str | None]
    renames: Sequence[TableRename] = ()
    #: Tables that are dropped afterwards.
    drops: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class MigrationProgress:
    """The schema version of a store, and the place that the migration to the next version has reached."""

    version: int = 0
    place: str = ""


def require_store_not_newer(provider: StorageProvider, migrations: Sequence[StoreMigration]) -> None:
    """Raise StoreTooNew for a store of a later schema version; nothing is changed."""
    if provider.table_admin.exists(SETTINGS.id):
        _require_supported_version(provider.tx_runner.run(read_migration_progress, read_only=True), migrations)


def rename_tables_and_fields(provider: StorageProvider, migrations: Sequence[StoreMigration]) -> None:
    """Rename tables and fields of a store for the remaining migrations."""
    now = provider.tx_runner.run(read_migration_progress, read_only=True)
    for migration in migrations[now.version :]:
        for rename in migration.renames:
            provider.table_admin.rename(rename.old, rename.new, rename.fields)


def apply_remaining_migrations(provider: StorageProvider, migrations: Sequence[StoreMigration]) -> None:
    """Apply the remaining migrations, with a pause after each slice in which other processes write.

    The tables exist already. A slice that takes too long is repeated. Raises StoreTooNew, StorageError.
    """
    title = ""
    while (now := provider.tx_runner.run(read_migration_progress, read_only=True)).version < len(migrations):
        migration = migrations[now.version]
        if migration.title != title:
            title = migration.title
            _logger.info("upgrading the catalog to schema version %d: %s", now.version + 1, title)
        began = time.monotonic()
        _run_next_slice(provider, migrations)
        time.sleep(min(_PAUSE_S, time.monotonic() - began))
        if provider.tx_runner.run(read_migration_progress, read_only=True).version > now.version:
            for table in migration.drops:
                provider.table_admin.drop(table)
    _require_supported_version(now, migrations)


def read_migration_progress(tx: TableContext) -> MigrationProgress:
    """Return the schema version of a store and how far the next migration has come."""
    row = tx.get_table(SETTINGS.id).read((NAME,))
    return parse_migration_progress(row) if row else MigrationProgress()


def parse_migration_progress(row: Row) -> MigrationProgress:
    """Parse the row in `settings`."""
    return MigrationProgress(**parse_stored_json(row["value"]))


def write_migration_progress(tx: TableContext, now: MigrationProgress) -> None:
    """Write the row in `settings`."""
    value = json.dumps({"version": now.version, "place": now.place}).encode()
    tx.get_table(SETTINGS.id).upsert({"name": NAME, "value": value})


def _run_next_slice(provider: StorageProvider, migrations: Sequence[StoreMigration]) -> None:
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            provider.tx_runner.run(lambda tx: _run_next_slice_and_record_progress(tx, migrations))
        except TransactionTimeout:
            if attempt == _ATTEMPTS:
                raise
            _logger.info("a part of the upgrade took too long, and is repeated")
        else:
            return


def _run_next_slice_and_record_progress(tx: TableContext, migrations: Sequence[StoreMigration]) -> None:
    now = read_migration_progress(tx)
    if now.version >= len(migrations):
        return  # another process was faster
    place = migrations[now.version].step(tx, now.place)
    write_migration_progress(
        tx, MigrationProgress(now.version + 1) if place is None else MigrationProgress(now.version, place)
    )


def _require_supported_version(now: MigrationProgress, migrations: Sequence[StoreMigration]) -> None:
    if now.version > len(migrations):
        raise StoreTooNew(now.version, len(migrations))
