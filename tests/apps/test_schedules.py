"""Schedules of applications: in one process at a time, once for all missed times, and visible if they fail."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from jupyter_colophon.apps.schedules.schedule import declare_schedule
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.storage.system_app_schedules import (
    AppScheduleState,
    find_schedule_state,
    write_schedule_state,
)
from support.event_apps import WATCHER
from support.system_apps import call_app, open_apps
from support.waiting import wait_for

HOUR_MS = 3_600_000


@pytest.fixture
def hourly(install: Any, catalog: Catalog) -> Iterator[ModuleType]:
    """The module of a package with an hourly schedule, which has begun."""
    module = import_module(install(WATCHER.replace("PT1S", "PT1H"), "watcher", "Watcher"))
    apps = open_apps(catalog)
    apps.list_states()
    apps.close()
    yield module
    module.RELEASE.set()


def read_state(catalog: Catalog) -> AppScheduleState:
    state = catalog.provider.tx_runner.run(lambda tx: find_schedule_state(tx, "watcher", "tick"), read_only=True)
    assert state is not None
    return state


def make_due(catalog: Catalog, hours: float) -> AppScheduleState:
    """Let the schedule be due some hours ago."""
    state = read_state(catalog)
    due = replace(state, due=state.due - int((hours + 1) * HOUR_MS))
    catalog.provider.tx_runner.run(lambda tx: write_schedule_state(tx, due))
    return due


def count_ticks(apps: SystemApps) -> int:
    rows = call_app(apps, "GET", "/rows/counts", app="watcher")
    return sum(row["count"] for row in rows if row["name"] == "ticks")


def test_missed_times_are_made_up_for_by_one_run_in_one_process(hourly: ModuleType, catalog: Catalog) -> None:
    due = make_due(catalog, 5.5)
    servers = [open_apps(catalog) for _ in range(2)]
    for apps in servers:
        apps.list_states()
    state = wait_for(lambda: read_state(catalog), lambda found: found.ended)
    assert hourly.RUNS == [""]
    assert count_ticks(servers[0]) == 1
    # The next time is in the future, at the same minute.
    assert (state.due - due.due) % HOUR_MS == 0
    assert state.due > state.ended
    for apps in servers:
        apps.close()


def test_run_that_was_interrupted_is_repeated(hourly: ModuleType, catalog: Catalog) -> None:
    # As a killed process leaves it.
    started = replace(make_due(catalog, 0), started=1)
    catalog.provider.tx_runner.run(lambda tx: write_schedule_state(tx, started))
    apps = open_apps(catalog)
    apps.list_states()
    assert wait_for(lambda: read_state(catalog), lambda found: found.ended).started > 1
    apps.close()


def test_failing_run_is_visible_until_one_succeeds(hourly: ModuleType, catalog: Catalog) -> None:
    hourly.FAILING_SCHEDULE.append(True)
    make_due(catalog, 0)
    apps = open_apps(catalog)
    apps.list_states()
    state = wait_for(lambda: read_state(catalog), lambda found: found.failures)
    assert (state.failures, state.problem) == (1, "ValueError: no tick")
    (listed,) = apps.list_states()
    assert listed.state == "running"
    assert listed.warnings[0].startswith("the schedule tick failed at 20")
    (tick,) = listed.schedules
    assert (tick.name, tick.when, tick.problem) == ("tick", "PT1H", "ValueError: no tick")
    assert (tick.next, tick.last) == (format_ms_as_iso_time(state.due), format_ms_as_iso_time(state.ended))
    hourly.FAILING_SCHEDULE.clear()
    make_due(catalog, 0)
    apps.close()
    apps = open_apps(catalog)
    apps.list_states()
    wait_for(lambda: read_state(catalog), lambda found: not found.failures)
    (listed,) = apps.list_states()
    assert (listed.warnings, listed.schedules[0].problem) == ((), "")
    # A disabled one is not run.
    assert apps.set_enabled("watcher", enabled=False).schedules[0].next is None
    apps.close()


def test_run_that_does_not_return_is_given_up(install: Any, catalog: Catalog) -> None:
    source = WATCHER.replace('name="tick"', 'name="tick", timeout_s=0.2').replace(
        "    RUNS.append(context.namespace)\n", "    RELEASE.wait(120)\n"
    )
    module = import_module(install(source, "watcher", "Watcher"))
    apps = open_apps(catalog)
    apps.list_states()
    state = wait_for(lambda: read_state(catalog), lambda found: found.failures)
    assert state.problem.startswith("SystemAppTimeout")
    # The other parts of the application are not concerned.
    assert call_app(apps, "GET", "/rows/events", app="watcher") == []
    module.RELEASE.set()
    apps.close()


@pytest.mark.parametrize(
    ("declare", "reason"),
    [
        (lambda: declare_schedule("PT0S", print, "a", 1), "not a valid duration"),
        (lambda: declare_schedule("0 5 31 2 *", print, "a", 1), "day-of-month is not valid"),
        (lambda: declare_schedule("PT1H", print, "a b", 1), "not a valid name"),
        (lambda: declare_schedule("PT1H", None, "a", 1), "not callable"),  # type: ignore[arg-type]
    ],
)
def test_invalid_schedule_is_refused(declare: Callable[[], object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        declare()


def test_cron_expression_is_in_utc() -> None:
    schedule = declare_schedule("0 5 * * *", print, "nightly", 1)
    assert schedule.calculate_next_due_ms(0, None) == 5 * HOUR_MS
