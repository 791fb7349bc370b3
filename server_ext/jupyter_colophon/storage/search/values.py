"""Read values: `key:value` search, keys with counts, and completion."""

from collections.abc import Iterator
from itertools import islice

from jupyter_colophon.core.search.query_language import SearchPattern
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: The table of present values; `storage/search/past_values.py` has that of past values.
TABLE = "metadata_values"
_LAST = "\U0010ffff"


def iterate_entities_with_value(
    tx: TableContext, namespace: str, key: str, value: SearchPattern, limit: int
) -> Iterator[Row]:
    """Yield rows of one namespace with a key and a present value that matches."""
    return iterate_value_rows(tx, TABLE, namespace, SearchPattern(key, "exact"), value, limit)


def iterate_value_rows(
    tx: TableContext, table: str, namespace: str, key: SearchPattern, value: SearchPattern, limit: int
) -> Iterator[Row]:
    """Yield rows of present or past values in one namespace by key and value (folded); a value requires an exact key."""
    if key.kind != "exact":
        return tx.get_table(table).scan(_build_range_of_pattern(namespace, pattern=key), limit)
    return tx.get_table(table).scan(_build_range_of_pattern(namespace, key.text, pattern=value), limit)


def _build_range_of_pattern(*keys: str, pattern: SearchPattern) -> Range:
    """Return the range of rows with these keys and a matching next part."""
    if pattern.kind == "any":
        return Range.prefix(*keys)
    if pattern.kind == "exact":
        return Range.prefix(*keys, pattern.text)
    return Range((*keys, pattern.text), (*keys, pattern.text + _LAST))


def iterate_key_counts(tx: TableContext, namespace: str, prefix: str) -> Iterator[Row]:
    """Yield the keys of one namespace with their counts by kind of entity, with this prefix in any letter case."""
    within = Range((namespace, prefix), (namespace, prefix + _LAST)) if prefix else Range.prefix(namespace)
    return tx.get_table("key_counts").scan(within)


def iterate_value_counts(tx: TableContext, namespace: str, key: str, prefix: str, limit: int) -> Iterator[Row]:
    """Yield the values of a key in one namespace with their counts, with this (folded) prefix."""
    within = (
        Range((namespace, key, prefix), (namespace, key, prefix + _LAST)) if prefix else Range.prefix(namespace, key)
    )
    return islice(tx.get_table("value_counts").scan(within), limit)
