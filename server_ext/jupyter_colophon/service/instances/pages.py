"""Filter, count, sort and page instances."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.instances.instance_query import SORTS, InstanceQuery, ValueCount, ValueCounts
from jupyter_colophon.core.instances.instance_texts import PLACEHOLDER
from jupyter_colophon.core.model.search_index_terms import fold
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.service.instances.presentation import Entry

#: What a cursor is for.
_KIND: Final = "instances"
#: How many values are in an answer.
VALUES_MAX = 500
#: The approximate size of the summary of an instance without its texts.
_SUMMARY_BYTES: Final = 500
_ORDERS: dict[str, Callable[[Entry], tuple[Any, ...]]] = {
    "display_name": lambda one: (one.order, one.instance.name),
    "name": lambda one: (one.instance.name,),
    "schema_name": lambda one: (one.instance.schema_name, one.order, one.instance.name),
    "time": lambda one: (one.instance.time, one.instance.name),
}


class Sifted:
    """The instances that match a query, with counts."""

    def __init__(self, space: str, entries: Sequence[Entry], query: InstanceQuery) -> None:
        """Filter the entries. Raises InvalidQuery for an unknown order."""
        if query.sort not in SORTS:
            raise InvalidQuery(f"must be one of {', '.join(SORTS)}", "sort")
        self._space, self._query = space, query
        words = fold(query.text).split()
        fitting = [one for one in entries if _fits(one, words, query.valid)]
        of_schema = [one for one in fitting if query.schema in ("", one.instance.schema_name)]
        wanted = set(query.tags)
        tagged = [one for one in fitting if not wanted or wanted & set(one.tags)]
        self.tags = _counted(tag for one in of_schema for tag in one.tags)
        self.schemas = _counted(one.instance.schema_name for one in tagged)
        self.found = [one for one in of_schema if not wanted or wanted & set(one.tags)]

    def page(self, cursors: Cursors) -> tuple[list[Entry], str | None]:
        """Return a page of sorted entries, and the next cursor. Raises InvalidQuery for a cursor of another list."""
        query = self._query
        key = _ORDERS[query.sort.removeprefix("-")]
        backwards = query.sort.startswith("-")
        asked = [self._space, query.text, list(query.tags), query.schema, query.valid, query.sort]
        ordered = sorted(self.found, key=key, reverse=backwards)
        start = 0
        if query.cursor:
            *same, place = cursors.read(_KIND, query.cursor)
            if same != asked:
                raise InvalidQuery("is not a cursor of this list", "cursor")
            last = tuple(place)
            start = sum(1 for one in ordered if (key(one) >= last if backwards else key(one) <= last))
        page = list(take_page(ordered[start : start + query.limit], _measure))
        more = start + len(page) < len(ordered)
        return page, cursors.write(_KIND, [*asked, list(key(page[-1]))]) if more and page else None


def values_at(entries: Iterable[Entry], schema: str, pointer: str) -> ValueCounts:
    """Return the values at a location of `metadata`, the most frequent first. Raises InvalidQuery.

    The location is a JSON Pointer into `metadata`, or into the instance (`/metadata/…`).
    """
    if not pointer.startswith("/"):
        raise InvalidQuery("must be a JSON Pointer, such as /metadata/language", "pointer")
    words = [word.replace("~1", "/").replace("~0", "~") for word in pointer[1:].split("/")]
    if words[0] == "metadata" and len(words) > 1:
        words = words[1:]
    counts: Counter[tuple[type, Any]] = Counter()
    for one in entries:
        if schema in ("", one.instance.schema_name):
            said = _reached(one.instance.metadata, words)
            counts.update({(type(value), value) for value in said if isinstance(value, str | int | float | bool)})
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0][1])))
    best = [ValueCount(value, count) for (_, value), count in ordered[:VALUES_MAX]]
    shown = tuple(take_page(best, lambda one: measure(one.value)))
    return ValueCounts(shown, len(shown) < len(ordered))


def _reached(value: Any, words: Sequence[str]) -> list[Any]:
    """Return the values at a path, including every element of lists along it and at its end."""
    if isinstance(value, list):
        return [found for one in value for found in _reached(one, words[1:] if words and words[0] in "-*" else words)]
    if not words:
        return [] if isinstance(value, dict) else [value]
    if isinstance(value, dict) and PLACEHOLDER not in value and words[0] in value:
        return _reached(value[words[0]], words[1:])
    return []


def _measure(one: Entry) -> int:
    """Return the approximate size of the summary of an instance in a response."""
    metadata = one.instance.metadata
    shown = [metadata.get(name) for name in ("tags", "description", "language")]
    return _SUMMARY_BYTES + measure([*shown, one.instance.display_name, one.instance.reason])


def _fits(one: Entry, words: Sequence[str], valid: bool | None) -> bool:
    if valid is not None and valid is bool(one.instance.reason):
        return False
    return all(word in one.text for word in words)


def _counted(names: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(names).items()))
