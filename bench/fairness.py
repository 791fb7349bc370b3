"""Compare the reads of a user while another principal floods the server with those on an idle server."""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from multiprocessing import get_context
from multiprocessing.synchronize import Event
from statistics import quantiles
from urllib.parse import quote

from jupyter_colophon.core.identity.names import make_home_dataset_urn
from serving import Client, Server, start_server

#: Requests that the flooding principal always has in flight, reads of the other one, and the pause between these.
CONNECTIONS, READS, PAUSE_S = 32, 400, 0.02
_PATH = f"/colophon/api/entities/{quote(str(make_home_dataset_urn('default', 'orders')), safe='')}"
_SETTINGS = {
    "without limits": (),
    "with 100 requests per second": ("--Colophon.max_requests_per_second=100", "--Colophon.max_request_burst=100"),
}


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    for name, options in _SETTINGS.items():
        with start_server("jupyter_colophon", options=options) as server, server.open_client() as client:
            client.request("PUT", f"{_PATH}/aspects/technicalMetadata", {"properties": {"rows": "1"}, "tags": []})
            token = client.request("POST", "/colophon/api/service-tokens", {"name": "flood", "scopes": ["read"]})
            alone = _measure_reads_ms(client)
            with _flood(server, token["token"]):
                flooded = _measure_reads_ms(client)
        for quantile, goal in ((50, "<= 2x"), (99, "-")):
            ours, other = (quantiles(taken, n=100)[quantile - 1] for taken in (flooded, alone))
            yield (
                f"read while another principal floods, {name}, p{quantile}, ms",
                f"{ours:.1f}",
                f"{other:.1f} (alone)",
                f"{ours / other:.2f}x",
                goal,
            )


def _measure_reads_ms(client: Client) -> list[float]:
    """Return the durations of reads at a person's pace."""
    taken = []
    for _ in range(READS):
        time.sleep(PAUSE_S)
        began = time.perf_counter()
        client.request("GET", _PATH)
        taken.append((time.perf_counter() - began) * 1000)
    return taken


@contextmanager
def _flood(server: Server, token: str) -> Iterator[None]:
    """Flood a server from another process."""
    context = get_context("spawn")
    begun, stopped = context.Event(), context.Event()
    process = context.Process(target=send_until_stopped, args=(server.port, token, begun, stopped))
    process.start()
    try:
        begun.wait()
        yield
    finally:
        stopped.set()
        process.join()


def send_until_stopped(port: int, token: str, begun: Event, stopped: Event) -> None:
    """Send reads on many connections without a pause, whatever is answered."""
    sys.setswitchinterval(0.001)

    def send() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        while not stopped.is_set():
            connection = HTTPConnection("127.0.0.1", port, timeout=30)
            try:
                while not stopped.is_set():
                    connection.request("GET", _PATH, headers=headers)
                    connection.getresponse().read()
                    begun.set()
            except (OSError, HTTPException):
                continue
            finally:
                connection.close()

    threads = [threading.Thread(target=send) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
