"""The periods of summaries: hours, days, weeks and four weeks, in UTC, counted since 1970; weeks begin on Thursday."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from jupyter_colophon.apps.reports.definition import DAY_MS, HOUR_MS

WEEK_MS: Final = 7 * DAY_MS
FOUR_WEEKS_MS: Final = 4 * WEEK_MS
#: The lengths of periods, the longest first, each with the length of the parts in which its runs are counted.
PART_MS: Final[Mapping[int, int]] = {
    FOUR_WEEKS_MS: WEEK_MS,
    WEEK_MS: DAY_MS,
    DAY_MS: HOUR_MS,
    HOUR_MS: HOUR_MS,
}


class Span(NamedTuple):
    """Whole periods of one length, from the first to the end of the last; or, with the length 0, a part of an hour."""

    length_ms: int
    start_ms: int
    end_ms: int


def choose_lengths(group_by: Sequence[str], bar_ms: int) -> list[int]:
    """Return the lengths of periods that distinguish groups, and bars of a timeline."""
    longest = HOUR_MS if "hour" in group_by else DAY_MS if "day" in group_by else FOUR_WEEKS_MS
    return [length for length, part in PART_MS.items() if length <= longest and part <= bar_ms]


def cover_interval(start_ms: int, end_ms: int, lengths: Sequence[int]) -> Iterator[Span]:
    """Yield the spans of an interval in their order: the longest periods, and shorter ones at its ends."""
    if not lengths:
        if start_ms < end_ms:
            yield Span(0, start_ms, end_ms)
        return
    length, *shorter = lengths
    first, last = -(-start_ms // length) * length, end_ms // length * length
    if first >= last:
        yield from cover_interval(start_ms, end_ms, shorter)
        return
    yield from cover_interval(start_ms, first, shorter)
    yield Span(length, first, last)
    yield from cover_interval(last, end_ms, shorter)
