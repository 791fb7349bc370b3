"""How the schedules of pipelines do, as the store knows it: what is told of them everywhere."""

from collections.abc import Iterable
from typing import Any

from jupyter_colophon.core.instance import Instance
from jupyter_colophon.core.timegrammar import format_time
from jupyter_colophon.storage import schedules
from jupyter_colophon.storage.schedules import ScheduleState
from jupyter_colophon.storage.spi import StorageProvider

_TIMES = ("due", "started", "ended")
_SAID = ("pipeline", "namespace", "every", "cron")


def told(provider: StorageProvider, found: Iterable[Instance]) -> list[dict[str, Any]]:
    """These schedules, each with when it is due and what became of its last run. Raises StorageError."""
    states = provider.tx_runner.run(schedules.states, read_only=True)
    return [_told(one, states.get(one.name) or ScheduleState(one.name)) for one in found]


def _told(one: Instance, state: ScheduleState) -> dict[str, Any]:
    said = one.metadata
    times = {name: getattr(state, name) for name in _TIMES}
    return {
        "name": one.name,
        **{name: str(said.get(name, "")) for name in _SAID},
        "onChange": bool(said.get("on_change")),
        "enabled": bool(said.get("enabled", True)),
        **{name: format_time(ms) if ms else None for name, ms in times.items()},
        "run": state.run,
        "status": state.status,
        "attempts": state.attempts,
        "problem": "it is not valid" if one.reason else state.problem,
    }
