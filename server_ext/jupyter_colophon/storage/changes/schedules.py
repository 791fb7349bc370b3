"""Store the state of pipeline schedules: when each is due, and the result of its last run."""

from dataclasses import asdict, dataclass

from jupyter_colophon.storage.spi import Range, TableContext, TableSpec

SCHEDULES = TableSpec(
    "schedules",
    {
        "schedule": "string",
        "spec": "string",
        "due": "long",
        "run": "string",
        "started": "long",
        "ended": "long",
        "status": "string",
        "attempts": "int",
        "problem": "string",
    },
    ("schedule",),
)


@dataclass(frozen=True, slots=True)
class ScheduleState:
    """The state of a schedule. Times are in ms; `due` is 0 if it is not due, `attempts` counts consecutive failures.

    `status` is that of the last run: empty before the first one, else `running`, `succeeded`, `failed`, `killed`, or
    `refused` if it could not be started; `problem` then has the reason.
    """

    schedule: str
    spec: str = ""
    due: int = 0
    run: str = ""
    started: int = 0
    ended: int = 0
    status: str = ""
    attempts: int = 0
    problem: str = ""


def read_schedule_states(tx: TableContext) -> dict[str, ScheduleState]:
    """Return the states of all schedules, by name."""
    return {row["schedule"]: ScheduleState(**row) for row in tx.get_table("schedules").scan(Range())}


def write_schedule_state(tx: TableContext, state: ScheduleState) -> None:
    """Store a state."""
    tx.get_table("schedules").upsert(asdict(state))


def delete_schedule_state(tx: TableContext, schedule: str) -> None:
    """Delete the state of a schedule that no longer exists."""
    tx.get_table("schedules").delete((schedule,))
