"""`jupyter colophon serve`: nothing but the catalog is served, and no acknowledged write is lost when processes end."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import websocket
from faults.team import Team, find_violations, wait_until_inbox_is_empty
from jupyter_colophon.client.problems import RequestFailed
from jupyter_colophon.client.transport import ServerAddress, Transport
from support.commands import Commands
from support.postgres import create_empty_store
from support.service import Service, Writers, require_acknowledged, run_service, wait_for

#: Routes of a Jupyter server.
OTHER_ROUTES = [
    "api/contents",
    "api/kernels",
    "api/sessions",
    "api/me",
    "files/service.log",
    "lab",
    "tree",
    "nbconvert",
]
WRITERS = 6


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service of two processes on PostgreSQL."""
    with create_empty_store() as store, run_service(tmp_path_factory.mktemp("service"), store, processes=2) as running:
        yield running


def test_nothing_but_the_catalog_is_served(service: Service) -> None:
    transport = service.create_transport("")
    for path in OTHER_ROUTES:
        with pytest.raises(Exception, match="not enabled on this server"):
            transport.request("GET", f"/{path}")
    health = service.connect().read_health()
    assert health["store"]["provider"] == "postgresql"
    # A server of one person has no limit.
    assert health["load"]["delayLimitMs"] == 500


def test_without_a_token_every_api_refuses(service: Service) -> None:
    anonymous = Transport(ServerAddress(service.url), prefix="")
    for path in (
        "/colophon/api/me",
        "/colophon/v3/namespaces",
        "/elyra/metadata/code-snippets",
        "/colophon/openlineage/api/v1/jobs",
    ):
        with pytest.raises(RequestFailed) as refusal:
            anonymous.request("GET", path)
        assert refusal.value.status == 403


def test_the_service_runs_no_pipelines(service: Service) -> None:
    with pytest.raises(RequestFailed, match="in the shared service") as refusal:
        service.connect().read_pipeline_execution("any")
    assert refusal.value.status == 403


def test_a_killed_process_is_replaced_and_loses_no_acknowledged_write(service: Service) -> None:
    writers = Writers(service, WRITERS, goes_on=True)
    writers.start()
    killed, other = service.list_workers()
    os.kill(killed, signal.SIGKILL)
    wait_for(lambda: killed not in service.list_workers() and len(service.list_workers()) == 2)
    writers.stop()
    assert other in service.list_workers()
    assert writers.refusals == []
    require_acknowledged(writers, service)


def test_programs_see_only_their_own_while_a_process_is_killed(service: Service) -> None:
    """The small form of tests/faults/test_team.py."""
    team = Team(service, 4, 0.05)
    team.start()
    team.wait_for_writes(4)
    os.kill(service.list_workers()[0], signal.SIGKILL)
    team.wait_for_writes(12)
    team.stop()
    wait_until_inbox_is_empty(service)
    assert team.list_findings() == []
    assert find_violations(team, service.store) == []
    assert all(member.attempts + member.reads for member in team.members)


def test_doctor_checks_the_running_service(service: Service, tmp_path: Path) -> None:
    options = [f"--Colophon.storage_options={name}={value}" for name, value in service.store.options.items()]
    colophon = Commands(tmp_path, tmp_path / "unused", environment={"COLOPHON_TOKEN": service.token})

    def check(*more: str) -> dict[str, Any]:
        done = colophon("doctor", "--json", "--storage-provider=postgresql", *options, *more)
        return {one["check"]: one for one in done.answer["checks"]}

    checks = check(f"--url={service.url}")
    names = ("service", "versions of the service", "changes of the service", "clock of the service", "load")
    work = ("background work", "system applications", "calls of system applications")
    assert {checks[name]["status"] for name in (*names, *work)} == {"ok"}, checks
    assert checks["clock of the database"]["status"] == "ok"
    assert " of 200 in use" in checks["connections of the database"]["detail"]
    away = check("--url=http://127.0.0.1:1/")
    assert (away["service"]["status"], "COLOPHON_TOKEN" in away["service"]["advice"]) == ("bad", True)


def test_sigterm_answers_what_it_has_accepted(tmp_path: Path) -> None:
    with create_empty_store() as store, run_service(tmp_path, store, processes=2) as service:
        writers = Writers(service, WRITERS, goes_on=False)
        writers.start()
        socket = follow_changes(service)
        assert service.stop() == 0
        writers.stop()
        assert writers.refusals == []
        assert read_close_code(socket) == 1012
        service.start()
        written = writers.read_properties(service)
        # A write whose connection was refused or lost was not accepted.
        assert written == {urn: set(keys) for urn, keys in writers.acknowledged.items()}


def follow_changes(service: Service) -> websocket.WebSocket:
    url = service.url.replace("http", "ws", 1) + "colophon/api/changes/ws"
    socket = websocket.create_connection(url, header={"Authorization": f"token {service.token}"}, timeout=60)
    assert json.loads(socket.recv())["kind"] == "hello"
    return socket


def read_close_code(socket: websocket.WebSocket) -> int:
    while True:
        kind, data = socket.recv_data(control_frame=True)
        if kind == websocket.ABNF.OPCODE_CLOSE:
            return int.from_bytes(data[:2])
