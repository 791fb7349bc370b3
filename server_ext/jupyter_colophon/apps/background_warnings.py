"""What administrators should know of the background work of applications."""

from collections import Counter
from dataclasses import dataclass

from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.storage.dead_events import count_parked_events, list_events_of_app
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.system_app_schedules import list_failing_schedules


@dataclass(frozen=True, slots=True)
class BackgroundProblems:
    """How many events are parked, and how many schedules failed at their last run."""

    parked_events: int
    failing_schedules: int


def count_background_problems(provider: StorageProvider) -> BackgroundProblems:
    """Return the numbers for all applications of a store. Raises StorageError."""
    return provider.tx_runner.run(
        lambda tx: BackgroundProblems(count_parked_events(tx), len(list_failing_schedules(tx))), read_only=True
    )


def list_warnings(tx: TableContext, app: str) -> tuple[str, ...]:
    """Return a sentence for each listener with parked events, and for each schedule whose last run failed."""
    parked = Counter(event.listener for event in list_events_of_app(tx, app) if event.parked)
    listeners = [
        f"the listener {name} cannot handle {count} {'event' if count == 1 else 'events'} (jupyter colophon apps events {app})"
        for name, count in sorted(parked.items())
    ]
    schedules = [
        f"the schedule {state.schedule} failed at {format_ms_as_iso_time(state.ended)}: {state.problem}"
        for state in list_failing_schedules(tx, app)
    ]
    return (*listeners, *schedules)
