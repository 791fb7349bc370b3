"""How a store is doing: what its keeper wants to know at a glance."""

from dataclasses import dataclass

from jupyter_colophon.storage.changes import inbox, signed_chain
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class Condition:
    """`head` and `floor` are numbers of changes (chain.floor); `unsealed` is the time of the oldest change without a seal, in ms."""

    entities: int
    head: int
    floor: int
    unsealed: int | None
    inbox: int
    dead_letters: int


def condition(provider: StorageProvider) -> Condition:
    """The store's condition now. Raises StorageError."""
    return provider.tx_runner.run(_condition, read_only=True)


def _condition(tx: TableContext) -> Condition:
    return Condition(
        entities=tx.table("entities").count(),
        head=tx.log.head(),
        floor=signed_chain.floor(tx),
        unsealed=signed_chain.unsealed(tx),
        inbox=inbox.count_waiting(tx),
        dead_letters=tx.table("dead_letters").count(),
    )
