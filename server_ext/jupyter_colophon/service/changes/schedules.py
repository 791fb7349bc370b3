"""The state of pipeline schedules, as the store has it."""

from collections.abc import Sequence
from typing import Any, Final

from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.schedule_times import find_schedule_time_problems
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.storage.changes import schedules
from jupyter_colophon.storage.changes.schedules import ScheduleState
from jupyter_colophon.storage.spi import StorageProvider

#: The schemaspace, the schema of schedules, and the schema of pipelines.
SPACE: Final = "pipelines"
SCHEDULE: Final = "schedule"
PIPELINE: Final = "pipeline"
#: Members that are times, with the fields of `ScheduleState` that they come from.
_TIMES = {"nextRun": "due", "started": "started", "ended": "ended"}
_TEXT_MEMBERS = ("pipeline", "namespace", "every", "cron")


def describe_schedules_with_state(provider: StorageProvider, instances: Sequence[Instance]) -> list[dict[str, Any]]:
    """Return the schedules among these instances, each with its due time and last run. Raises StorageError."""
    states, wrong = (
        provider.tx_runner.run(schedules.read_schedule_states, read_only=True),
        find_schedule_problems(instances),
    )
    return [
        _build_schedule_document(
            instance, states.get(instance.name) or ScheduleState(instance.name), wrong.get(instance.name, "")
        )
        for instance in instances
        if instance.schema_name == SCHEDULE
    ]


def find_schedule_problems(instances: Sequence[Instance]) -> dict[str, str]:
    """Return why schedules cannot start a run, by name; `instances` must contain their pipelines too."""
    pipelines = {
        _get_pipeline_key(instance, instance.name) for instance in instances if instance.schema_name == PIPELINE
    }
    reasons = {
        instance.name: _describe_schedule_problem(instance, pipelines)
        for instance in instances
        if instance.schema_name == SCHEDULE
    }
    return {name: why for name, why in reasons.items() if why}


def _describe_schedule_problem(instance: Instance, pipelines: set[tuple[str, str]]) -> str:
    if instance.reason:
        return "not a valid instance" + "".join(
            f": {problem.pointer}: {problem.message}" for problem in instance.problems[:1]
        )
    for name, why in find_schedule_time_problems(instance.metadata):
        return f"{name}: {why}" if name else why
    key = _get_pipeline_key(instance, str(instance.metadata.get("pipeline", "")))
    return "" if key in pipelines else "no pipeline {1} in the namespace {0}".format(*key)


def _get_pipeline_key(instance: Instance, pipeline: str) -> tuple[str, str]:
    return str(instance.metadata.get("namespace", "")), pipeline


def _build_schedule_document(instance: Instance, state: ScheduleState, problem: str) -> dict[str, Any]:
    metadata = instance.metadata
    times = {name: getattr(state, field) for name, field in _TIMES.items()}
    return {
        "name": instance.name,
        **{name: str(metadata.get(name, "")) for name in _TEXT_MEMBERS},
        "onChange": bool(metadata.get("on_change")),
        "enabled": bool(metadata.get("enabled", True)),
        **{name: format_ms_as_iso_time(ms) if ms else None for name, ms in times.items()},
        "run": state.run,
        "status": state.status,
        "attempts": state.attempts,
        "problem": problem or state.problem,
    }
