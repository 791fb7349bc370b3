"""`jupyter colophon runs`, on a local store and on a server."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.identity.names import make_program_urn
from live import LiveServer
from support.commands import CommandResult, Commands
from support.urns import ORDERS, build_table_urn

Call = Callable[..., CommandResult]
LOAD = str(make_program_urn("shop", "etl", "flows", "Load"))
TIME = "2026-11-20T12:0{}:00.000Z"


@pytest.fixture(scope="module")
def served(served: LiveServer) -> LiveServer:
    """A server with three runs."""
    catalog = served.create_client()
    catalog.write_aspect(ORDERS, "technicalMetadata", {"properties": {}, "tags": []})
    catalog.write_aspect(ORDERS, "businessMetadata", {"properties": {"owner": "then"}, "tags": ["raw"]})
    for minute, status in enumerate(["succeeded", "failed", "running"]):
        run = {"program": LOAD, "runId": f"r{minute}", "start": TIME.format(minute), "arguments": {"in": "/a"}}
        urn = catalog.start_run(run)["urn"]
        catalog.record_accesses(urn, {"accesses": [{"data": ORDERS, "mode": "read", "component": "join"}]})
        if status != "running":
            catalog.update_run(urn, {"status": status, "end": TIME.format(minute + 1), "facts": {"rows": 3}})
    catalog.write_aspect(ORDERS, "businessMetadata", {"properties": {"owner": "now"}, "tags": []})
    catalog.close()
    return served


@pytest.fixture(params=["store", "server"])
def call(request: pytest.FixtureRequest, served: LiveServer, tmp_path: Path) -> Call:
    """Run a command on the catalog's file or on its server."""
    home = tmp_path / "home"
    home.mkdir()
    commands = Commands(home, served.data / "colophon" / "colophon.db", environment={"COLOPHON_TOKEN": served.token})
    if request.param == "store":
        return commands
    return lambda *arguments: commands.run(*arguments, f"--url={served.url}")


def test_runs_are_listed_within_interval(call: Call) -> None:
    def ids(*arguments: str) -> list[Any]:
        return [one["runId"] for one in call("runs", *arguments, "--json").answer["runs"]]

    for meant in ("shop/etl/flows/Load", LOAD, "sales.orders", ORDERS):
        assert ids(meant) == ["r2", "r1", "r0"]
    assert ids("sales.orders", "--limit=1") == ["r2"]
    assert ids("sales.orders", "--status=failed") == ["r1"]
    assert ids("sales.orders", "--start=2026-11-20T12:01:30Z") == ["r2", "r1"]
    assert ids("sales.orders", "--end=2026-11-20T12:01:00Z", "--start=0") == ["r0"]
    text = call("runs", "sales.orders").out.splitlines()
    assert text[0].split() == ["program", "status", "started", "ended", "by", "touched", "run"]
    assert text[3].startswith("Load     failed")
    missing = call("runs", build_table_urn("none"))
    assert (missing.status, "dataset 'sales.none' not found" in missing.err) == (1, True)


def test_run_is_shown_with_metadata_of_that_time(call: Call) -> None:
    urn = call("runs", "sales.orders", "--json").answer["runs"][2]["urn"]
    shown = call("runs", urn, "--json").answer
    assert (shown["status"], shown["arguments"], shown["facts"]) == ("succeeded", {"in": "/a"}, {"rows": 3})
    assert [(one["role"], one["mode"], one["name"]) for one in shown["accesses"]] == [
        ("program", None, "Load"),
        ("application", None, "etl"),
        ("data", "read", "orders"),
    ]
    assert shown["accesses"][2]["user"] == {"properties": {"owner": "then"}, "tags": ["raw"]}
    text = call("runs", urn).out
    assert "owner=then raw" in text
    assert "argument  in    /a" in text


def test_run_log_keeps_line_breaks(served: LiveServer, call: Call) -> None:
    catalog = served.create_client()
    facts = {"log": "first\nsecond \x1b[31mred", "source": "a = 1\nb = 2"}
    run = {
        "program": str(make_program_urn("shop", "logged", "flows", "Load")),
        "runId": "logged",
        "start": "2026-11-19T12:00:00Z",
        "facts": facts,
    }
    urn = catalog.start_run(run)["urn"]
    catalog.close()
    text = call("runs", urn).out
    assert text.endswith("source\n  a = 1\n  b = 2\nlog\n  first\n  second \ufffd[31mred\n")


def test_missing_or_invalid_entity_prints_one_line(call: Call) -> None:
    absent = call("runs", "urn:li:dataProcessInstance:0b0f7f6e-2f1e-4c0e-9a6e-1f3a0f6f7a10")
    assert (absent.status, absent.err.count("\n")) == (1, 1)
    for wrong in (["orders"], ["shop/etl/tables/Load"]):
        refused = call("runs", *wrong)
        assert (refused.status, refused.err.count("\n")) == (1, 1), wrong
    backwards = call("runs", "sales.orders", "--start=now", "--end=now-1d")
    assert (backwards.status, "--start" in backwards.err) == (2, True)
    for usage in (
        [],
        ["a.b", "c"],
        ["sales.orders", "--start=soon"],
        ["sales.orders", "--status=done"],
        ["sales.orders", "--limit=0"],
    ):
        assert call("runs", *usage).status == 2, usage
