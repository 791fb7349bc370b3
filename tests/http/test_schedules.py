"""Pipelines start by themselves: by changes and at their times, from one of the servers on a store (docs/pipelines.md)."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.transport import Transport
from live import LiveServer, run_live_server

STARTS = "--Colophon.max_scheduled_runs=2"
SALES = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.{},PROD)"
HOLDS = """
import time
from jupyter_colophon.pipelines.running_pipelines import register_running
with register_running("broken", "r1", "sales"):
    print("here", flush=True)
    time.sleep(600)
"""


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveServer, LiveServer]]:
    """Two servers on one store."""
    root = tmp_path_factory.mktemp("root")
    homes = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
    data = homes[0] / "data"
    with (
        run_live_server(root, homes[0], STARTS, data=data) as first,
        run_live_server(root, homes[1], STARTS, data=data) as second,
    ):
        v3(first).request("PUT", "/namespaces/sales", body={})
        yield first, second


def v3(server: LiveServer) -> Transport:
    return server.create_transport("/colophon/v3")


def keep(server: LiveServer, name: str, schema: str, **metadata: Any) -> None:
    body = {"name": name, "display_name": name, "schema_name": schema, "metadata": {"namespace": "sales", **metadata}}
    server.create_transport().request("POST", "/schemaspaces/pipelines/instances", body=body)


def tag(server: LiveServer, table: str, *tags: str) -> None:
    value = {"properties": {}, "tags": list(tags)}
    proposal = {"urn": SALES.format(table), "aspect": "businessMetadata", "operation": "upsert", "value": value}
    server.create_client().submit_proposals({"proposals": [proposal]})


def state(server: LiveServer, name: str) -> dict[str, Any]:
    found = server.create_transport().request("GET", "/pipelines/schedules").body
    assert found["schedulerEnabled"]
    return next(one for one in found["schedules"] if one["name"] == name)


def waited(found: Callable[[], dict[str, Any]], is_so: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    pause = threading.Event()
    for _ in range(1_500):
        if is_so(reported := found()):
            return reported
        pause.wait(0.2)
    raise AssertionError(reported)


def logs(server: LiveServer) -> list[Path]:
    return sorted((server.data / "colophon" / "pipelines" / "logs").glob("*.log"))


def pipeline(server: LiveServer, *words: str) -> dict[str, Any]:
    known = {**os.environ, "COLOPHON_URL": server.url, "COLOPHON_TOKEN": server.token}
    command = [sys.executable, "-m", "jupyter_colophon.cli", "pipeline", *words, "--json"]
    done = subprocess.run(command, env=known, capture_output=True, text=True, check=False)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize(
    ("recorded", "pointer"),
    [
        ({}, "/metadata"),
        ({"on_change": {}}, "/metadata"),
        ({"cron": "99 99 * * *"}, "/metadata/cron"),
        ({"cron": "0 0 30 2 *"}, "/metadata/cron"),
        ({"every": "PT0S"}, "/metadata/every"),
        ({"every": "PTS"}, "/metadata/every"),
        ({"every": 5}, "/metadata/every"),
        ({"cron": "* * * * *", "retry_after": "P"}, "/metadata/retry_after"),
    ],
)
def test_schedule_that_is_never_due_is_refused(
    servers: tuple[LiveServer, LiveServer], recorded: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(RequestFailed) as refused:
        keep(servers[0], "never", "schedule", pipeline="broken", **recorded)
    assert (refused.value.status, [one["pointer"] for one in refused.value.problem["errors"]]) == (400, [pointer])


def test_change_starts_a_pipeline_once_and_retries_failures(servers: tuple[LiveServer, LiveServer]) -> None:
    first, second = servers
    # A plugin that there is not: the run fails before Spark is needed.
    keep(first, "broken", "pipeline", stages=[{"name": "a", "type": "source", "plugin": "nosuch"}])
    fresh = {"entity": "sales.*orders", "aspect": "businessMetadata", "tag": "fresh"}
    keep(first, "told", "schedule", pipeline="broken", on_change=fresh, retries=1, retry_after="PT4S")
    keep(first, "often", "schedule", pipeline="broken", every="PT1H")
    keep(first, "lost", "schedule", pipeline="nosuch", on_change={"tag": "fresh"})
    assert "no pipeline nosuch" in state(first, "lost")["problem"]
    assert waited(lambda: state(first, "often"), lambda one: one["nextRun"] is not None)["run"] == ""
    for table, word in (("customers", "fresh"), ("orders", "other"), ("old_orders", "fresh")):
        tag(first, table, word)
    lost = waited(lambda: state(first, "lost"), lambda one: one["status"] != "")
    assert (lost["status"], lost["run"], "nosuch" in lost["problem"]) == ("rejected", "", True)
    waited(lambda: state(second, "told"), lambda one: one["attempts"] == 1)
    reported = waited(lambda: state(second, "told"), lambda one: one["status"] == "failed" and one["attempts"] == 0)
    assert "unknown source nosuch; available" in reported["problem"]
    # Tried twice, by one server, and no more.
    assert len(logs(first)) == 2
    (log,) = (path for path in logs(first) if path.stem == reported["run"])
    assert "unknown source nosuch; available" in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


def test_another_server_takes_over_and_disabled_schedules_never_start(servers: tuple[LiveServer, LiveServer]) -> None:
    first, second = servers
    assert pipeline(second, "disable", "often") == {"schedule": "often", "enabled": False}
    first.stop()
    before = len(logs(first))
    tag(second, "orders", "other", "fresh")
    waited(lambda: {"logs": len(logs(second))}, lambda one: one["logs"] > before)
    reported = {one["name"]: one for one in pipeline(second, "schedules")["schedules"]}
    assert (reported["often"]["enabled"], reported["often"]["nextRun"]) == (False, None)


def test_deleting_a_namespace_deletes_pipelines_and_runs(servers: tuple[LiveServer, LiveServer]) -> None:
    _, second = servers
    known = {**os.environ, "JUPYTER_DATA_DIR": str(second.data)}
    running = subprocess.Popen([sys.executable, "-c", HOLDS], env=known, stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    running.stdout.readline()
    v3(second).request("DELETE", "/namespaces/sales", query={"confirm": "sales"})
    assert running.wait(300) == -15
    assert second.create_client().list_instances("pipelines")["instances"] == []
