"""When something that recurs is due: every so often (ISO 8601: `PT15M`), or as cron writes it (`0 5 * * 1-5`), in UTC."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

_DURATION = re.compile(r"P(?:(\d{1,4})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
#: What a field may say, and the words for it: minute, hour, day, month, day of the week (7 is a Sunday too).
_FIELDS: tuple[tuple[int, int, tuple[str, ...]], ...] = (
    (0, 59, ()),
    (0, 23, ()),
    (1, 31, ()),
    (1, 12, _MONTHS),
    (0, 7, _DAYS),
)
_PART = re.compile(r"(?:\*|(?P<first>[0-9a-z]+)(?:-(?P<last>[0-9a-z]+))?)(?:/(?P<step>[0-9]{1,2}))?")
#: A 29th of February is at most eight years off.
_DAYS_MAX = 8 * 366
_SECOND_MS, _MINUTE_MS = 1_000, 60_000


def next_due(every: str, cron: str, after: int, last: int | None) -> int | None:
    """The first moment after `after` (ms), where it was due `last`; None where it is due no more. Raises ValueError."""
    if cron:
        return _Cron.parse(cron).after(after)
    step = duration_ms(every)
    start = after if last is None else last
    return start + ((after - start) // step + 1) * step


def faults(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Why what a schedule says can never be: the member, or nothing for the whole, and a reason. Other types are its schema's."""
    if not any(told.get(name) for name in ("every", "cron", "on_change")):
        yield "", "it says neither every, nor cron, nor on_change"
    for name, read in (("every", duration_ms), ("cron", _first_due), ("retry_after", duration_ms)):
        if (text := told.get(name)) and isinstance(text, str):
            try:
                read(text)
            except ValueError as error:
                yield name, str(error)


def duration_ms(text: str) -> int:
    """An ISO 8601 duration of weeks, or of days and times, at least a second. Raises ValueError."""
    found = _DURATION.fullmatch(text)
    weeks, days, hours, minutes, seconds = (int(one or 0) for one in found.groups()) if found else (0,) * 5
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    if length < timedelta(seconds=1) or text.endswith("T"):
        msg = "it is no duration such as PT15M, PT12H, P1D"
        raise ValueError(msg)
    return int(length / timedelta(milliseconds=1))


def _first_due(cron: str) -> int:
    """When it was ever due first. Raises ValueError where it never is."""
    found = _Cron.parse(cron).after(0)
    if found is None:
        msg = "no day of any year is such a one"
        raise ValueError(msg)
    return found


@dataclass(frozen=True)
class _Cron:
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    #: Whether both days are told: then one of them is enough, as with cron.
    either: bool

    @classmethod
    def parse(cls, text: str) -> "_Cron":
        """Read five fields. Raises ValueError."""
        words = text.lower().split()
        if len(words) != len(_FIELDS):
            msg = "it has not the five fields minute, hour, day, month, day of the week"
            raise ValueError(msg)
        minutes, hours, days, months, weekdays = (
            _values(word, *field) for word, field in zip(words, _FIELDS, strict=True)
        )
        either = not (words[2].startswith("*") or words[4].startswith("*"))
        return cls(minutes, hours, days, months, frozenset(day % 7 for day in weekdays), either)

    def after(self, moment: int) -> int | None:
        """The first minute after a moment (ms) that fits; None where none of eight years does."""
        start = datetime.fromtimestamp((moment // _MINUTE_MS + 1) * 60, UTC)
        day = start.replace(hour=0, minute=0)
        for _ in range(_DAYS_MAX):
            if self._fits(day):
                times = (time for time in self._times if day + time >= start)
                if (time := next(times, None)) is not None:
                    return int((day + time).timestamp()) * _SECOND_MS
            day += timedelta(days=1)
        return None

    @cached_property
    def _times(self) -> list[timedelta]:
        return [timedelta(hours=hour, minutes=minute) for hour in sorted(self.hours) for minute in sorted(self.minutes)]

    def _fits(self, day: datetime) -> bool:
        how: Callable[[tuple[bool, bool]], bool] = any if self.either else all
        return day.month in self.months and how((day.day in self.days, day.isoweekday() % 7 in self.weekdays))


def _values(word: str, least: int, most: int, names: tuple[str, ...]) -> frozenset[int]:
    found: set[int] = set()
    for part in word.split(","):
        told = _PART.fullmatch(part)
        if told is None:
            msg = f"{part} is no part of a field"
            raise ValueError(msg)
        first, last, step = told["first"], told["last"], int(told["step"] or 1)
        low = least if first is None else _number(first, least, names)
        high = most if first is None or (told["step"] and last is None) else _number(last or first, least, names)
        if not (least <= low <= high <= most and step):
            msg = f"{part} is not within {least} to {most}"
            raise ValueError(msg)
        found.update(range(low, high + 1, step))
    return frozenset(found)


def _number(word: str, least: int, names: tuple[str, ...]) -> int:
    if word in names:
        return names.index(word) + least
    if not word.isdigit():
        msg = f"{word} is no number"
        raise ValueError(msg)
    return int(word)
