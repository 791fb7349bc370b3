"""Read values: `key:value` search, keys with counts, and completion."""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from jupyter_colophon.core.model.search_index_terms import fold_text_for_comparison
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


def filter_user_tags(tx: TableContext, namespaces: Sequence[str], tags: Collection[str]) -> set[str]:
    """Return those of these tags that an entity in one of the namespaces has as user metadata."""
    table, others = tx.get_table("key_counts"), set(tags)
    for namespace in namespaces:
        if not others:
            break
        ranges = [Range.prefix(namespace, fold_text_for_comparison(tag), tag, "tag", "USER") for tag in sorted(others)]
        others -= {row["key"] for row in table.scan_ranges(ranges)}
    return set(tags) - others


def count_values_of_key(tx: TableContext, namespaces: Sequence[str], key: str, limit: int) -> int:
    """Return the number of different values of a (folded) key in these namespaces; at most `limit` are counted."""
    found: set[str] = set()
    for namespace in namespaces:
        found.update(row["shown"] for row in iterate_value_counts(tx, namespace, key, "", limit))
        if len(found) >= limit:
            return limit
    return len(found)
