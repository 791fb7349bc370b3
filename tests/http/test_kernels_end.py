"""A run whose kernel ends without a word does not go on for ever."""

import asyncio
import os
import signal
from typing import Any

import pytest
from support.policies import Closing
from support.urns import CELL, NOTEBOOK

CLOSED = "urn:li:dataJob:(urn:li:dataFlow:(colophon,all,closed),flows.Load)"

TELL = "import os; print(os.environ['COLOPHON_TOKEN'], os.getpid())"
PATIENCE_S = 300


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any]) -> dict[str, Any]:
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | {"policy": "support.policies.Closing"}}


async def started(server: Any) -> tuple[str, dict[str, str], int]:
    """A real kernel: its id, what it shows to the server, and its process."""
    kernel = await server.kernel_manager.start_kernel()
    client = server.kernel_manager.get_kernel(kernel).client()
    client.start_channels()
    await client.wait_for_ready(timeout=300)
    said: list[str] = []

    def hear(message: Any) -> None:
        if message["msg_type"] == "stream":
            said.append(message["content"]["text"])

    await client.execute_interactive(TELL, output_hook=hear, timeout=300)
    client.stop_channels()
    token, process = "".join(said).split()
    return kernel, {"Authorization": f"token {token}"}, int(process)


async def ended(api: Any, urn: str) -> Any:
    for _ in range(PATIENCE_S * 10):
        found = (await api("GET", "runs", urn, answers="run")).body
        if found["status"] != "running":
            return found
        await asyncio.sleep(0.1)
    raise AssertionError("the run goes on")


async def begin(api: Any, headers: Any, program: str, run_id: str, **more: str) -> str:
    body = {"program": program, "runId": run_id, "start": "2026-11-20T12:00:00Z", **more}
    found = await api("POST", "runs", body=body, headers=headers, answers="run")
    assert found.status == 200
    return str(found.body["urn"])


async def test_what_a_kernel_left_running_is_killed_when_it_is_shut_down(
    api: Any, jp_serverapp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel, headers, _ = await started(jp_serverapp)
    # Its user may not say any more how this one ended, which keeps no other going.
    closed = await begin(api, headers, CLOSED, "closed")
    monkeypatch.setattr(Closing, "closed", {"closed"})
    session = await begin(api, headers, NOTEBOOK, "session")
    cell = await begin(api, headers, CELL, "cell", parent=session)
    done = await begin(api, headers, CELL, "done", status="succeeded", end="2026-11-20T12:00:01Z")
    others = await begin(api, {}, CELL, "others")
    await jp_serverapp.kernel_manager.shutdown_kernel(kernel)
    for urn in (session, cell):
        assert (await ended(api, urn))["status"] == "killed"
    assert (await api("GET", "runs", done, answers="run")).body["status"] == "succeeded"
    for urn in (others, closed):
        assert (await api("GET", "runs", urn, answers="run")).body["status"] == "running"
    changes = (await api("GET", "changes", params={"urn": CELL}, answers="changes")).body["changes"]
    assert [one["value"] for one in changes if one["run"] == cell] == [{"status": "running"}, {"status": "killed"}]


async def test_what_a_kernel_was_running_when_it_died_is_killed_and_its_successor_begins_anew(
    api: Any, jp_serverapp: Any
) -> None:
    kernel, headers, process = await started(jp_serverapp)
    urn = await begin(api, headers, CELL, "cell")
    os.kill(process, signal.SIGKILL)
    assert (await ended(api, urn))["status"] == "killed"
    assert kernel in jp_serverapp.kernel_manager.list_kernel_ids()
    # One that is still beginning cannot be shut down.
    await jp_serverapp.kernel_manager.get_kernel(kernel).ready
    await jp_serverapp.kernel_manager.shutdown_kernel(kernel)
