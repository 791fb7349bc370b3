"""Report the status of a store, for maintenance commands."""

from dataclasses import dataclass

from jupyter_colophon.storage.changes import inbox, signed_chain
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class StoreStatus:
    """The status of a store. `head` and `floor` are the numbers of the newest and oldest change; `unsealed` is the time of the
    oldest change without a seal, in ms.
    """

    entities: int
    head: int
    floor: int
    unsealed: int | None
    inbox: int
    dead_letters: int


def read_store_status(provider: StorageProvider) -> StoreStatus:
    """Return the store's current status. Raises StorageError."""
    return provider.tx_runner.run(_read_status_in_transaction, read_only=True)


def _read_status_in_transaction(tx: TableContext) -> StoreStatus:
    return StoreStatus(
        entities=tx.get_table("entities").count(),
        head=tx.log.get_newest_number(),
        floor=signed_chain.get_last_removed_number(tx),
        unsealed=signed_chain.measure_unsealed_rows(tx).oldest,
        inbox=inbox.count_pending_rows(tx),
        dead_letters=tx.get_table("dead_letters").count(),
    )
