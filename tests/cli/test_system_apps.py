"""System applications from the command line."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.system_app_log import AppLogRecord
from jupyter_colophon.storage.dead_events import write_event
from jupyter_colophon.storage.spi import TableSpec
from jupyter_colophon.storage.system_app_logs import append_log_records
from jupyter_colophon.storage.system_apps import record_deployment
from support.catalog import open_catalog_file
from support.commands import CommandResult, Commands
from support.packages import build_python_path
from support.system_apps import DATAPREP, install_app
from support.urns import ORDERS

TABLES = ["app_dataprep_connections", "app_dataprep_settings"]


@pytest.fixture
def apps(tmp_path: Path, colophon: Commands, database: Path) -> Callable[..., CommandResult]:
    """`apps("list")`: with an application that can be loaded, and one that cannot."""
    install_app(tmp_path / "one", DATAPREP, "dataprep", "Dataprep")
    install_app(tmp_path / "two", "raise ImportError('no lake')", "broken", "Broken")
    path = build_python_path(tmp_path / "one", tmp_path / "two")
    commands = Commands(colophon.home, database, environment={"PYTHONPATH": path})
    return lambda *arguments: commands("apps", *arguments)


def test_applications_are_listed_disabled_and_enabled(apps: Callable[..., CommandResult]) -> None:
    listed = apps("list", "--json")
    assert listed.status == 1
    states = {app["name"]: app for app in listed.answer["systemApps"]}
    assert [*states] == ["analytics", "broken", "dataprep", "reports"]
    broken, dataprep = states["broken"], states["dataprep"]
    assert (broken["name"], broken["state"], broken["problem"]) == ("broken", "failed", "ImportError: no lake")
    assert (dataprep["state"], dataprep["version"], dataprep["tables"]) == ("installed", "1.0", TABLES)
    # A command creates no tables.
    assert dataprep["deployedVersion"] == ""
    assert apps("disable", "broken").out == "System application broken is disabled.\n"
    table = apps("list")
    assert (table.status, "installed" in table.out, "no lake" in table.out) == (0, True, False)
    enabled = apps("enable", "dataprep")
    assert (enabled.status, enabled.out) == (0, "System application dataprep is installed.\n")
    failed = apps("enable", "broken")
    message = "jupyter colophon: the system application broken has failed: ImportError: no lake\n"
    # The first line is the one of the log.
    assert (failed.status, failed.out, failed.err.endswith(message)) == (1, "", True)
    scaled = apps("scale", "dataprep", "3", "--service=reports")
    assert (scaled.status, scaled.out, scaled.err) == (
        0,
        "Service reports of the system application dataprep has 3 instances requested, and 0 running.\n",
        "",
    )
    withdrawn = apps("scale", "dataprep", "0", "--service=reports")
    assert (withdrawn.status, withdrawn.out) == (
        0,
        "Service reports of the system application dataprep has no instances requested any more.\n",
    )
    assert (apps("scale", "dataprep", "65").status, apps("scale", "dataprep", "2", "--service=other").status) == (2, 1)
    missing = apps("disable", "other")
    assert (missing.status, missing.err) == (1, "jupyter colophon: system application 'other' not found\n")
    refused = apps("enable", "broken", "--Colophon.disabled_system_apps=broken")
    assert (refused.status, "c.Colophon.disabled_system_apps" in refused.err) == (1, True)


def test_tables_of_an_uninstalled_application_are_deleted(apps: Callable[..., CommandResult], database: Path) -> None:
    rows = TableSpec("app_old_rows", {"name": "string"}, ("name",))
    with closing(open_catalog_file(database)) as catalog:
        catalog.provider.table_admin.create_or_update(rows)
        catalog.provider.tx_runner.run(lambda tx: record_deployment(tx, "old", "0.9", (rows,), 1))
    assert "not installed" in apps("list").out
    hesitant = apps("drop-tables", "old")
    assert (hesitant.status, "add --yes" in hesitant.err) == (1, True)
    enabled = apps("drop-tables", "dataprep", "--yes")
    assert (enabled.status, "disable or uninstall it first" in enabled.err) == (1, True)
    assert apps("drop-tables", "old", "--yes").out == (
        "The tables, files, schedules and events of the system application old were deleted.\n"
    )
    assert "app_old_rows" not in apps("list").out
    missing = apps("drop-tables", "old", "--yes")
    assert (missing.status, missing.err) == (1, "jupyter colophon: system application 'old' not found\n")


def test_log_of_an_application_is_listed(apps: Callable[..., CommandResult], database: Path) -> None:
    assert (apps("logs", "dataprep").status, apps("logs", "dataprep").out) == (0, "")
    records = [AppLogRecord(0, 1_795_356_000_000, "INFO", "imported\x1b[31m"), AppLogRecord(0, 0, "ERROR", "failed")]
    catalog = open_catalog_file(database)
    catalog.provider.tx_runner.run(lambda tx: append_log_records(tx, "dataprep", records))
    catalog.close()
    first, second = apps("logs", "dataprep").out.splitlines()
    assert first.split(maxsplit=2)[1:] == ["INFO", "imported\N{REPLACEMENT CHARACTER}[31m"]
    assert second.endswith("ERROR    failed")
    shown = json.loads(apps("logs", "dataprep", "--json").out.splitlines()[0])
    assert (shown["seq"], shown["level"]) == (1, "INFO")
    missing = apps("logs", "other")
    assert (missing.status, missing.err) == (1, "jupyter colophon: system application 'other' not found\n")


def test_log_is_filtered_by_level_and_time(apps: Callable[..., CommandResult], database: Path) -> None:
    day = 86_400_000
    levels = ["INFO", "WARNING", "CRITICAL", "INFO", "ERROR", "NOTICE"]
    records = [AppLogRecord(0, number * day, level, f"message {number}") for number, level in enumerate(levels)]
    with closing(open_catalog_file(database)) as catalog:
        catalog.provider.tx_runner.run(lambda tx: append_log_records(tx, "dataprep", records))

    def list_numbers(*options: str) -> list[int]:
        lines = apps("logs", "dataprep", "--json", *options).out.splitlines()
        return [int(json.loads(line)["message"].split()[1]) for line in lines]

    assert list_numbers() == [0, 1, 2, 3, 4, 5]
    # The level NOTICE is one of the application's own.
    assert list_numbers("--level=warning") == [1, 2, 4, 5]
    assert list_numbers("--level=CRITICAL") == [2, 5]
    assert list_numbers("--since=1970-01-04") == [3, 4, 5]
    assert list_numbers("--since=1970-01-04", "--level=ERROR") == [4, 5]
    assert list_numbers("--since=now-1d") == []
    wrong = apps("logs", "dataprep", "--since=yesterday")
    assert (wrong.status, "--since" in wrong.err) == (2, True)
    assert apps("logs", "dataprep", "--level=LOUD").status == 2


def test_events_of_listeners_are_listed_retried_and_dropped(apps: Callable[..., CommandResult], database: Path) -> None:
    assert apps("events", "dataprep").status == 0
    with closing(open_catalog_file(database)) as catalog:
        parked = DeadEvent("dataprep", "Recorder", 1, ORDERS, 12, 8, 1, True, "ValueError: no lake", 1_000)
        waiting = DeadEvent("dataprep", "Recorder", 1, ORDERS, 13)
        for event in (parked, waiting):
            catalog.provider.tx_runner.run(lambda tx, event=event: write_event(tx, event))
    listed = apps("events", "dataprep", "--json").answer["events"]
    assert [(event["number"], event["parked"], event["problem"]) for event in listed] == [
        (12, True, "ValueError: no lake"),
        (13, False, ""),
    ]
    assert "parked" in apps("events", "dataprep").out
    assert "the listener Recorder cannot handle 1 event" in apps("list").out
    assert apps("retry-event", "dataprep", "Recorder", "12").out == "Event 12 will be retried.\n"
    assert apps("drop-event", "dataprep", "Recorder", "13").out == "Event 13 was dropped.\n"
    missing = apps("drop-event", "dataprep", "Recorder", "13")
    assert (missing.status, missing.err) == (1, "jupyter colophon: event '13' not found\n")
