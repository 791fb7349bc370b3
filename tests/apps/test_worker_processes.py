"""Services in worker processes: their number, what fails with a process, and what ends it."""

import json
import logging
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.apps.workers.service_instances import ServiceInstances
from jupyter_colophon.apps.workers.service_workers import compute_share
from jupyter_colophon.apps.workers.worker_pool import WorkerPool
from jupyter_colophon.apps.workers.worker_process import WorkerLauncher
from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.errors import (
    AlreadyExists,
    NotFound,
    SystemAppFailed,
    SystemAppTimeout,
    SystemAppUnavailable,
)
from jupyter_colophon.settings import Settings
from support.catalog import ADA, open_catalog_file
from support.process import start_script_process
from support.scaled_app import SCALED
from support.system_apps import call_app, install_app, open_apps

WAIT_S = 120
#: Enough for Python and the catalog, and soon full.
MEMORY_MIB = 1024
Call = Callable[..., Any]


def wait_for(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def is_running(process: int) -> bool:
    """Return whether any thread of a process runs: the first one may have ended before the others."""
    folder = Path(f"/proc/{process}")
    try:
        return (folder / "stat").read_text().split()[2] != "Z" or len(list((folder / "task").iterdir())) > 1
    except (FileNotFoundError, ProcessLookupError):
        return False


def open_scaled_apps(database: Path) -> tuple[Any, SystemApps]:
    """Open a catalog as one server, with its worker processes."""
    catalog = open_catalog_file(database)
    settings = Settings(database=str(database)).collect_catalog_settings()
    launcher = WorkerLauncher("jupyter_colophon.operations.app_worker", settings, MEMORY_MIB)
    return catalog, open_apps(catalog, launcher=launcher)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("scaled")
    with pytest.MonkeyPatch.context() as patch:
        install_app(folder / "site", SCALED, "scaled", "Scaled")
        patch.syspath_prepend(str(folder / "site"))
        yield folder / "store.db"


@pytest.fixture(scope="module")
def apps(database: Path) -> Iterator[SystemApps]:
    """The applications of a server, with two processes of the service."""
    catalog, opened = open_scaled_apps(database)
    catalog.deployer.create_or_update_namespace("sales", {"description": ""}, ADA)
    opened.set_instances("scaled", "service", 2)
    opened.start_all()
    yield opened
    opened.close()
    catalog.close()


@pytest.fixture
def call(apps: SystemApps) -> Call:
    """`call("GET", "/process")`; two processes run at the beginning of each test."""
    wait_for(lambda: apps.read_instances("scaled", "service") == ServiceInstances(2, 2, 2))

    def call_method(method: str, path: str, *arguments: Any, **options: Any) -> Any:
        return call_app(apps, method, path, *arguments, app="scaled", **options)

    return call_method


def count_running(apps: SystemApps) -> int:
    """Return how many processes of the service run in a server."""
    (scaled,) = (state for state in apps.list_states() if state.name == "scaled")
    return next(workers.running for workers in scaled.workers if workers.service == "service")


def list_processes(call: Call) -> set[int]:
    """Return the processes that answer calls which run at the same time."""
    with ThreadPoolExecutor(4) as threads:
        answers = threads.map(lambda _: call("GET", "/wait", query={"seconds": ["0.1"]}), range(8))
        return {answer["process"] for answer in answers}


def test_calls_are_spread_over_processes(call: Call) -> None:
    processes = list_processes(call)
    assert len(processes) == 2
    assert os.getpid() not in processes


def test_call_passes_request_caller_transaction_and_errors(call: Call) -> None:
    kernel = Principal("grace", "kernel-1", KERNEL_ACTIONS, frozenset({"team"}), namespaces=frozenset({"sales"}))
    counted = [
        call("POST", "/contexts/sales/a%2Fb", {"url": "x"}, query={"a": ["1", "ä"]}, principal=kernel) for _ in range(3)
    ]
    assert counted[-1] == {"uses": 3, "body": 12, "query": ["1", "ä"]}
    assert call("GET", "/contexts/sales", principal=kernel) == {"uses": 3, "namespaces": ["sales"]}
    assert call("GET", "/process")["user"] == "ada"
    with pytest.raises(AlreadyExists, match="connection 'lake' already exists") as refused:
        call("GET", "/refuse")
    assert (refused.value.kind, refused.value.name) == ("connection", "lake")
    with pytest.raises(SystemAppFailed, match=r"the handler of GET /fail raised ValueError$"):
        call("GET", "/fail")
    with pytest.raises(SystemAppFailed, match=r"GET /no-spark raised RuntimeError$"):
        call("GET", "/no-spark")
    with pytest.raises(NotFound, match="Namespace 'other' not found"):
        call("POST", "/contexts/other/a", query={"a": ["1"]}, principal=kernel)


def test_number_changes_under_load_without_a_lost_call(call: Call, apps: SystemApps) -> None:
    stop, seen = threading.Event(), Counter[int]()

    def send_calls() -> int:
        sent = 0
        while not stop.is_set():
            seen[call("GET", "/process")["process"]] += 1
            sent += 1
        return sent

    with ThreadPoolExecutor(3) as threads:
        senders = [threads.submit(send_calls) for _ in range(3)]
        try:
            for number in (3, 1, 2):
                apps.set_instances("scaled", "service", number)
                wait_for(lambda: apps.read_instances("scaled", "service") == ServiceInstances(number, number, number))  # noqa: B023
                # Each of the first three processes answers.
                wait_for(lambda: len(seen) >= 3 or number != 3)  # noqa: B023
        finally:
            stop.set()
        sent = sum(sender.result(WAIT_S) for sender in senders)
    assert sum(seen.values()) == sent
    assert len(seen) >= 3


def test_service_returns_to_threads_without_a_lost_call(call: Call, apps: SystemApps) -> None:
    processes = list_processes(call)
    request = ServiceRequest("GET", {}, {"seconds": ["0.3"]})
    received = ReceivedAppCall("scaled", "service", ["wait"], request, ADA)
    # Two run in the processes, and the others wait for them.
    futures = [
        apps.submit_call(apps.prepare_call(received), lambda encoded: json.loads(encoded.body)) for _ in range(28)
    ]
    wait_for(lambda: futures[0].running() or futures[0].done())
    apps.set_instances("scaled", "service", 0)
    answers = [future.result(WAIT_S)["process"] for future in futures]
    assert (answers[0] in processes, answers[-1]) == (True, os.getpid())
    assert apps.read_instances("scaled", "service") == ServiceInstances(1, 1, 1)
    assert call_app(apps, "GET", "/process", app="scaled")["process"] == os.getpid()
    wait_for(lambda: not any(is_running(process) for process in processes))
    apps.set_instances("scaled", "service", 2)


def test_killed_process_fails_its_call_only(call: Call, apps: SystemApps, tmp_path: Path) -> None:
    restarts = apps.count_workers().restarts
    with ThreadPoolExecutor(2) as threads:
        killed = call("GET", "/process")["process"]
        query = {"folder": [str(tmp_path)]}
        waiting = [threads.submit(call, "GET", "/wait-for-file", query=query) for _ in range(2)]
        wait_for(lambda: len(list(tmp_path.iterdir())) == 2)
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: any(future.done() for future in waiting))
        (tmp_path / "go-on").touch()
        errors = [future.exception(WAIT_S) for future in waiting]
    assert sorted(type(error).__name__ for error in errors) == ["NoneType", "SystemAppFailed"]
    assert any("ended by the signal 9" in str(error) for error in errors)
    assert killed != call("GET", "/process")["process"]
    wait_for(lambda: apps.count_workers().restarts == restarts + 1)
    # An idle process that ended fails no call.
    idle = next(iter(list_processes(call)))
    os.kill(idle, signal.SIGKILL)
    wait_for(lambda: not is_running(idle))
    assert [call("GET", "/process")["user"] for _ in range(4)] == 4 * ["ada"]


def test_hanging_handler_ends_with_its_process(call: Call) -> None:
    with pytest.raises(SystemAppTimeout, match="did not answer within 1 s"):
        call("GET", "/hang")
    assert call("GET", "/process")["user"] == "ada"


def test_leaking_handler_ends_only_its_process(call: Call, apps: SystemApps) -> None:
    restarts = apps.count_workers().restarts
    with pytest.raises(SystemAppFailed, match=r"MemoryError|its worker process"):
        call("GET", "/leak")
    assert call("GET", "/process")["user"] == "ada"
    wait_for(lambda: apps.count_workers().restarts == restarts + 1)


def test_process_that_ends_itself_is_explained_and_replaced(call: Call) -> None:
    with pytest.raises(SystemAppFailed, match="its worker process ended with the status 7"):
        call("GET", "/end")
    assert call("GET", "/process")["user"] == "ada"


def test_output_is_logged_up_to_a_limit(call: Call, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "jupyter_colophon.apps"):
        assert call("GET", "/flood")["user"] == "ada"
        wait_for(lambda: "is omitted" in caplog.text)
    assert "scaled/service: flood 0 xxx" in caplog.text
    assert len(caplog.text) < 2_000_000


def test_names_have_aliases(apps: SystemApps, call: Call) -> None:
    assert call_app(apps, "GET", "/process", app="short", service="main")["user"] == "ada"
    assert apps.read_instances("short", "main").requested == 2
    with pytest.raises(NotFound, match="service 'jobs' not found"):
        call("GET", "/process", service="jobs")
    with pytest.raises(NotFound, match="service 'other' not found"):
        apps.set_instances("scaled", "other", 2)


def test_service_with_spark_starts_with_its_first_call(apps: SystemApps, call: Call) -> None:
    assert apps.read_instances("scaled", "jobs") == ServiceInstances(1, 1, 0)
    first = call("GET", "/process", service="jobs", kind="spark")["process"]
    assert first != os.getpid()
    assert apps.read_instances("scaled", "jobs") == ServiceInstances(1, 1, 1)
    with pytest.raises(NotFound):
        call("GET", "/process", kind="spark")


def test_number_holds_after_a_restart_and_is_shared_by_servers(
    apps: SystemApps, call: Call, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apps.set_instances("scaled", "service", 3)
    wait_for(lambda: apps.read_instances("scaled", "service").provisioned == 3)
    catalog, other = open_scaled_apps(database)
    try:
        other.start_all()
        # A process that runs no workers knows the number, too.
        wait_for(
            lambda: open_apps(catalog, serves=False).read_instances("scaled", "service") == ServiceInstances(3, 3, 3)
        )
        wait_for(lambda: sorted(count_running(one) for one in (apps, other)) == [1, 2])
        processes = {call_app(other, "GET", "/process", app="scaled")["process"] for _ in range(4)}
    finally:
        other.close()
        catalog.close()
    assert not any(is_running(process) for process in processes)
    apps.set_instances("scaled", "service", 2)


@pytest.mark.parametrize(
    ("instances", "servers", "shares"), [(4, 2, [2, 2]), (5, 3, [2, 2, 1]), (1, 3, [1, 1, 1]), (3, 1, [3])]
)
def test_servers_share_the_number(instances: int, servers: int, shares: list[int]) -> None:
    assert [compute_share(instances, position, servers) for position in range(servers)] == shares


def test_calls_beyond_the_queue_are_refused_and_a_stopped_pool_takes_none() -> None:
    pool = WorkerPool("scaled", "service", lambda: SimpleNamespace())  # type: ignore[arg-type,return-value]
    waiting = [pool.submit_call(None, lambda answer: answer) for _ in range(28)]  # type: ignore[arg-type]
    with pytest.raises(SystemAppUnavailable, match="28 are waiting"):
        pool.submit_call(None, lambda answer: answer)  # type: ignore[arg-type]
    assert waiting[0].cancel()
    pool.submit_call(None, lambda answer: answer)  # type: ignore[arg-type]
    pool.close()
    assert all(future.cancelled() for future in waiting)
    with pytest.raises(SystemAppUnavailable, match="stopping"):
        pool.submit_call(None, lambda answer: answer)  # type: ignore[arg-type]


SERVER = """
import sys, time
from pathlib import Path
sys.path[:0] = sys.argv[2:]
from apps.test_worker_processes import open_scaled_apps, wait_for
from support.system_apps import call_app
catalog, apps = open_scaled_apps(Path(sys.argv[1]))
apps.start_all()
wait_for(lambda: apps.count_workers().running >= 1)
print(call_app(apps, "GET", "/process", app="scaled")["process"], flush=True)
call_app(apps, "GET", "/wait", app="scaled", query={"seconds": ["100"]})
"""


@pytest.mark.usefixtures("call")
def test_processes_end_with_a_killed_server(database: Path) -> None:
    with start_script_process(
        SERVER, str(database), str(Path(__file__).parents[1]), str(database.parent / "site")
    ) as server:
        assert server.stdout is not None
        process = int(server.stdout.readline())
        assert is_running(process)
        server.kill()
        wait_for(lambda: not is_running(process))
