"""Reading what entities say: `key:value` search, the keys there are, and completion."""

from collections.abc import Iterator
from itertools import islice

from jupyter_colophon.core.search.query_language import Pattern
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: The table of present values; `storage/search/past_values.py` has that of past values.
TABLE = "metadata_values"
_LAST = "\U0010ffff"


def entities_with(tx: TableContext, namespace: str, key: str, value: Pattern, limit: int) -> Iterator[Row]:
    """Rows of one namespace whose key says such a value now."""
    return find_values(tx, TABLE, namespace, Pattern(key, "exact"), value, limit)


def find_values(
    tx: TableContext, table: str, namespace: str, key: Pattern, value: Pattern, limit: int
) -> Iterator[Row]:
    """Yield rows of present or past values in one namespace by key and value (folded); a value requires an exact key."""
    if key.kind != "exact":
        return tx.table(table).scan(_within(namespace, pattern=key), limit)
    return tx.table(table).scan(_within(namespace, key.text, pattern=value), limit)


def _within(*keys: str, pattern: Pattern) -> Range:
    """What comes behind these keys and fits there."""
    if pattern.kind == "any":
        return Range.prefix(*keys)
    if pattern.kind == "exact":
        return Range.prefix(*keys, pattern.text)
    return Range((*keys, pattern.text), (*keys, pattern.text + _LAST))


def keys(tx: TableContext, namespace: str, prefix: str) -> Iterator[Row]:
    """Keys of one namespace with their counts by kind of entity, those that begin with `prefix` in any case."""
    within = Range((namespace, prefix), (namespace, prefix + _LAST)) if prefix else Range.prefix(namespace)
    return tx.table("key_counts").scan(within)


def values_of(tx: TableContext, namespace: str, key: str, prefix: str, limit: int) -> Iterator[Row]:
    """Values of a key in one namespace with their counts, those that begin with `prefix` (folded)."""
    within = (
        Range((namespace, key, prefix), (namespace, key, prefix + _LAST)) if prefix else Range.prefix(namespace, key)
    )
    return islice(tx.table("value_counts").scan(within), limit)
