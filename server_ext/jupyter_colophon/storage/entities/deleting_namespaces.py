"""Namespaces that are being deleted: they are invisible while their content is deleted (spec WRITE-15).

Only such a namespace has a row in `deleting_namespaces`, so the table is nearly always empty.
"""

from collections.abc import Iterable

from jupyter_colophon.storage.spi import Range, TableContext


def list_namespaces_being_deleted(tx: TableContext) -> frozenset[str]:
    """Return the names of all namespaces that are being deleted."""
    return frozenset(row["namespace"] for row in tx.get_table("deleting_namespaces").scan(Range()))


def is_namespace_being_deleted(tx: TableContext, namespace: str) -> bool:
    """Return whether a namespace is being deleted."""
    return tx.get_table("deleting_namespaces").read((namespace,)) is not None


def filter_namespaces_not_being_deleted(tx: TableContext, namespaces: Iterable[str]) -> list[str]:
    """Return those of the namespaces that are not being deleted."""
    ends = list_namespaces_being_deleted(tx)
    return [name for name in namespaces if name not in ends]
