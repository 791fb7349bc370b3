"""Schedules that an application declares."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.apps.events.event_listener import require_valid_name
from jupyter_colophon.core.schedule_times import calculate_next_due_ms, find_schedule_time_problems

if TYPE_CHECKING:
    from jupyter_colophon.apps.context import ServiceContext

ScheduledWork = Callable[["ServiceContext"], object]


@dataclass(frozen=True, slots=True)
class ScheduleDeclaration:
    """Work, and when it is due: an interval such as `PT15M`, or a cron expression such as `0 5 * * 1-5`, in UTC."""

    name: str
    spec: str
    work: ScheduledWork
    timeout_s: float

    def calculate_next_due_ms(self, after: int, last: int | None) -> int:
        """Return when it is due next, given the due time before."""
        due = calculate_next_due_ms(*_split_spec(self.spec), after, last)
        assert due is not None  # noqa: S101  a spec that no date matches is refused
        return due


def declare_schedule(spec: str, work: ScheduledWork, name: str, timeout_s: float) -> ScheduleDeclaration:
    """Return a declaration. Raises ValueError if an argument is not valid."""
    require_valid_name(name, "schedule")
    if not callable(work):
        raise ValueError(f"the work of the schedule {name} is not callable")
    every, cron = _split_spec(spec)
    for _, problem in find_schedule_time_problems({"every": every, "cron": cron}):
        raise ValueError(f"the schedule {name} cannot be due at {spec!r}: {problem}")
    return ScheduleDeclaration(name, spec, work, timeout_s)


def find_next_due_ms(spec: str, after_ms: int, last_ms: int | None = None) -> int:
    """Return when an interval (`PT15M`) or a cron expression (`0 5 * * 1-5`, in UTC) is due after a time.

    Intervals are counted from the due time before, `last_ms`, or from `after_ms`. Raises ValueError for an invalid one.
    """
    due = calculate_next_due_ms(*_split_spec(spec), after_ms, last_ms)
    if due is None:
        raise ValueError("no date matches it")
    return due


def _split_spec(spec: str) -> tuple[str, str]:
    """Return the interval and the cron expression, one of which is empty."""
    return ("", spec) if " " in spec else (spec, "")
