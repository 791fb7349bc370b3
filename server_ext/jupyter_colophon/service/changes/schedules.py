"""How the schedules of pipelines do, as the store knows it: what is told of them everywhere."""

from collections.abc import Sequence
from typing import Any, Final

from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.schedule_times import faults
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.storage.changes import schedules
from jupyter_colophon.storage.changes.schedules import ScheduleState
from jupyter_colophon.storage.spi import StorageProvider

#: Their schemaspace and schema, and the schema of what they start.
SPACE: Final = "pipelines"
SCHEDULE: Final = "schedule"
PIPELINE: Final = "pipeline"
#: Members that are times, and the fields that they come from.
_TIMES = {"nextRun": "due", "started": "started", "ended": "ended"}
_SAID = ("pipeline", "namespace", "every", "cron")


def told(provider: StorageProvider, found: Sequence[Instance]) -> list[dict[str, Any]]:
    """The schedules among these instances, each with when it is due and what became of its last run. Raises StorageError."""
    states, wrong = provider.tx_runner.run(schedules.states, read_only=True), problems(found)
    return [
        _told(one, states.get(one.name) or ScheduleState(one.name), wrong.get(one.name, ""))
        for one in found
        if one.schema_name == SCHEDULE
    ]


def problems(found: Sequence[Instance]) -> dict[str, str]:
    """Why schedules among these instances can start nothing, by name: their pipelines are to be among them too."""
    pipelines = {_named(one, one.name) for one in found if one.schema_name == PIPELINE}
    told = {one.name: _problem(one, pipelines) for one in found if one.schema_name == SCHEDULE}
    return {name: why for name, why in told.items() if why}


def _problem(one: Instance, pipelines: set[tuple[str, str]]) -> str:
    if one.reason:
        return "it is not valid" + "".join(f": {two.pointer}: {two.message}" for two in one.problems[:1])
    for name, why in faults(one.metadata):
        return f"{name}: {why}" if name else why
    wanted = _named(one, str(one.metadata.get("pipeline", "")))
    return "" if wanted in pipelines else "there is no pipeline {1} in the namespace {0}".format(*wanted)


def _named(one: Instance, pipeline: str) -> tuple[str, str]:
    return str(one.metadata.get("namespace", "")), pipeline


def _told(one: Instance, state: ScheduleState, problem: str) -> dict[str, Any]:
    said = one.metadata
    times = {name: getattr(state, field) for name, field in _TIMES.items()}
    return {
        "name": one.name,
        **{name: str(said.get(name, "")) for name in _SAID},
        "onChange": bool(said.get("on_change")),
        "enabled": bool(said.get("enabled", True)),
        **{name: format_time(ms) if ms else None for name, ms in times.items()},
        "run": state.run,
        "status": state.status,
        "attempts": state.attempts,
        "problem": problem or state.problem,
    }
