"""Index times of entities as words: each time has a word for its year, month, day and hour, and a range is a set of
these.

So `creation-time:2026-11-20..now-1d` is counted and filtered like any other words; only hours that a range partly
covers are compared with the times themselves (docs/api.md, "Search").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.time_format import TIME_MS_MAX, parse_time_to_ms

CREATED_KEY: Final = "creation-time"
UPDATED_KEY: Final = "last-update-time"
TIME_KEYS: Final = (CREATED_KEY, UPDATED_KEY)
#: The most ranges in one query: each may need nearly 200 words.
RANGES_MAX: Final = 8

_HOUR_MS: Final = 3_600_000
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: Clocks may be wrong: open ranges end two years from now.
_AHEAD: Final = timedelta(days=731)
_YEAR = re.compile(r"[0-9]{4}")
_MONTH = re.compile(r"([0-9]{4})-([0-9]{2})")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_COMPARED = re.compile(r"(>=|<=|>|<)\s*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TimeInterval:
    """From `start` (inclusive) to `end` (exclusive), in ms since 1970."""

    start: int
    end: int

    def contains(self, ms: int) -> bool:
        """Return whether the interval contains a time."""
        return self.start <= ms < self.end


@dataclass(frozen=True, slots=True)
class IntervalWords:
    """The words of an interval: periods that are completely inside it, and hours that are partly inside."""

    full_periods: tuple[str, ...]
    partial_hours: tuple[str, ...]


def list_time_words(key: str, ms: int) -> tuple[str, ...]:
    """Return the words under which a time is found, each with its key as a prefix."""
    return _build_hour_words(key, min(ms, TIME_MS_MAX) // _HOUR_MS)


# Entities that are written together have the same hours.
@lru_cache(maxsize=256)
def _build_hour_words(key: str, hour: int) -> tuple[str, ...]:
    time = _to_datetime(hour * _HOUR_MS)
    return tuple(f"{key}:{_format_unit(time, form)}" for form in ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dt%H"))


def parse_time_interval(text: str, now_ms: int) -> TimeInterval | None:
    """Parse the value of a time key; return None for a text that is neither a time nor a range.

    A range is `>=T`, `>T`, `<=T`, `<T` or `A..B` (both inclusive, one may be omitted). T is a time, a year, a month or
    a day, the latter as a whole. Raises InvalidQuery for an invalid range, a range without either end, or one that ends
    before it begins.
    """
    if (compared := _COMPARED.fullmatch(text)) is not None:
        sign, period = compared[1], _parse_time_or_period(compared[2], now_ms)
        if sign.startswith(">"):
            return TimeInterval(period.start if sign == ">=" else period.end, _get_latest_allowed_ms(now_ms))
        return TimeInterval(0, min(period.end if sign == "<=" else period.start, _get_latest_allowed_ms(now_ms)))
    begin, dots, end = text.partition("..")
    if dots:
        return _parse_time_range(begin.strip(), end.strip(), now_ms)
    try:
        return _parse_time_or_period(text, now_ms)
    except InvalidQuery:
        return None


def cover_interval_by_words(key: str, interval: TimeInterval) -> IntervalWords:
    """Return the fewest words for an interval."""
    first, last = -(-interval.start // _HOUR_MS), interval.end // _HOUR_MS
    edges: dict[int, None] = {}
    if interval.start < interval.end:
        if interval.start % _HOUR_MS:
            edges[interval.start // _HOUR_MS] = None
        if interval.end % _HOUR_MS:
            edges[last] = None
    inner = (
        _list_largest_units_between(_to_datetime(first * _HOUR_MS), _to_datetime(last * _HOUR_MS))
        if first < last
        else ()
    )
    hours = (_format_unit(_to_datetime(hour * _HOUR_MS), "%Y-%m-%dt%H") for hour in edges)
    return IntervalWords(tuple(f"{key}:{word}" for word in inner), tuple(f"{key}:{word}" for word in hours))


def _parse_time_range(begin: str, end: str, now_ms: int) -> TimeInterval:
    if not begin and not end:
        raise InvalidQuery("a time range needs a start or an end: 2026..2027, 2026.. or ..2027", "query")
    start = _parse_time_or_period(begin, now_ms).start if begin else 0
    stop = _parse_time_or_period(end, now_ms).end if end else TIME_MS_MAX
    if stop <= start:
        raise InvalidQuery(f"the time range {begin}..{end} ends before it begins", "query")
    return TimeInterval(start, min(stop, _get_latest_allowed_ms(now_ms)))


def _list_largest_units_between(time: datetime, end: datetime) -> Iterator[str]:
    while time < end:
        for form, after in _list_units_starting_at(time):
            if after <= end:
                yield _format_unit(time, form)
                time = after
                break


def _list_units_starting_at(time: datetime) -> Iterator[tuple[str, datetime]]:
    """Yield the units that begin at a time, the longest first, each with its end."""
    if time.hour == 0 and time.day == 1:
        if time.month == 1:
            yield "%Y", time.replace(year=time.year + 1)
        yield "%Y-%m", _add_one_month(time)
    if time.hour == 0:
        yield "%Y-%m-%d", time + timedelta(days=1)
    yield "%Y-%m-%dt%H", time + timedelta(hours=1)


def _add_one_month(time: datetime) -> datetime:
    return time.replace(year=time.year + time.month // 12, month=time.month % 12 + 1)


def _parse_time_or_period(text: str, now_ms: int) -> TimeInterval:
    """Return the time or the period that a text means. Raises InvalidQuery."""
    text = text.strip()
    try:
        if _YEAR.fullmatch(text):
            start = datetime(int(text), 1, 1, tzinfo=UTC)
            return _create_interval_of_datetimes(start, start.replace(year=start.year + 1))
        if (month := _MONTH.fullmatch(text)) is not None:
            start = datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC)
            return _create_interval_of_datetimes(start, _add_one_month(start))
    except (ValueError, OverflowError):
        raise InvalidQuery("a year or month of a time does not exist", "query") from None
    begin = parse_time_to_ms(text, now_ms, "query")
    return TimeInterval(begin, begin + (24 * _HOUR_MS if _DAY.fullmatch(text) else 1))


def _create_interval_of_datetimes(start: datetime, end: datetime) -> TimeInterval:
    begin = (start - _EPOCH) // timedelta(milliseconds=1)
    if begin < 0:
        raise InvalidQuery("a time must be between 1970 and the year 9999", "query")
    return TimeInterval(begin, (end - _EPOCH) // timedelta(milliseconds=1))


def _get_latest_allowed_ms(now_ms: int) -> int:
    return min(TIME_MS_MAX, now_ms + _AHEAD // timedelta(milliseconds=1))


def _to_datetime(ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=min(ms, TIME_MS_MAX))


def _format_unit(time: datetime, form: str) -> str:
    # `%Y` is not padded on every system.
    return time.strftime(form.replace("%Y", f"{time.year:04}"))
