"""Requests per second of a system application's service at 1, 2 and 4 instances, beside the threads of the server.

One handler computes, the other waits as if for the network. With as many clients as can be answered at once, a handler
that computes cannot be faster than the cores allow, of which clients and server need a part.
"""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from serving import Client, Server, start_server

#: Concurrent clients, and for how long they send requests, in seconds.
CLIENTS, MEASURED_S = 8, 6.0
_APP = "/colophon/v3/namespaces/system/apps/benched/services/service"
_MODULE = """
import time

from jupyter_colophon.apps import SystemApp


def compute(context, request):
    return {"sum": sum(number * number for number in range(200_000))}


def wait(context, request):
    time.sleep(0.05)


class Benched(SystemApp):
    def configure(self, configurer):
        configurer.add_handler("GET", "/compute", compute)
        configurer.add_handler("GET", "/wait", wait)
"""


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    with _install_app(), start_server("jupyter_colophon") as server, server.open_client() as client:
        # The first call waits until the application has started.
        client.request("GET", f"{_APP}/methods/wait")
        threads = {path: _measure_rate(server, path) for path in ("compute", "wait")}
        for instances in (1, 2, 4):
            _scale(client, instances)
            for path, other in threads.items():
                rate = _measure_rate(server, path)
                yield (
                    f"requests of a handler that has to {path}, at {instances} instances, per second",
                    f"{rate:.1f}",
                    f"{other:.1f} (threads of the server)",
                    f"{rate / other:.2f}x",
                    "-",
                )
        yield ("cores of the machine, which clients, server and instances share", str(os.cpu_count()), "-", "-", "-")


@contextmanager
def _install_app() -> Iterator[None]:
    """Install the application for the servers that are started meanwhile."""
    before = os.environ.get("PYTHONPATH")
    with TemporaryDirectory() as folder:
        package = Path(folder, "benched-1.0.dist-info")
        package.mkdir()
        (package / "METADATA").write_text("Metadata-Version: 2.1\nName: benched\nVersion: 1.0\n")
        (package / "entry_points.txt").write_text("[jupyter_colophon.system_apps]\nbenched = benched_app:Benched\n")
        Path(folder, "benched_app.py").write_text(_MODULE)
        os.environ["PYTHONPATH"] = folder if before is None else f"{folder}{os.pathsep}{before}"
        try:
            yield
        finally:
            if before is None:
                del os.environ["PYTHONPATH"]
            else:
                os.environ["PYTHONPATH"] = before


def _scale(client: Client, instances: int) -> None:
    """Change the number of instances, and wait until all run."""
    document = client.request("PUT", f"{_APP}/instances", {"instances": instances})
    while document["provisioned"] != instances:
        time.sleep(0.1)
        document = client.request("GET", f"{_APP}/instances")


def _measure_rate(server: Server, path: str) -> float:
    """Return how many requests per second the clients complete together."""
    counts = [0] * CLIENTS
    until = time.perf_counter() + MEASURED_S

    def send_requests(number: int) -> None:
        with server.open_client() as client:
            while time.perf_counter() < until:
                client.request("GET", f"{_APP}/methods/{path}")
                counts[number] += 1

    threads = [threading.Thread(target=send_requests, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / MEASURED_S
