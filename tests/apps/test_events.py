"""Listeners of applications: which events they receive, once each, and what happens if they fail."""

from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from jupyter_colophon.apps.events import listener_worker
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import INTERNAL
from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.service.quality.recorder import QualityCheck
from jupyter_colophon.storage import dead_events
from jupyter_colophon.system.worker import Backoff
from support.catalog import ADA, delete_entity_or_aspect, record_run, write_metadata
from support.event_apps import WATCHER
from support.system_apps import call_app, open_apps
from support.urns import CELL, ORDERS, REPORT, build_table_urn
from support.waiting import wait_for

WAIT_S = 120


@pytest.fixture
def watcher(install: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """The module of the package, whose events are retried at once."""
    monkeypatch.setattr(listener_worker, "PAUSES", Backoff(0.01, 0.01))
    module = import_module(install(WATCHER, "watcher", "Watcher"))
    yield module
    module.RELEASE.set()


@pytest.fixture
def watched(watcher: ModuleType, catalog: Catalog) -> Iterator[SystemApps]:
    """The applications of a server, whose listeners have begun."""
    apps = open_apps(catalog)
    assert [state.state for state in apps.list_states()] == ["running"]
    yield apps
    watcher.RELEASE.set()
    apps.close()


def read_rows(apps: SystemApps, table: str) -> list[Any]:
    rows: list[Any] = call_app(apps, "GET", f"/rows/{table}", app="watcher")
    return rows


def wait_for_counts(apps: SystemApps, **counts: int) -> None:
    """Wait until the recorder has handled these numbers of events, by the name of the entity."""

    def read() -> dict[str, int]:
        return {row["name"]: row["count"] for row in read_rows(apps, "counts") if row["name"] != "ticks"}

    wait_for(read, lambda found: found == counts)


def list_dead(catalog: Catalog) -> list[DeadEvent]:
    return catalog.provider.tx_runner.run(lambda tx: dead_events.list_events_of_app(tx, "watcher"), read_only=True)


def describe(apps: SystemApps) -> list[tuple[str, str]]:
    return [(row["type"], row["name"]) for row in read_rows(apps, "events")]


def test_events_have_types_kinds_and_an_order(watched: SystemApps, catalog: Catalog) -> None:
    write_metadata(catalog, ORDERS, {"unit": "EUR"})
    record_run(catalog, CELL, "r1", ("write", ORDERS), end=2_000)
    delete_entity_or_aspect(catalog, ORDERS)
    found = wait_for(lambda: describe(watched), lambda rows: ("EntityDeleted", "orders") in rows)
    orders = [type_ for type_, name in found if name == "orders"]
    assert orders[0] == "EntityCreated"
    assert orders[-1] == "EntityDeleted"
    assert set(orders[1:-1]) == {"MetadataChanged"}
    assert [type_ for type_, _ in found].count("ProgramStatusChanged") == 2
    assert {row["kind"] for row in read_rows(watched, "events")} == {"dataset", "dataJob"}


def test_an_expectation_that_starts_to_fail_or_passes_again_is_an_event(watched: SystemApps, catalog: Catalog) -> None:
    write_metadata(catalog, ORDERS)
    expected = {"kind": "other", "name": "mean"}
    for time, status in enumerate(("passed", "failed", "error", "passed", "passed")):
        check = QualityCheck({"kind": "program"}, time, {"mean": {**expected, "status": status}})
        catalog.quality.record(Urn.parse(ORDERS), check, ADA, None)
    delete_entity_or_aspect(catalog, ORDERS)
    found = wait_for(lambda: describe(watched), lambda rows: ("EntityDeleted", "orders") in rows)
    types = [type_ for type_, name in found if name == "orders"]
    quality = types[types.index("QualityChanged") - 1 : types.index("EntityDeleted")]
    assert quality[:5] == ["MetadataChanged", "QualityChanged", "MetadataChanged", "QualityChanged", "MetadataChanged"]


def test_listener_continues_after_a_restart_and_begins_where_declared(watcher: ModuleType, catalog: Catalog) -> None:
    write_metadata(catalog, ORDERS)
    for _ in range(2):
        apps = open_apps(catalog)
        apps.list_states()
        # The copier begins with the oldest event, the recorder with the next one.
        wait_for(lambda apps=apps: read_rows(apps, "copies"), lambda rows: [row["name"] for row in rows] == ["orders"])
        assert describe(apps) == []
        apps.close()
    write_metadata(catalog, REPORT)
    apps = open_apps(catalog)
    wait_for_counts(apps, report=3)
    assert all(name == "report" for _, name in describe(apps))
    apps.close()


def test_two_processes_handle_each_event_once(watched: SystemApps, catalog: Catalog) -> None:
    other = open_apps(catalog)
    other.list_states()
    for number in range(10):
        write_metadata(catalog, build_table_urn(f"t{number}"))
    wait_for_counts(watched, **{f"t{number}": 3 for number in range(10)})
    other.close()


def test_failing_event_delays_only_its_entity_and_is_parked(
    watched: SystemApps, watcher: ModuleType, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_worker, "ATTEMPTS", 3)
    watcher.FAILING.add("orders")
    write_metadata(catalog, ORDERS)
    write_metadata(catalog, REPORT)
    wait_for_counts(watched, report=3)
    first, *later = wait_for(lambda: list_dead(catalog), lambda rows: len(rows) == 3 and rows[0].parked)
    assert (first.attempts, first.problem) == (3, "ValueError: no orders please")
    assert [(event.attempts, event.parked) for event in later] == [(0, False), (0, False)]
    assert watcher.CALLS.count("orders") == 3
    (state,) = watched.list_states()
    assert state.warnings == ("the listener Recorder cannot handle 1 event (jupyter colophon apps events watcher)",)
    watcher.FAILING.clear()
    watched.retry_event("watcher", "Recorder", first.seq)
    wait_for_counts(watched, report=3, orders=3)
    numbers = [row["number"] for row in read_rows(watched, "events") if row["name"] == "orders"]
    assert numbers == sorted([first.seq, *(event.seq for event in later)])
    assert list_dead(catalog) == []


def test_dropped_event_releases_the_later_ones(
    watched: SystemApps, watcher: ModuleType, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_worker, "ATTEMPTS", 1)
    watcher.FAILING.add("orders")
    write_metadata(catalog, ORDERS)
    first, *_ = wait_for(lambda: list_dead(catalog), lambda rows: len(rows) == 3 and rows[0].parked)
    watcher.FAILING.clear()
    watched.drop_event("watcher", "Recorder", first.seq)
    wait_for_counts(watched, orders=2)


def test_hanging_event_is_given_up_and_its_late_writes_are_refused(
    install: Any, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_worker, "PAUSES", Backoff(0.01, 0.01))
    watcher = import_module(install(WATCHER.replace("30.0", "0.3"), "watcher", "Watcher"))
    apps = open_apps(catalog)
    apps.list_states()
    watcher.HANGING.add("orders")
    write_metadata(catalog, ORDERS)
    write_metadata(catalog, REPORT)
    wait_for_counts(apps, report=3)
    assert wait_for(lambda: list_dead(catalog), lambda rows: rows and rows[0].attempts)[0].problem.startswith(
        "SystemAppTimeout"
    )
    watcher.HANGING.clear()
    watcher.RELEASE.set()
    wait_for_counts(apps, report=3, orders=3)
    late = wait_for(lambda: set(watcher.LATE), lambda names: names)
    assert late <= {"AlreadyHandled", "SystemAppTimeout"}
    apps.close()


def test_listener_whose_calls_never_return_leaves_others_running(
    install: Any, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_worker, "PAUSES", Backoff(0.01, 0.01))
    watcher = import_module(install(WATCHER.replace("30.0", "0.1"), "watcher", "Watcher"))
    apps = open_apps(catalog)
    apps.list_states()
    names = [f"t{number}" for number in range(6)]
    watcher.HANGING.update(names)
    for name in names:
        write_metadata(catalog, build_table_urn(name))
    for _ in range(4):
        assert watcher.HELD.acquire(timeout=WAIT_S)
    wait_for(apps.count_hanging_calls, lambda count: count == 4)
    # Another listener of the application, its handlers, and the catalog.
    wait_for(lambda: read_rows(apps, "copies"), lambda rows: len(rows) == 6)
    assert write_metadata(catalog, REPORT).has_changed
    watcher.HANGING.clear()
    watcher.RELEASE.set()
    wait_for_counts(apps, report=3, **dict.fromkeys(names, 3))
    wait_for(apps.count_hanging_calls, lambda count: count == 0)
    apps.close()


def test_wrong_and_huge_writes_are_failures_of_the_event(
    watched: SystemApps, watcher: ModuleType, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_worker, "ATTEMPTS", 1)
    watcher.HUGE.add("orders")
    write_metadata(catalog, ORDERS)
    write_metadata(catalog, REPORT)
    wait_for_counts(watched, report=3)
    first = wait_for(lambda: list_dead(catalog), lambda rows: len(rows) == 3)[0]
    assert (first.parked, first.problem.partition(":")[0]) == (True, "InvalidField")


def test_listener_with_too_many_failures_waits(
    watched: SystemApps, watcher: ModuleType, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener_worker, "ATTEMPTS", 1)
    monkeypatch.setattr(listener_worker, "KEPT", 4)
    watcher.FAILING.update({"orders", "report"})
    write_metadata(catalog, ORDERS)
    write_metadata(catalog, REPORT)
    write_metadata(catalog, build_table_urn("fine"))
    dead = wait_for(lambda: list_dead(catalog), lambda rows: len(rows) == 4)
    watcher.FAILING.clear()
    for event in dead:
        if event.parked:
            watched.retry_event("watcher", "Recorder", event.seq)
    wait_for_counts(watched, orders=3, report=3, fine=3)


def test_disabled_application_gets_its_events_later(watched: SystemApps, catalog: Catalog) -> None:
    watched.set_enabled("watcher", enabled=False)
    write_metadata(catalog, ORDERS)
    watched.set_enabled("watcher", enabled=True)
    wait_for_counts(watched, orders=3)


def test_event_of_an_ended_namespace_writes_nothing_in_a_new_one(
    watched: SystemApps, watcher: ModuleType, catalog: Catalog
) -> None:
    watched.set_enabled("watcher", enabled=False)
    write_metadata(catalog, ORDERS)
    catalog.write_path.start_namespace_deletion("sales", INTERNAL)
    catalog.namespaces.delete_remaining_content_now("sales")
    catalog.deployer.create_or_update_namespace("sales", {}, INTERNAL)
    write_metadata(catalog, REPORT)
    watched.set_enabled("watcher", enabled=True)
    wait_for(lambda: read_rows(watched, "copies"), lambda rows: [row["name"] for row in rows] == ["report"])
    # The listener of the deletion did not touch rows of the new namespace, and no event is left.
    wait_for(lambda: watcher.CALLS, lambda calls: calls.count("report") == 3)
    assert [row["name"] for row in read_rows(watched, "copies")] == ["report"]
    assert list_dead(catalog) == []
