"""Parse and format times. Internally a time is ms since 1970."""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery

#: Numbers from here on are milliseconds, smaller ones seconds (spec LINEAGE-15).
MILLISECONDS_FROM: Final = 10**11
TIME_MS_MAX: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""
CHARACTERS_MAX: Final = 200
DAY_MS: Final = 86_400_000
_DAY_MINUTES: Final = 1_440

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)
_UNIT_MS: Final = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": DAY_MS}
_STEP = re.compile(r"([+-])([0-9]{1,15})(ms|s|m|h|d)")
_SPAN = re.compile(r"([0-9]{1,15})(ms|s|m|h|d)")
_RELATIVE = re.compile(rf"now(?:{_STEP.pattern})*")
_NUMBER = re.compile(r"[0-9]{1,15}")
_INSTANT = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:[.,]([0-9]{1,9}))?(Z|z|[+-][0-9]{2}:?[0-9]{2}))?"
)


def parse_time_to_ms(text: str, now_ms: int, name: str = "") -> int:
    """Parse a time to ms: ISO 8601, a number of seconds or milliseconds, or `now` with steps such as `now-1d+2h`.

    Raises InvalidQuery, which names the parameter, for anything else, and for times before 1970 or after the year 9999.
    """
    try:
        return _parse_relative_or_absolute_time(text.strip(), now_ms)
    except InvalidQuery as error:
        raise InvalidQuery(error.reason, name) from None


def parse_time_span_to_ms(text: str, name: str) -> int:
    """Parse a time span to ms: a number with its unit, such as `7d`. Raises InvalidQuery."""
    match = _SPAN.fullmatch(text.strip())
    if match is None:
        raise InvalidQuery("a time span is a number with ms, s, m, h or d, such as 7d", name)
    return min(int(match[1]) * _UNIT_MS[match[2]], TIME_MS_MAX)


def parse_iso_time_to_ms(text: str) -> int:
    """Parse an ISO 8601 time to ms: a day (its start in UTC), or a day and a time with `Z` or an offset.

    Fractions of a millisecond are dropped. Raises InvalidQuery.
    """
    match = _INSTANT.fullmatch(text.strip())
    if match is None:
        raise InvalidQuery(
            "expected a time such as 2026-11-20T12:00:00Z, milliseconds since 1970, or now-1d (ms, s, m, h, d)"
        )
    day, clock, fraction, offset = match.groups()
    try:
        instant = datetime.fromisoformat(f"{day}T{clock or '00:00'}{(offset or 'Z').upper()}")
    except ValueError:
        raise InvalidQuery("no such day or time of day") from None
    return _require_representable_ms((instant - _EPOCH) // _MILLISECOND + int((fraction or "0").ljust(3, "0")[:3]))


def format_ms_as_iso_time(ms: int) -> str:
    """Format a time as ISO 8601 in UTC with milliseconds, such as `2026-11-20T12:00:00.000Z`.

    A quarter of the time of `datetime.isoformat`: an answer may have thousands of times.
    """
    minutes, rest = divmod(ms, 60_000)
    days, minute = divmod(minutes, _DAY_MINUTES)
    # The leading 1 keeps the zeros before the milliseconds of the minute.
    digits = str(100_000 + rest)
    return f"{_format_day(days)}T{_format_minute(minute)}:{digits[1:3]}.{digits[3:]}Z"


@lru_cache(maxsize=1024)
def _format_day(days: int) -> str:
    return (_EPOCH + timedelta(days=days)).date().isoformat()


@lru_cache(maxsize=_DAY_MINUTES)
def _format_minute(minute: int) -> str:
    """Format a minute of a day, such as `13:05`."""
    return f"{minute // 60:02}:{minute % 60:02}"


def _parse_relative_or_absolute_time(text: str, now_ms: int) -> int:
    if _NUMBER.fullmatch(text):
        number = int(text)
        return _require_representable_ms(number if number >= MILLISECONDS_FROM else number * 1000)
    if len(text) <= CHARACTERS_MAX and _RELATIVE.fullmatch(text):
        return _require_representable_ms(
            now_ms + sum(_parse_relative_step_to_ms(*step) for step in _STEP.findall(text))
        )
    return parse_iso_time_to_ms(text)


def _parse_relative_step_to_ms(sign: str, number: str, unit: str) -> int:
    length = int(number) * _UNIT_MS[unit]
    return -length if sign == "-" else length


def _require_representable_ms(ms: int) -> int:
    if not 0 <= ms <= TIME_MS_MAX:
        raise InvalidQuery("a time must be between 1970 and the year 9999")
    return ms
