"""How far schedules of pipelines have come: when each is due, and what became of its last run."""

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
    """Times in ms; `due` is 0 where it is not due. `attempts` is how often in a row it failed.

    `status` is that of the last run: empty before there was one, `running`, `succeeded`, `failed`, `killed`, or
    `refused` where it could not be started; `problem` says why then.
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


def states(tx: TableContext) -> dict[str, ScheduleState]:
    """The states of all schedules, by name."""
    return {row["schedule"]: ScheduleState(**row) for row in tx.table("schedules").scan(Range())}


def put(tx: TableContext, state: ScheduleState) -> None:
    """Keep a state."""
    tx.table("schedules").upsert(asdict(state))


def forget(tx: TableContext, schedule: str) -> None:
    """Delete the state of a schedule that no longer exists."""
    tx.table("schedules").delete((schedule,))
