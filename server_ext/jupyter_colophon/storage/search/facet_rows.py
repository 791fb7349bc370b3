"""The facet values of documents as rows: the number of a document, a facet, and a value."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from jupyter_colophon.core.search.search import FacetValues

FacetRow = tuple[int, str, str]


def find_facet_row_changes(
    old: Mapping[int, FacetValues], new: Mapping[int, FacetValues]
) -> tuple[list[FacetRow], list[FacetRow]]:
    """Return the rows to delete and the rows to insert so that the new documents have their values, in order."""
    none: FacetValues = frozenset()
    removed, added = [], []
    for number, pairs in new.items():
        before = old.get(number, none)
        if pairs != before:
            removed += [(number, facet, value) for facet, value in sorted(before - pairs)]
            added += [(number, facet, value) for facet, value in sorted(pairs - before)]
    return removed, added


def collect_facet_values(rows: Iterable[FacetRow]) -> defaultdict[int, FacetValues]:
    """Return the values of each document; an empty set for one without rows."""
    values: defaultdict[int, set[tuple[str, str]]] = defaultdict(set)
    for number, facet, value in rows:
        values[number].add((facet, value))
    return defaultdict(frozenset, {number: frozenset(pairs) for number, pairs in values.items()})


def collect_facet_counts(counted: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """Return the counts of values by facet."""
    counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for facet, value, count in counted:
        counts[facet][value] = count
    return dict(counts)
