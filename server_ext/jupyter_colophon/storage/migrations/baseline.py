"""Which schema version a store has that was not migrated yet: a new one, or one of version e8b857e.

The catalogs of e8b857e, from before there were schema versions, have a row `migrations` in `settings`. Catalogs of other
versions from before are refused.
"""

import json
from collections.abc import Sequence
from functools import partial

from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.errors import UnsupportedStore
from jupyter_colophon.storage.migrations.runner import NAME, Migration, Progress, write_progress
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.tables import SETTINGS

#: The row of e8b857e, and what it has there.
FORMER_NAME = "migrations"
_BASELINE = {"done": 7, "place": ""}


def record_version(provider: StorageProvider, migrations: Sequence[Migration]) -> None:
    """Record the schema version of a store without one; its table of settings exists.

    Raises UnsupportedStore for a catalog of an unsupported version, of which nothing is changed.
    """
    if not provider.tx_runner.run(_has_version, read_only=True):
        provider.tx_runner.run(partial(_record, len(migrations)))


def _has_version(tx: TableContext) -> bool:
    return tx.table(SETTINGS.id).read((NAME,)) is not None


def _record(latest: int, tx: TableContext) -> None:
    if _has_version(tx):
        return  # another process was faster
    former = tx.table(SETTINGS.id).read((FORMER_NAME,))
    if former is not None and stored(former["value"]) == _BASELINE:
        write_progress(tx, Progress(0))
        # Programs of e8b857e would take the catalog for their own.
        tx.table(SETTINGS.id).upsert(former | {"value": json.dumps(_BASELINE | {"done": 1_000}).encode()})
    elif former is None and tx.log.head() == 0:
        write_progress(tx, Progress(latest))
    else:
        raise UnsupportedStore
