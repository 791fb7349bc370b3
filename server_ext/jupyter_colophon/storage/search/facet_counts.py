"""The counts of facet values as rows: a facet, a value, and a number."""

from collections import defaultdict
from collections.abc import Iterable


def collect_facet_counts(counted: Iterable[tuple[str, str, int]]) -> dict[str, dict[str, int]]:
    """Return the counts of values by facet."""
    counts: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for facet, value, count in counted:
        counts[facet][value] = count
    return dict(counts)
