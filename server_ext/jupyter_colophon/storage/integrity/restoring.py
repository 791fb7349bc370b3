"""The mark that a store has during a restore: until the end of the restore, the catalog is incomplete."""

from jupyter_colophon.core.errors import IncompleteRestore
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.tables import SETTINGS

_NAME = "restoring"


def mark_restore_begun(tx: TableContext) -> None:
    """Mark the store at the beginning of a restore."""
    tx.get_table(SETTINGS.id).upsert({"name": _NAME, "value": b""})


def mark_restore_ended(tx: TableContext) -> None:
    """Remove the mark at the end of a restore."""
    tx.get_table(SETTINGS.id).delete((_NAME,))


def is_restore_unfinished(tx: TableContext) -> bool:
    """Return whether a restore began and did not end."""
    return tx.get_table(SETTINGS.id).read((_NAME,)) is not None


def require_complete_restore(provider: StorageProvider) -> None:
    """Raise IncompleteRestore for a store with an interrupted restore. The table of settings exists."""
    if provider.tx_runner.run(is_restore_unfinished, read_only=True):
        raise IncompleteRestore
