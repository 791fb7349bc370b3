"""Count matches by the values of facets (spec SEARCH-14)."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest

from jupyter_colophon.core.search.search import GROUPED, CountedMatches
from jupyter_colophon.storage.spi import Match, SearchIndex

_VALUES_MAX = 20


def count_most_frequent_facet_values(
    index: SearchIndex, facets: Sequence[str], matches: CountedMatches, past: Iterable[Match]
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return the most frequent values of each facet; `past` are those of the matches that have their own values."""
    if not facets:
        return {}
    counts: dict[str, Counter[str]] = {name: Counter() for name in facets}
    for name, value, count in (*_iterate_counts_of_groups(matches), *_iterate_facet_values_of_past(past)):
        if name in counts:
            counts[name][value] += count
    numbers = [number for number in matches.numbers if number] if 0 in matches.numbers else matches.numbers
    to_count = [name for name in facets if name not in GROUPED]
    if numbers and to_count:
        for name, counted in index.count_facets(numbers, to_count).items():
            counts[name].update(counted)
    return {name: _list_most_frequent(counted) for name, counted in counts.items()}


def _iterate_counts_of_groups(matches: CountedMatches) -> Iterator[tuple[str, str, int]]:
    groups = matches.groups.list_distinct()
    for position, count in Counter(matches.groups.positions).items():
        for name, value in zip(GROUPED, groups[position], strict=True):
            yield name, value, count


def _iterate_facet_values_of_past(matches: Iterable[Match]) -> Iterator[tuple[str, str, int]]:
    """Yield the facet values of entities as they were at another time."""
    return ((name, value, 1) for match in matches for name, value in match.facet_values)


def _list_most_frequent(counted: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    present = [pair for pair in counted.items() if pair[1]]
    return tuple(nsmallest(_VALUES_MAX, present, key=lambda pair: (-pair[1], pair[0])))
