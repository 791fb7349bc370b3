"""Count matches by the values of facets (spec SEARCH-14)."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest

from jupyter_colophon.core.search.search import GROUPED, Group
from jupyter_colophon.storage.search.grouping import group_documents_by_namespace_and_type
from jupyter_colophon.storage.spi import Match, SearchIndex

_VALUES_MAX = 20


def count_most_frequent_facet_values(
    index: SearchIndex, facets: Sequence[str], matches: Sequence[Match], groups: Sequence[Group]
) -> dict[str, tuple[tuple[str, int], ...]]:
    """Return the most frequent values of each facet, of the groups, or of the matches where there are no groups."""
    if not facets:
        return {}
    groups = groups or group_documents_by_namespace_and_type(
        (match.number, match.namespace, match.type) for match in matches
    )
    counts: dict[str, Counter[str]] = {name: Counter() for name in facets}
    for name, value, count in (*_iterate_counts_of_groups(groups), *_iterate_facet_values_of_past(matches)):
        if name in counts:
            counts[name][value] += count
    numbers = [number for group in groups for number in group.numbers if number]
    to_count = [name for name in facets if name not in GROUPED]
    if numbers and to_count:
        for name, counted in index.count_facets(numbers, to_count).items():
            counts[name].update(counted)
    return {name: _list_most_frequent(counted) for name, counted in counts.items()}


def _iterate_counts_of_groups(groups: Sequence[Group]) -> Iterator[tuple[str, str, int]]:
    for group in groups:
        for name, value in zip(GROUPED, (group.namespace, group.type), strict=True):
            yield name, value, len(group.numbers)


def _iterate_facet_values_of_past(matches: Sequence[Match]) -> Iterator[tuple[str, str, int]]:
    """Yield the facet values of entities as they were at another time."""
    return ((name, value, 1) for match in matches for name, value in match.facet_values)


def _list_most_frequent(counted: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    present = [pair for pair in counted.items() if pair[1]]
    return tuple(nsmallest(_VALUES_MAX, present, key=lambda pair: (-pair[1], pair[0])))
