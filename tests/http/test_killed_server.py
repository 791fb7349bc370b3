"""A server is killed while a kernel and a scheduled pipeline run: the next server on the store ends these runs."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import Transport
from live import LiveServer, run_live_server
from support.urns import CELL

TABLE = "urn:li:dataset:(urn:li:dataPlatform:spark,sales.orders,PROD)"
ACTION = {
    "name": "a",
    "type": "action",
    "plugin": "set-metadata",
    "properties": {"dataset": "orders", "tags": ["said"]},
}
#: A server, runs of a kernel that it had, and of a schedule.
Killed = tuple[LiveServer, list[str], dict[str, Any]]
BEGIN = f"""
import os
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.transport import ServerAddress, Transport
catalog = Operations(Transport(ServerAddress(os.environ["COLOPHON_URL"], os.environ["COLOPHON_TOKEN"])))
begun = {{"program": "{CELL}", "start": "2026-11-20T12:00:00Z"}}
for run, more in (("left", {{}}), ("done", {{"status": "succeeded", "end": "2026-11-20T12:00:01Z"}})):
    print(catalog.start_run(begun | {{"runId": run}} | more)["urn"])
"""


def waited(found: Callable[[], Any], is_so: Callable[[Any], bool]) -> Any:
    pause = threading.Event()
    for _ in range(1_500):
        if is_so(reported := found()):
            return reported
        pause.wait(0.2)
    raise AssertionError(reported)


def native(server: LiveServer) -> Transport:
    return server.create_transport()


def keep(server: LiveServer, name: str, schema: str, **metadata: Any) -> None:
    body = {"name": name, "display_name": name, "schema_name": schema, "metadata": {"namespace": "sales", **metadata}}
    native(server).request("POST", "/schemaspaces/pipelines/instances", body=body)


def tag(catalog: Operations, *tags: str) -> None:
    value = {"properties": {}, "tags": list(tags)}
    catalog.submit_proposals(
        {"proposals": [{"urn": TABLE, "aspect": "businessMetadata", "operation": "upsert", "value": value}]}
    )


def state(server: LiveServer) -> Any:
    return native(server).request("GET", "/pipelines/schedules").body["schedules"][0]


def files(server: LiveServer, pattern: str) -> list[Path]:
    return list((server.data / "colophon").glob(pattern))


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killed]:
    """A server that was killed and started again; the runs of its kernel, and the one that a schedule started."""
    root, home = tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("home")
    starts = "--Colophon.max_scheduled_runs=1"
    with run_live_server(root, home, starts) as server:
        catalog = server.create_client()
        server.create_transport("/colophon/v3").request("PUT", "/namespaces/sales", body={})
        others = catalog.start_run({"program": CELL, "start": "2026-11-20T12:00:00Z", "runId": "others"})["urn"]
        keep(server, "says", "pipeline", stages=[ACTION])
        keep(server, "told", "schedule", pipeline="says", on_change={"tag": "fresh"})
        waited(lambda: state(server), lambda one: one["status"] == "" and one["enabled"])
        kernel = server.open("killed.ipynb")
        runs = kernel.run(BEGIN, "a").text.split()
        tag(catalog, "fresh")
        begun = waited(lambda: state(server), lambda one: one["status"] == "running")["run"]
        scheduled = waited(lambda: [run for run in catalog.list_runs()["runs"] if run["runId"] == begun], bool)[0]
        server.kill()
        server.start(starts)
        yield server, [*runs, others], scheduled


def test_killed_server_ends_only_runs_of_its_kernels(killed: Killed) -> None:
    server, (left, done, others), _ = killed
    catalog = server.create_client()
    reported = waited(lambda: catalog.read_run(left), lambda run: run["status"] != "running")
    assert (reported["status"], reported["facts"]["error"]) == ("killed", "the kernel's server was killed")
    assert [catalog.read_run(urn)["status"] for urn in (done, others)] == ["succeeded", "running"]
    # The killed server's records of its kernels are removed; this server had none.
    assert waited(lambda: files(server, "servers/*/*"), lambda found: not found) == []


def test_killed_server_ends_its_pipeline_without_restart(killed: Killed) -> None:
    server, _, scheduled = killed
    reported = waited(lambda: state(server), lambda one: one["status"] != "running")
    assert (reported["status"], reported["run"]) == ("killed", scheduled["runId"])
    assert server.create_client().read_run(scheduled["urn"])["status"] == "killed"
    assert len(files(server, "pipelines/logs/*.log")) == 1


def test_clean_shutdown_leaves_no_orphaned_runs(killed: Killed) -> None:
    server, *_ = killed
    kernel = server.open("peace.ipynb")
    left, _ = (urn.replace("left", "peace") for urn in kernel.run(BEGIN.replace("left", "peace"), "a").text.split())
    assert len(files(server, "servers/*/*.kernels")) == 1
    server.stop()
    assert files(server, "servers/*/*") == []
    server.start()
    reported = server.create_client().read_run(left)
    assert (reported["status"], reported["facts"]["error"]) == ("killed", "the kernel ended")
