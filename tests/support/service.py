"""The shared service in processes of its own, and clients that write to it while it is stopped or restarted."""

import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import ServerUnavailable
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.core.store import StorageChoice
from support.packages import build_python_path

_START_S = 90.0
_ANSWER_S = 120.0
_TESTS = Path(__file__).parents[1]


@dataclass(slots=True)
class Service:
    """`jupyter colophon serve` on a store, below a folder."""

    folder: Path
    store: StorageChoice
    processes: int = 1
    #: Further arguments of the command.
    options: Sequence[str] = ()
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    #: Folders with further packages.
    packages: Sequence[Path] = ()
    port: int = 0
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self.port}/"

    @property
    def log(self) -> Path:
        """The log of all its processes."""
        return self.folder / "service.log"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        with socket.socket() as probe:
            # Connections of an earlier process may still be closing.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", self.port))
            self.port = int(probe.getsockname()[1])
        options = [f"--Colophon.storage_options={name}={value}" for name, value in self.store.options.items()]
        command = [sys.executable, "-m", "jupyter_colophon.cli", "serve", "--ip=127.0.0.1", f"--port={self.port}"]
        command += [f"--processes={self.processes}", "--allow-root", f"--storage-provider={self.store.provider}"]
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "COLOPHON"))
        }
        environment |= {
            "JUPYTER_TOKEN": self.token,
            "HOME": str(self.folder),
            "PYTHONPATH": build_python_path(_TESTS, *self.packages),
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command, *options, *self.options], env=environment, stdout=log, stderr=log
            )
        deadline = time.monotonic() + _START_S
        while time.monotonic() < deadline:
            assert self.process.poll() is None, self.log.read_text()
            with suppress(ServerUnavailable):
                self.connect().read_me()
                return
            time.sleep(0.1)
        raise AssertionError(self.log.read_text())

    def stop(self) -> int:
        """Stop it by SIGTERM, and return its exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(90)

    def connect(self) -> Operations:
        """Return a client."""
        return Operations(self.create_transport("/colophon/api"))

    def create_transport(self, prefix: str) -> Transport:
        """Return a transport to paths below `prefix`, for a busy machine."""
        return Transport(ServerAddress(self.url, self.token), timeout_s=_ANSWER_S, prefix=prefix)

    def list_workers(self) -> list[int]:
        """Return the ids of the worker processes."""
        assert self.process is not None
        return list_children(self.process.pid)


@contextmanager
def run_service(
    folder: Path,
    store: StorageChoice,
    processes: int = 1,
    options: Sequence[str] = (),
    token: str = "",
    packages: Sequence[Path] = (),
) -> Iterator[Service]:
    """Run a service until the end."""
    service = Service(folder, store, processes, options, token or secrets.token_hex(16), packages)
    service.start()
    try:
        yield service
    finally:
        assert service.process is not None
        if service.process.poll() is None:
            service.stop()


def list_children(parent: int) -> list[int]:
    """Return the child processes of a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(stat.parent.name))
    return found


class Writers:
    """Threads that each write properties of a dataset of their own, over a connection that they keep open."""

    def __init__(self, service: Service, count: int, *, goes_on: bool, longest_pause_s: float = 0.0) -> None:
        """With `goes_on`, a writer connects again after its connection was lost; otherwise it ends.

        The first writer never pauses, and the last one for `longest_pause_s` after each write.
        """
        self._service, self._goes_on = service, goes_on
        #: The properties whose write was acknowledged, and those whose connection was lost, by dataset.
        self.acknowledged: dict[str, list[str]] = {}
        self.lost: dict[str, list[str]] = {}
        #: Answers with an error.
        self.refusals: list[str] = []
        self._stopped = threading.Event()
        self._begun = threading.Barrier(count + 1)
        names = [f"urn:li:dataset:(urn:li:dataPlatform:spark,default.t{number},PROD)" for number in range(count)]
        pauses = [longest_pause_s * number / max(count - 1, 1) for number in range(count)]
        self._threads = [threading.Thread(target=self._write, args=each) for each in zip(names, pauses, strict=True)]

    def start(self) -> None:
        """Start to write, and return when each writer has written once."""
        for thread in self._threads:
            thread.start()
        self._begun.wait(60)

    def stop(self) -> None:
        """Write no more."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(60)

    def read_properties(self, service: Service) -> dict[str, set[str]]:
        """Return the properties in the catalog by dataset."""
        client = service.connect()
        return {urn: set(client.read_entity_metadata(urn)["USER"]["properties"]) for urn in self.acknowledged}

    def _write(self, urn: str, pause_s: float) -> None:
        acknowledged, lost = self.acknowledged.setdefault(urn, []), self.lost.setdefault(urn, [])
        connection: http.client.HTTPConnection | None = None
        number = 0
        while not self._stopped.is_set():
            number += 1
            key = f"n{number}"
            try:
                if connection is None:
                    connection = http.client.HTTPConnection(
                        "127.0.0.1", urlsplit(self._service.url).port or 0, timeout=60
                    )
                    connection.connect()
                status, text, is_last = self._send(connection, urn, key)
            except (OSError, http.client.HTTPException):
                lost.append(key)
                connection = None
                if not self._goes_on:
                    return
                time.sleep(0.05)
                continue
            if is_last:
                connection.close()
                connection = None
            if status == 200:
                acknowledged.append(key)
            else:
                self.refusals.append(f"{status} {text}")
            if number == 1:
                self._begun.wait(60)
            self._stopped.wait(pause_s)

    def _send(self, connection: http.client.HTTPConnection, urn: str, key: str) -> tuple[int, str, bool]:
        value = {"properties": {key: "written"}}
        proposal = {"urn": urn, "aspect": "businessMetadata", "operation": "patch", "value": value}
        headers = {"Authorization": f"token {self._service.token}", "Content-Type": "application/json"}
        connection.request("POST", "/colophon/api/proposals", json.dumps({"proposals": [proposal]}), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, text, answer.will_close


def require_acknowledged(writers: Writers, service: Service) -> None:
    """Raise AssertionError unless the catalog has every acknowledged write."""
    written = writers.read_properties(service)
    for urn, keys in writers.acknowledged.items():
        assert set(keys) <= written[urn]


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until the condition holds. Raises AssertionError."""
    for _ in range(1_200):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("the condition does not hold in time")


def find_processes_of(children: Sequence[int], word: str) -> list[int]:
    """Return those of the processes whose command line has a word."""
    return [pid for pid in children if word.encode() in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")]
