"""Store the state of schedules of system applications."""

from dataclasses import asdict, dataclass
from typing import Final

from jupyter_colophon.storage.spi import Range, TableContext, TableSpec

SYSTEM_APP_SCHEDULES: Final = TableSpec(
    "system_app_schedules",
    {
        "app": "string",
        "schedule": "string",
        "spec": "string",
        "due": "long",
        "started": "long",
        "ended": "long",
        "failures": "int",
        "problem": "string",
    },
    ("app", "schedule"),
)


@dataclass(frozen=True, slots=True)
class AppScheduleState:
    """The state of a schedule. Times are in ms; `started` and `ended` are of the last run, 0 if there was none.

    `failures` counts runs in a row that failed, the last one by `problem`.
    """

    app: str
    schedule: str
    spec: str
    due: int
    started: int = 0
    ended: int = 0
    failures: int = 0
    problem: str = ""


def find_schedule_state(tx: TableContext, app: str, schedule: str) -> AppScheduleState | None:
    """Return the state of a schedule; None before it was stored."""
    row = tx.get_table(SYSTEM_APP_SCHEDULES.id).read((app, schedule))
    return None if row is None else AppScheduleState(**row)


def list_failing_schedules(tx: TableContext, app: str | None = None) -> list[AppScheduleState]:
    """Return the schedules (of an application) whose last run failed."""
    rows = tx.get_table(SYSTEM_APP_SCHEDULES.id).scan(Range() if app is None else Range.prefix(app))
    return [AppScheduleState(**row) for row in rows if row["failures"]]


def write_schedule_state(tx: TableContext, state: AppScheduleState) -> None:
    """Store a state."""
    tx.get_table(SYSTEM_APP_SCHEDULES.id).upsert(asdict(state))
