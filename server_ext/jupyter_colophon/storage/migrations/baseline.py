"""Determine the schema version of a store without one: a new store, or a catalog of version e8b857e.

Catalogs of e8b857e, before schema versions existed, have a row `migrations` in `settings`. Catalogs of other
unversioned releases are refused.
"""

import json
from collections.abc import Sequence
from functools import partial

from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import UnsupportedStore
from jupyter_colophon.storage.migrations.runner import NAME, MigrationProgress, StoreMigration, write_migration_progress
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.tables import SETTINGS

#: The name and the value of that row.
FORMER_NAME = "migrations"
_BASELINE = {"done": 7, "place": ""}


def record_missing_schema_version(provider: StorageProvider, migrations: Sequence[StoreMigration]) -> None:
    """Record the schema version of a store without one; its table of settings exists.

    Raises UnsupportedStore for a catalog of an unsupported version and changes nothing.
    """
    if not provider.tx_runner.run(_has_schema_version, read_only=True):
        provider.tx_runner.run(partial(_write_schema_version, len(migrations)))


def _has_schema_version(tx: TableContext) -> bool:
    return tx.get_table(SETTINGS.id).read((NAME,)) is not None


def _write_schema_version(latest: int, tx: TableContext) -> None:
    if _has_schema_version(tx):
        return  # another process was faster
    former = tx.get_table(SETTINGS.id).read((FORMER_NAME,))
    if former is not None and parse_stored_json(former["value"]) == _BASELINE:
        write_migration_progress(tx, MigrationProgress(0))
        # Programs of e8b857e would open the catalog as their own.
        tx.get_table(SETTINGS.id).upsert(former | {"value": json.dumps(_BASELINE | {"done": 1_000}).encode()})
    elif former is None and tx.log.get_newest_number() == 0:
        write_migration_progress(tx, MigrationProgress(latest))
    else:
        raise UnsupportedStore
