"""Run a Jupyter server in another process, and measure its start, its memory and its requests."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

TOKEN = "bench"


@dataclass(frozen=True, slots=True)
class Server:
    """A running server; `taken` is the number of seconds until it answered."""

    pid: int
    port: int
    taken: float

    def read_memory_mb(self) -> float:
        """Return its resident memory."""
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6

    def read_cpu_ms(self) -> float:
        """Return the CPU time of its threads, to the nanosecond if the kernel counts them."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6

    @contextmanager
    def open_client(self) -> Iterator["Client"]:
        """Open a connection that is kept alive."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            yield Client(connection)
        finally:
            connection.close()


@dataclass(frozen=True, slots=True)
class Client:
    """Sends requests over one connection."""

    connection: HTTPConnection

    def request(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request, and return the answer; anything but success is an error."""
        headers = {"Authorization": f"token {TOKEN}", "Content-Type": "application/json"}
        raw = None if body is None else json.dumps(body)
        self.connection.request(method, path, raw, headers)
        answer = self.connection.getresponse()
        text = answer.read()
        assert answer.status < 300, (path, answer.status, text)
        return json.loads(text) if text else None


@contextmanager
def start_server(
    *extensions: str,
    options: tuple[str, ...] = (),
    python: str = sys.executable,
    known: tuple[str, ...] = ("jupyter_colophon", "trivial"),
    fill: Callable[[Path], None] = lambda home: None,
) -> Iterator[Server]:
    """Run a server of an installation with the given extensions, and with its own home, filled in advance."""
    with TemporaryDirectory() as home:
        fill(Path(home))
        port = _find_free_port()
        chosen = {name: name in extensions for name in known}
        flags = [f"--port={port}", f"--IdentityProvider.token={TOKEN}", f"--ServerApp.jpserver_extensions={chosen}"]
        command = [python, "-m", "jupyter_server", "--no-browser", "--allow-root", *flags, *options]
        begun = time.perf_counter()
        process = subprocess.Popen(command, cwd=home, env=_create_environment(home), stderr=subprocess.DEVNULL)
        try:
            _wait_until_answering(port)
            yield Server(process.pid, port, time.perf_counter() - begun)
        finally:
            process.terminate()
            process.wait(timeout=60)


def _create_environment(home: str) -> dict[str, str]:
    """Return our environment with its own home; modules are compiled once, as in an installation."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    path = os.pathsep.join(filter(None, (str(Path(__file__).parent), kept.get("PYTHONPATH"))))
    return kept | {"HOME": home, "PYTHONPATH": path}


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_answering(port: int) -> None:
    while True:
        try:
            with urlopen(f"http://127.0.0.1:{port}/api"):
                return
        except (URLError, ConnectionError):
            time.sleep(0.01)
