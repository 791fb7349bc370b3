"""Filter, count, sort and page instances."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.instances.instance_query import SORTS, InstanceQuery, ValueCount, ValueCounts
from jupyter_colophon.core.instances.instance_texts import PLACEHOLDER
from jupyter_colophon.core.model.search_index_terms import fold_text_for_comparison
from jupyter_colophon.core.read_budget import limit_items_to_page_bytes
from jupyter_colophon.service.instances.presentation import ListEntry

#: What a cursor is for.
_KIND: Final = "instances"
#: How many values a response contains.
VALUES_MAX = 500
#: The approximate size of the summary of an instance without its texts.
_SUMMARY_BYTES: Final = 500
_ORDERS: dict[str, Callable[[ListEntry], tuple[Any, ...]]] = {
    "display_name": lambda entry: (entry.order, entry.instance.name),
    "name": lambda entry: (entry.instance.name,),
    "schema_name": lambda entry: (entry.instance.schema_name, entry.order, entry.instance.name),
    "time": lambda entry: (entry.instance.time, entry.instance.name),
}


class FilteredInstances:
    """The instances that match a query, with counts."""

    def __init__(self, space: str, entries: Sequence[ListEntry], query: InstanceQuery) -> None:
        """Filter the entries. Raises InvalidQuery for an unknown order."""
        if query.sort not in SORTS:
            raise InvalidQuery(f"must be one of {', '.join(SORTS)}", "sort")
        self._space, self._query = space, query
        words = fold_text_for_comparison(query.text).split()
        fitting = [entry for entry in entries if _matches_words_and_validity(entry, words, query.valid)]
        of_schema = [entry for entry in fitting if query.schema in ("", entry.instance.schema_name)]
        expected = set(query.tags)
        tagged = [entry for entry in fitting if not expected or expected & set(entry.tags)]
        self.tags = _count_names(tag for entry in of_schema for tag in entry.tags)
        self.schemas = _count_names(entry.instance.schema_name for entry in tagged)
        self.matches = [entry for entry in of_schema if not expected or expected & set(entry.tags)]

    def get_sorted_page(self, cursors: CursorCodec) -> tuple[list[ListEntry], str | None]:
        """Return a page of sorted entries, and the next cursor. Raises InvalidQuery for a cursor of another list."""
        query = self._query
        key = _ORDERS[query.sort.removeprefix("-")]
        backwards = query.sort.startswith("-")
        request_key = [self._space, query.text, list(query.tags), query.schema, query.valid, query.sort]
        ordered = sorted(self.matches, key=key, reverse=backwards)
        start = 0
        if query.cursor:
            *same, place = cursors.decode_cursor(_KIND, query.cursor)
            if same != request_key:
                raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "cursor")
            last = tuple(place)
            start = sum(1 for entry in ordered if (key(entry) >= last if backwards else key(entry) <= last))
        page = list(limit_items_to_page_bytes(ordered[start : start + query.limit], _measure_entry_bytes))
        more = start + len(page) < len(ordered)
        return page, cursors.encode_cursor(_KIND, [*request_key, list(key(page[-1]))]) if more and page else None


def count_values_of_entries(entries: Iterable[ListEntry], schema: str, pointer: str) -> ValueCounts:
    """Return the values at a location of `metadata`, the most frequent first. Raises InvalidQuery.

    The location is a JSON Pointer into `metadata`, or into the instance (`/metadata/…`).
    """
    if not pointer.startswith("/"):
        raise InvalidQuery("must be a JSON Pointer, such as /metadata/language", "pointer")
    words = [word.replace("~1", "/").replace("~0", "~") for word in pointer[1:].split("/")]
    if words[0] == "metadata" and len(words) > 1:
        words = words[1:]
    counts: Counter[tuple[type, Any]] = Counter()
    for entry in entries:
        if schema in ("", entry.instance.schema_name):
            values = _collect_values_at_path(entry.instance.metadata, words)
            counts.update({(type(value), value) for value in values if isinstance(value, str | int | float | bool)})
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0][1])))
    best = [ValueCount(value, count) for (_, value), count in ordered[:VALUES_MAX]]
    page_counts = tuple(limit_items_to_page_bytes(best, lambda value_count: measure_json_bytes(value_count.value)))
    return ValueCounts(page_counts, len(page_counts) < len(ordered))


def _collect_values_at_path(value: Any, words: Sequence[str]) -> list[Any]:
    """Return the values at a path, including every element of lists along it and at its end."""
    if isinstance(value, list):
        return [
            leaf
            for element in value
            for leaf in _collect_values_at_path(element, words[1:] if words and words[0] in "-*" else words)
        ]
    if not words:
        return [] if isinstance(value, dict) else [value]
    if isinstance(value, dict) and PLACEHOLDER not in value and words[0] in value:
        return _collect_values_at_path(value[words[0]], words[1:])
    return []


def _measure_entry_bytes(entry: ListEntry) -> int:
    """Return the approximate size of the summary of an instance in a response."""
    metadata = entry.instance.metadata
    texts = [metadata.get(name) for name in ("tags", "description", "language")]
    return _SUMMARY_BYTES + measure_json_bytes([*texts, entry.instance.display_name, entry.instance.reason])


def _matches_words_and_validity(entry: ListEntry, words: Sequence[str], valid: bool | None) -> bool:
    if valid is not None and valid is bool(entry.instance.reason):
        return False
    return all(word in entry.text for word in words)


def _count_names(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items()))
