"""A kernel's environment, and the end of its runs, its token and its connections."""

import asyncio
import os
import signal
import stat
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.events import open_event_stream
from support.policies import ClosedNamespaces
from support.urns import CELL, NOTEBOOK
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

CLOSED = "urn:li:dataJob:(urn:li:dataFlow:(colophon,all,closed),flows.Load)"

REPORT = "import os; print(os.environ['COLOPHON_TOKEN'], os.getpid(), *os.environ)"
#: Variables of the server with credentials of its own, which no kernel gets.
SERVERS = ("JUPYTER_TOKEN", "JUPYTERHUB_API_TOKEN", "JPY_API_TOKEN", "PGPASSWORD")
PATIENCE_S = 300


@pytest.fixture
def folder(jp_data_dir: Path) -> Iterator[Path]:
    """The product's folder as an earlier version left it, with a umask that lets all users read new files."""
    before = os.umask(0)
    folder = jp_data_dir / "colophon"
    folder.mkdir(mode=0o755)
    yield folder
    os.umask(before)


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], folder: Path) -> dict[str, Any]:
    settings = {
        "policy": "support.policies.ClosedNamespaces",
        "kernel_env_passthrough": ["JUPYTERHUB_CRYPT_KEY"],
        "capture": False,
        "record_cell_source": True,
        "confidential_warnings": False,
        "write_profiles": True,
    }
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | settings}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def started(server: Any) -> tuple[str, dict[str, str], int, set[str]]:
    """A real kernel: its id, its headers, its process, and the names of its variables."""
    kernel = await server.kernel_manager.start_kernel()
    client = server.kernel_manager.get_kernel(kernel).client()
    client.start_channels()
    await client.wait_for_ready(timeout=300)
    recorded: list[str] = []

    def receive(message: Any) -> None:
        if message["msg_type"] == "stream":
            recorded.append(message["content"]["text"])

    await client.execute_interactive(REPORT, output_hook=receive, timeout=300)
    client.stop_channels()
    token, process, *names = "".join(recorded).split()
    return kernel, {"Authorization": f"token {token}"}, int(process), set(names)


async def ended(api: Any, urn: str) -> Any:
    for _ in range(PATIENCE_S * 10):
        found = (await api("GET", "runs", urn, answers="run")).body
        if found["status"] != "running":
            return found
        await asyncio.sleep(0.1)
    raise AssertionError("the run goes on")


async def wait_for_successor(manager: Any, process: int) -> None:
    """Wait until the restarter has replaced a process and is done.

    Awaiting `manager.ready` once is not enough: a restart has one future for the shutdown, another one for the start,
    and between them the first is done. Once there is a new process, the future is that of the start.
    """
    for _ in range(PATIENCE_S * 10):
        provisioner = manager.provisioner
        if provisioner is not None and provisioner.pid not in (None, process) and manager.ready.done():
            return
        await asyncio.sleep(0.1)
    raise AssertionError("the kernel has no successor")


async def begin(api: Any, headers: Any, program: str, run_id: str, **more: str) -> str:
    body = {"program": program, "runId": run_id, "start": "2026-11-20T12:00:00Z", **more}
    found = await api("POST", "runs", body=body, headers=headers, answers="run")
    assert found.status == 200
    return str(found.body["urn"])


async def test_shutdown_kernel_marks_its_runs_killed(
    api: Any, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch, jp_http_port: int, jp_base_url: str, folder: Path
) -> None:
    assert mode(folder) == 0o700
    for name in (*SERVERS, "JUPYTERHUB_CRYPT_KEY", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "theirs")
    kernel, headers, _, names = await started(jp_serverapp)
    assert not names.intersection(SERVERS)
    assert names.issuperset({"JUPYTERHUB_CRYPT_KEY", "AWS_SECRET_ACCESS_KEY", "PATH"})
    assert names.issuperset({"COLOPHON_CAPTURE", "COLOPHON_CELL_SOURCE", "COLOPHON_CONFIDENTIAL_WARNINGS"})
    assert "COLOPHON_WRITE_PROFILES" in names
    url = f"ws://127.0.0.1:{jp_http_port}{jp_base_url}colophon/api/changes/ws"
    socket = await websocket_connect(HTTPRequest(url, headers=headers))
    assert await socket.read_message() is not None
    # Its user may no longer report how this run ended; other runs end all the same.
    closed = await begin(api, headers, CLOSED, "closed")
    monkeypatch.setattr(ClosedNamespaces, "closed", {"closed"})
    session = await begin(api, headers, NOTEBOOK, "session")
    cell = await begin(api, headers, CELL, "cell", parent=session)
    done = await begin(api, headers, CELL, "done", status="succeeded", end="2026-11-20T12:00:01Z")
    others = await begin(api, {}, CELL, "others")
    await jp_serverapp.kernel_manager.shutdown_kernel(kernel)
    while await socket.read_message() is not None:
        pass
    assert (socket.close_code, socket.close_reason) == (
        4401,
        "the token of the kernel was revoked, because the kernel has ended",
    )
    for urn in (session, cell):
        assert (await ended(api, urn))["status"] == "killed"
    assert (await api("GET", "runs", done, answers="run")).body["status"] == "succeeded"
    for urn in (others, closed):
        assert (await api("GET", "runs", urn, answers="run")).body["status"] == "running"
    changes = (await api("GET", "changes", params={"urn": CELL}, answers="changes")).body["changes"]
    assert [one["value"] for one in changes if one["run"] == cell] == [{"status": "running"}, {"status": "killed"}]


async def test_shutdown_waits_until_the_end_of_runs_is_recorded(
    api: Any, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, headers, *_ = await started(jp_serverapp)
    urn = await begin(api, headers, CELL, "cell")
    is_recording, can_continue = threading.Event(), threading.Event()

    def may(*_: Any) -> bool:
        is_recording.set()
        return can_continue.wait(PATIENCE_S)

    monkeypatch.setattr(ClosedNamespaces, "may", may)
    shutdown = asyncio.ensure_future(jp_serverapp.kernel_manager.shutdown_kernel(kernel))
    assert await asyncio.to_thread(is_recording.wait, PATIENCE_S)
    # A server that stops waits for its kernels, and its threads write nothing afterwards.
    done, _ = await asyncio.wait([shutdown], timeout=0.3)
    can_continue.set()
    assert not done
    await shutdown
    assert (await api("GET", "runs", urn, answers="run")).body["status"] == "killed"


async def test_dead_kernel_marks_its_runs_killed_before_restart(
    api: Any, jp_serverapp: Any, jp_http_port: int, jp_base_url: str, folder: Path
) -> None:
    # No request was answered before the kernel starts: it is what creates the folder.
    folder.rmdir()
    kernel, headers, process, _ = await started(jp_serverapp)
    assert {mode(folder), mode(folder / "servers")} == {0o700}
    urn = await begin(api, headers, CELL, "cell")
    events = await open_event_stream(jp_http_port, f"{jp_base_url}colophon/api/changes/stream", headers)
    assert (await events.read_next()).kind == "hello"  # type: ignore[union-attr]
    os.kill(process, signal.SIGKILL)
    while await events.read_next() is not None:
        pass
    assert (await ended(api, urn))["status"] == "killed"
    assert kernel in jp_serverapp.kernel_manager.list_kernel_ids()
    # A kernel that is still starting cannot be shut down.
    await wait_for_successor(jp_serverapp.kernel_manager.get_kernel(kernel), process)
    await jp_serverapp.kernel_manager.shutdown_kernel(kernel)
