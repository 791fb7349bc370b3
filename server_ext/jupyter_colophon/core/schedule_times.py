"""Compute when a schedule is due: at an interval (ISO 8601: `PT15M`) or by a cron expression (`0 5 * * 1-5`), in UTC."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

_DURATION = re.compile(r"P(?:(\d{1,4})W|(?:(\d{1,4})D)?(?:T(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?)")
_CRON_FIELDS = 5
_SECOND_MS = 1_000


def calculate_next_due_ms(every: str, cron: str, after: int, last: int | None) -> int | None:
    """Return the next due time after `after` (ms); `last` is the due time before it. Return None if there is none.
    Raises ValueError.
    """
    if cron:
        return _find_next_cron_match_ms(cron, after)
    step = parse_duration_ms(every)
    start = after if last is None else last
    return start + ((after - start) // step + 1) * step


def find_schedule_time_problems(schedule: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the problems of a schedule: the member, empty for the whole, and the reason. Its schema checks the types."""
    if not any(schedule.get(name) for name in ("every", "cron", "on_change")):
        yield "", "it must have one of every, cron and on_change"
    for name, read in (("every", parse_duration_ms), ("cron", _find_first_due_ms), ("retry_after", parse_duration_ms)):
        if (text := schedule.get(name)) and isinstance(text, str):
            try:
                read(text)
            except ValueError as error:
                yield name, str(error)


def parse_duration_ms(text: str) -> int:
    """Parse an ISO 8601 duration of weeks, or of days and times, of at least a second. Raises ValueError."""
    match = _DURATION.fullmatch(text)
    weeks, days, hours, minutes, seconds = (int(group or 0) for group in match.groups()) if match else (0,) * 5
    length = timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    if length < timedelta(seconds=1) or text.endswith("T"):
        msg = "it is not a valid duration, such as PT15M, PT12H or P1D"
        raise ValueError(msg)
    return int(length / timedelta(milliseconds=1))


def _find_first_due_ms(cron: str) -> int:
    """Return the first time at which a cron expression was ever due. Raises ValueError if there is none."""
    due = _find_next_cron_match_ms(cron, 0)
    if due is None:
        msg = "no date matches it"
        raise ValueError(msg)
    return due


def _find_next_cron_match_ms(cron: str, time_ms: int) -> int | None:
    """Return the first minute after a time (ms) that a cron expression matches. Raises ValueError."""
    # Imported late: only catalogs with schedules need it.
    from cronsim import CronSim, CronSimError

    # With six fields the first is seconds, which are not supported.
    if len(cron.split()) != _CRON_FIELDS:
        msg = "it must have five fields: minute, hour, day of the month, month, day of the week"
        raise ValueError(msg)
    try:
        due = next(CronSim(cron, datetime.fromtimestamp(time_ms // _SECOND_MS, UTC)), None)
    except CronSimError as error:
        msg = f"its {str(error).removeprefix('Bad ')} is not valid"
        raise ValueError(msg) from None
    return None if due is None else int(due.timestamp()) * _SECOND_MS
