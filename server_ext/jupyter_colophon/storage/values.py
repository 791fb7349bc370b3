"""Reading what entities say: `key:value` search, the keys there are, and completion (catalog.md 3.6, 4.4)."""

from collections.abc import Iterator
from itertools import islice

from jupyter_colophon.storage.spi import Range, Row, TableContext

_LAST = "\U0010ffff"


def entities_with(
    tx: TableContext, namespace: str, key: str, value: str | None, *, prefix: bool, limit: int
) -> Iterator[Row]:
    """Rows of one namespace whose key says `value` (folded): exactly, as a prefix, or (None) anything."""
    table = tx.table("metadata_values")
    if value is None:
        within = Range.prefix(namespace, key)
    elif prefix:
        within = Range((namespace, key, value), (namespace, key, value + _LAST))
    else:
        within = Range.prefix(namespace, key, value)
    return table.scan(within, limit)


def keys(tx: TableContext, namespace: str, prefix: str) -> Iterator[Row]:
    """Keys of one namespace with their counts by kind of entity, those that begin with `prefix` in any case."""
    within = Range((namespace, prefix), (namespace, prefix + _LAST)) if prefix else Range.prefix(namespace)
    return tx.table("key_carriers").scan(within)


def values_of(tx: TableContext, namespace: str, key: str, prefix: str, limit: int) -> Iterator[Row]:
    """Values of a key in one namespace with their counts, those that begin with `prefix` (folded)."""
    within = (
        Range((namespace, key, prefix), (namespace, key, prefix + _LAST)) if prefix else Range.prefix(namespace, key)
    )
    return islice(tx.table("value_counts").scan(within), limit)
