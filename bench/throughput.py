"""Compare the requests a second that one and four processes of `jupyter colophon serve` answer, on PostgreSQL."""

import http.client
import json
import sys
import threading
import time
from collections.abc import Iterator
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

from jupyter_colophon.core.identity.names import make_home_dataset_urn

TESTS = str(Path(__file__).parents[1] / "tests")
#: Processes that send requests, the connections of each, and for how long, in seconds.
SENDERS, CONNECTIONS, MEASURED_S = 2, 8, 8.0
#: How many times each side is measured; the sides take turns.
ROUNDS = 3
_FEW, _MANY = 1, 4
_KINDS = ("reads", "writes")


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    # The tests have the PostgreSQL and the service.
    if TESTS not in sys.path:
        sys.path.append(TESTS)
    from support.postgres import create_empty_store
    from support.service import run_service

    best: dict[tuple[int, str], float] = {}
    for _ in range(ROUNDS):
        for processes in (_FEW, _MANY):
            with (
                TemporaryDirectory() as folder,
                create_empty_store() as store,
                run_service(Path(folder), store, processes) as service,
            ):
                for kind in _KINDS:
                    found = _measure_rate(service.port, service.token, kind)
                    best[processes, kind] = max(best.get((processes, kind), 0.0), found)
    for kind in _KINDS:
        many, few = best[_MANY, kind], best[_FEW, kind]
        yield (
            f"{kind} a second, {_MANY} processes of the shared service on PostgreSQL",
            f"{many:.0f}",
            f"{few:.0f} (one process)",
            f"{many / few:.2f}x",
            "-",
        )


def _measure_rate(port: int, token: str, kind: str) -> float:
    """Return the requests a second that are answered to several processes."""
    context = get_context("spawn")
    counts = context.Queue()
    senders = [
        context.Process(target=send_for_a_while, args=(port, token, kind, number, counts)) for number in range(SENDERS)
    ]
    for sender in senders:
        sender.start()
    total = sum(counts.get() for _ in senders)
    for sender in senders:
        sender.join()
    return float(total)


def send_for_a_while(port: int, token: str, kind: str, sender: int, counts: "Queue[float]") -> None:
    """Send requests on several connections without a pause, and put how many were answered a second."""
    sys.setswitchinterval(0.001)
    answered = [0] * CONNECTIONS
    begun, end = threading.Barrier(CONNECTIONS + 1), threading.Event()

    def send(at: int) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        _send_one(connection, token, "writes", sender * CONNECTIONS + at)
        begun.wait()
        while not end.is_set():
            _send_one(connection, token, kind, sender * CONNECTIONS + at)
            answered[at] += 1
        connection.close()

    threads = [threading.Thread(target=send, args=(at,)) for at in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    begun.wait()
    started = time.perf_counter()
    time.sleep(MEASURED_S)
    total, seconds = sum(answered), time.perf_counter() - started
    end.set()
    for thread in threads:
        thread.join()
    counts.put(total / seconds)


def _send_one(connection: http.client.HTTPConnection, token: str, kind: str, number: int) -> None:
    urn = quote(str(make_home_dataset_urn("default", f"table{number}")), safe="")
    headers = {"Authorization": f"token {token}", "Content-Type": "application/json"}
    if kind == "reads":
        connection.request("GET", f"/colophon/api/entities/{urn}", headers=headers)
    else:
        value = {"properties": {"at": str(time.time_ns())}, "tags": []}
        path = f"/colophon/api/entities/{urn}/aspects/businessMetadata"
        connection.request("PUT", path, json.dumps(value), headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise RuntimeError(f"{answer.status}: {text[:200]!r}")
