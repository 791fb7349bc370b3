"""What administrators see of the schedules of an application."""

from collections.abc import Sequence
from dataclasses import dataclass

from jupyter_colophon.apps.schedules.schedule import ScheduleDeclaration
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.storage.system_app_schedules import AppScheduleState, find_schedule_state


@dataclass(frozen=True, slots=True)
class ScheduleDetails:
    """A schedule: its interval or cron expression, its next run, and the end of its last run, which failed by `problem`."""

    name: str
    when: str
    next: str | None
    last: str | None
    problem: str


def list_schedules(
    tx: TableContext, app: str, declarations: Sequence[ScheduleDeclaration], *, is_enabled: bool
) -> tuple[ScheduleDetails, ...]:
    """Return the schedules of an application by name; those of a disabled one have no next run."""
    details = []
    for declared in sorted(declarations, key=lambda one: one.name):
        state = find_schedule_state(tx, app, declared.name) or AppScheduleState(app, declared.name, declared.spec, 0)
        # Until a process has stored a changed time, the next run is unknown.
        is_due = is_enabled and state.due and state.spec == declared.spec
        details.append(
            ScheduleDetails(
                declared.name,
                declared.spec,
                format_ms_as_iso_time(state.due) if is_due else None,
                format_ms_as_iso_time(state.ended) if state.ended else None,
                state.problem,
            )
        )
    return tuple(details)
