"""Processes with a listener of a system application are killed: each event has its effects once (spec S17).

300 events and 2 kills; 20,000 events, of which each process handles some hundreds, with COLOPHON_TEST_SIZE=full
(`make long-apps`).
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from faults import choice, shim
from faults.size import sized
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.storage import dead_events
from jupyter_colophon.storage.spi import Range, TableContext
from support.catalog import ADA, write_metadata
from support.event_apps import WATCHER
from support.system_apps import install_app, open_apps
from support.urns import build_table_urn
from support.waiting import wait_for

WORKER = Path(__file__).with_name("app_worker.py")
#: The first write to a table has three events: the table is created, and two of its aspects.
EVENTS_OF_TABLE = 3
TABLES = sized(100, 6_667)
#: After how many events the process that handles them is killed.
EVENTS_OF_PROCESS = sized(100, 400)
LEASE_S = 1.5
#: What the application does each second is not an effect of an event.
SCHEDULE = "ticks"


class Workers:
    """Two processes with the applications of a store, the oldest of which handles the events."""

    def __init__(self, store: str, packages: Path) -> None:
        self._arguments = [str(WORKER), store, str(packages), str(LEASE_S)]
        self._processes: list[subprocess.Popen[str]] = []

    def start(self) -> None:
        """Start a process, and wait until its listeners have started."""
        process = subprocess.Popen(
            shim.python(*self._arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self._processes.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "running\n"

    def kill_oldest(self) -> None:
        """Kill the process that has run for longest."""
        process = self._processes.pop(0)
        assert process.poll() is None
        process.kill()
        process.communicate()

    def kill_all(self) -> None:
        """Kill all processes."""
        while self._processes:
            self.kill_oldest()


@contextmanager
def run_workers(store: str, packages: Path) -> Iterator[Workers]:
    workers = Workers(store, packages)
    try:
        for _ in range(2):
            workers.start()
        yield workers
    finally:
        workers.kill_all()


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "packages"
    install_app(folder, WATCHER, "watcher", "Watcher")
    monkeypatch.syspath_prepend(str(folder))
    return folder


def count_handled_events(catalog: Catalog) -> int:
    return catalog.provider.tx_runner.run(lambda tx: tx.get_table("app_watcher_events").count(), read_only=True)


def read_effects(catalog: Catalog) -> dict[str, Any]:
    """Return the names of the events that were recorded, the counts by name, and what could not be handled."""

    def read(tx: TableContext) -> dict[str, Any]:
        counts = {row["name"]: row["count"] for row in tx.get_table("app_watcher_counts").scan(Range())}
        counts.pop(SCHEDULE, None)
        return {
            "recorded": sorted(row["name"] for row in tx.get_table("app_watcher_events").scan(Range())),
            "counts": counts,
            "copies": [row["name"] for row in tx.get_table("app_watcher_copies").scan(Range())],
            "dead": dead_events.list_events_of_app(tx, "watcher"),
        }

    return catalog.provider.tx_runner.run(read, read_only=True)


def test_each_event_has_its_effects_once_under_kills(tmp_path: Path, packages: Path) -> None:
    store = choice.format_choice(choose_sqlite_store(tmp_path / "catalog.db"))
    catalog = choice.open_choice(store)
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    # The listeners begin with the next event.
    apps = open_apps(catalog)
    assert [state.state for state in apps.list_states()] == ["running"]
    apps.close()
    names = sorted(f"t{number}" for number in range(TABLES))
    total = EVENTS_OF_TABLE * TABLES

    def write_tables() -> None:
        for name in names:
            write_metadata(catalog, build_table_urn(name))

    with run_workers(store, packages) as workers:
        writer = Thread(target=write_tables)
        writer.start()
        for handled in range(EVENTS_OF_PROCESS, total, EVENTS_OF_PROCESS):
            wait_for(lambda: count_handled_events(catalog), lambda count, least=handled: count >= least)
            workers.kill_oldest()
            workers.start()
        writer.join()
        wait_for(lambda: count_handled_events(catalog), lambda count: count >= total)
        # The other listener of the application, whose events have the same cause, may end later.
        effects = wait_for(lambda: read_effects(catalog), lambda found: len(found["copies"]) >= TABLES)
    assert effects == {
        "recorded": sorted(EVENTS_OF_TABLE * names),
        "counts": dict.fromkeys(names, EVENTS_OF_TABLE),
        "copies": names,
        "dead": [],
    }
    catalog.close()
