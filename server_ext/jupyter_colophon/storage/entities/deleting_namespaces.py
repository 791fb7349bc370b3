"""Namespaces that are being deleted: they are gone for everybody, while what they held is taken away (spec WRITE-15).

Only such a namespace has a row in `deleting_namespaces`, so the table is nearly always empty.
"""

from collections.abc import Iterable

from jupyter_colophon.storage.spi import Range, TableContext


def ending(tx: TableContext) -> frozenset[str]:
    """The names of all namespaces that are being deleted."""
    return frozenset(row["namespace"] for row in tx.table("deleting_namespaces").scan(Range()))


def is_ending(tx: TableContext, namespace: str) -> bool:
    """Whether a namespace is being deleted."""
    return tx.table("deleting_namespaces").read((namespace,)) is not None


def lasting(tx: TableContext, namespaces: Iterable[str]) -> list[str]:
    """Those of the namespaces that are not being deleted."""
    ends = ending(tx)
    return [name for name in namespaces if name not in ends]
