"""The mark that stands in a store from a restore's beginning to its end: what has it is half a catalog."""

from jupyter_colophon.core.errors import IncompleteRestore
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.tables import SETTINGS

_NAME = "restoring"


def begin(tx: TableContext) -> None:
    """A restore begins."""
    tx.table(SETTINGS.id).upsert({"name": _NAME, "value": b""})


def end(tx: TableContext) -> None:
    """It ended, and the catalog is whole."""
    tx.table(SETTINGS.id).delete((_NAME,))


def is_begun(tx: TableContext) -> bool:
    """Whether a restore began and did not end."""
    return tx.table(SETTINGS.id).read((_NAME,)) is not None


def refuse_half_restored(provider: StorageProvider) -> None:
    """Raise IncompleteRestore for a store that a restore has not filled to its end. The table of settings is there."""
    if provider.tx_runner.run(is_begun, read_only=True):
        raise IncompleteRestore
