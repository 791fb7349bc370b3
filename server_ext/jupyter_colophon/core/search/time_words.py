"""Times of entities as words of search: each time is a year, a month, a day and an hour, and a range is some of these.

So `creation-time:2026-11-20..now-1d` is counted and filtered like any other words; only hours that a range covers in
part are compared with the times themselves (docs/api.md, "Search").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.time_format import TIME_MS_MAX, parse_time

CREATED_KEY: Final = "creation-time"
UPDATED_KEY: Final = "last-update-time"
TIME_KEYS: Final = (CREATED_KEY, UPDATED_KEY)
#: How many ranges one query can have: each may be nearly 200 words.
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
class Interval:
    """From `start` on and before `end`, in ms since 1970."""

    start: int
    end: int

    def holds(self, ms: int) -> bool:
        """Return whether a time lies in it."""
        return self.start <= ms < self.end


@dataclass(frozen=True, slots=True)
class Cover:
    """The words of an interval: those that lie wholly in it, and the hours that only do in part."""

    inner: tuple[str, ...]
    edges: tuple[str, ...]


def time_words(key: str, ms: int) -> Iterator[str]:
    """Yield the words under which a time is found, behind its key."""
    time = _moment(ms)
    for form in ("%Y", "%Y-%m", "%Y-%m-%d", "%Y-%m-%dt%H"):
        yield f"{key}:{_word(time, form)}"


def parse_interval(text: str, now_ms: int) -> Interval | None:
    """Return the interval that a value of a time key means; None for a text that is neither a time nor a range.

    A range is `>=T`, `>T`, `<=T`, `<T` or `A..B` (both included, one may be left out). T is a time of the usual grammar,
    a year, a month or a day, each as a whole. Raises InvalidQuery for a range with anything else, without either end, or
    that ends before it begins.
    """
    if (compared := _COMPARED.fullmatch(text)) is not None:
        sign, period = compared[1], _period(compared[2], now_ms)
        if sign.startswith(">"):
            return Interval(period.start if sign == ">=" else period.end, _latest(now_ms))
        return Interval(0, min(period.end if sign == "<=" else period.start, _latest(now_ms)))
    begin, dots, end = text.partition("..")
    if dots:
        return _range(begin.strip(), end.strip(), now_ms)
    try:
        return _period(text, now_ms)
    except InvalidQuery:
        return None


def cover(key: str, interval: Interval) -> Cover:
    """Return the fewest words for an interval."""
    first, last = -(-interval.start // _HOUR_MS), interval.end // _HOUR_MS
    edges: dict[int, None] = {}
    if interval.start < interval.end:
        if interval.start % _HOUR_MS:
            edges[interval.start // _HOUR_MS] = None
        if interval.end % _HOUR_MS:
            edges[last] = None
    inner = _units(_moment(first * _HOUR_MS), _moment(last * _HOUR_MS)) if first < last else ()
    hours = (_word(_moment(hour * _HOUR_MS), "%Y-%m-%dt%H") for hour in edges)
    return Cover(tuple(f"{key}:{one}" for one in inner), tuple(f"{key}:{one}" for one in hours))


def _range(begin: str, end: str, now_ms: int) -> Interval:
    if not begin and not end:
        raise InvalidQuery(
            "a range of times has neither a begin nor an end: it is 2026..2027, 2026.. or ..2027", "query"
        )
    start = _period(begin, now_ms).start if begin else 0
    stop = _period(end, now_ms).end if end else TIME_MS_MAX
    if stop <= start:
        raise InvalidQuery(f"the range of times {begin}..{end} ends before it begins", "query")
    return Interval(start, min(stop, _latest(now_ms)))


def _units(time: datetime, end: datetime) -> Iterator[str]:
    while time < end:
        for form, after in _after(time):
            if after <= end:
                yield _word(time, form)
                time = after
                break


def _after(time: datetime) -> Iterator[tuple[str, datetime]]:
    """The units that begin at a time, the longest first, each with its end."""
    if time.hour == 0 and time.day == 1:
        if time.month == 1:
            yield "%Y", time.replace(year=time.year + 1)
        yield "%Y-%m", _next_month(time)
    if time.hour == 0:
        yield "%Y-%m-%d", time + timedelta(days=1)
    yield "%Y-%m-%dt%H", time + timedelta(hours=1)


def _next_month(time: datetime) -> datetime:
    return time.replace(year=time.year + time.month // 12, month=time.month % 12 + 1)


def _period(text: str, now_ms: int) -> Interval:
    """The time or the span that a text means. Raises InvalidQuery."""
    text = text.strip()
    try:
        if _YEAR.fullmatch(text):
            start = datetime(int(text), 1, 1, tzinfo=UTC)
            return _interval(start, start.replace(year=start.year + 1))
        if (month := _MONTH.fullmatch(text)) is not None:
            start = datetime(int(month[1]), int(month[2]), 1, tzinfo=UTC)
            return _interval(start, _next_month(start))
    except (ValueError, OverflowError):
        raise InvalidQuery("a year or month of a time does not exist", "query") from None
    begin = parse_time(text, now_ms, "query")
    return Interval(begin, begin + (24 * _HOUR_MS if _DAY.fullmatch(text) else 1))


def _interval(start: datetime, end: datetime) -> Interval:
    begin = (start - _EPOCH) // timedelta(milliseconds=1)
    if begin < 0:
        raise InvalidQuery("a time lies between 1970 and the year 9999", "query")
    return Interval(begin, (end - _EPOCH) // timedelta(milliseconds=1))


def _latest(now_ms: int) -> int:
    return min(TIME_MS_MAX, now_ms + _AHEAD // timedelta(milliseconds=1))


def _moment(ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=min(ms, TIME_MS_MAX))


def _word(time: datetime, form: str) -> str:
    # `%Y` is not padded on every system.
    return time.strftime(form.replace("%Y", f"{time.year:04}"))
