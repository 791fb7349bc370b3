"""The Elyra API beside Elyra 4.1.1 itself, request by request, in CPU time of the servers.

`--elyra` (of run.py) names the Python of an environment of its own with `pip install elyra==4.1.1`. Both servers run at
once, each with its extension alone and the same instances in its files; they take turns, and the least of each counts.
It begins when each has done what it does by itself with the files that it finds (ours records them).
"""

import json
import os
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

from serving import Client, Server, serving

SIZES = (100, 1_000, 5_000)
SPACE = "code-snippets"
_PATH = f"/elyra/metadata/{SPACE}"
_REQUESTS, _ROUNDS = 40, 5
_LIST_REQUESTS, _LIST_ROUNDS = 2, 4
_QUIET_S = 3.0
_COMMAND_ROUNDS = 4
#: Goals by the size; None where there is none.
_SINGLE_GOALS = {100: None, 1_000: 0.25, 5_000: 0.1}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two servers, and a connection to it."""

    server: Server
    client: Client

    def cpu_ms(self, ask: Callable[["Side", int], object], requests: int) -> float:
        """CPU milliseconds of the server for one of many requests."""
        before = self.server.cpu_ms()
        for at in range(requests):
            ask(self, at)
        return (self.server.cpu_ms() - before) / requests


def rows(python: str | None) -> Iterator[tuple[str, ...]]:
    """The rows of the table."""
    if python is None:
        raise SystemExit("name the Python of an environment with elyra==4.1.1: --elyra PYTHON")
    yield _commands(python)
    for size in SIZES:
        with ExitStack() as stack:
            ours, theirs = (_side(stack, where, size) for where in (None, python))
            yield from _requests(ours, theirs, size)
            yield from _lists(ours, theirs, size)


def document(number: int) -> dict[str, object]:
    """A code snippet of some 200 bytes."""
    metadata = {
        "description": f"What one does every morning, number {number}",
        "tags": ["daily", f"t{number % 10}"],
        "language": "Python",
        "code": ["import pandas", "frame = pandas.read_parquet('x')"],
    }
    return {"display_name": f"Snippet {number}", "metadata": metadata, "schema_name": "code-snippet"}


def _commands(python: str) -> tuple[str, ...]:
    """The command line, listing nothing."""
    theirs = [str(Path(python).with_name("elyra-metadata")), "list", "runtimes"]
    ours = [sys.executable, "-m", "jupyter_colophon.cli", "metadata", "list", "runtimes"]
    least = [float("inf")] * 2
    with TemporaryDirectory() as home:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        for _ in range(_COMMAND_ROUNDS):
            for at, command in enumerate((ours, theirs)):
                before = _children_s()
                subprocess.run(command, env=kept | {"HOME": home}, check=True, capture_output=True)
                least[at] = min(least[at], _children_s() - before)
    return _row("list of nothing on the command line", least[0], least[1], 0.1, "CPU s")


def _children_s() -> float:
    """The CPU time of all child processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _side(stack: ExitStack, python: str | None, size: int) -> Side:
    fill = lambda home: _fill(home, size)  # noqa: E731
    if python is None:
        server = stack.enter_context(serving("jupyter_colophon", fill=fill, known=("jupyter_colophon", "trivial")))
    else:
        server = stack.enter_context(serving("elyra", fill=fill, python=python, known=_extensions(python)))
    side = Side(server, stack.enter_context(server.client()))
    side.client.ask("GET", _PATH)
    if python is None:
        _wait_for_records(side.client, size)
    _rest(server)
    return side


def _wait_for_records(client: Client, size: int) -> None:
    """Ours records in the background the files that it finds: that belongs to no request, and is over before any is measured."""
    while client.ask("GET", "/colophon/api/search?q=*&type=instance&limit=1")["total"] < size:
        time.sleep(_QUIET_S)


def _fill(home: Path, size: int) -> None:
    folder = home / ".local" / "share" / "jupyter" / "metadata" / SPACE
    folder.mkdir(parents=True, mode=0o700)
    for number in range(size):
        (folder / f"snippet_{number}.json").write_text(json.dumps(document(number), indent=2))


def _extensions(python: str) -> tuple[str, ...]:
    """The server extensions of an installation."""
    told = "import json,sys,pathlib; print(json.dumps([json.loads(p.read_text()) for p in "
    told += "(pathlib.Path(sys.prefix)/'etc'/'jupyter'/'jupyter_server_config.d').glob('*.json')]))"
    found = json.loads(subprocess.run([python, "-c", told], check=True, capture_output=True, text=True).stdout)
    return tuple(name for one in found for name in one.get("ServerApp", {}).get("jpserver_extensions", {}))


def _rest(server: Server) -> None:
    """Wait until the server has done what it does by itself after its start."""
    before = -1.0
    while (now := server.cpu_ms()) - before > 30 * _QUIET_S:
        before = now
        time.sleep(_QUIET_S)


def _requests(ours: Side, theirs: Side, size: int) -> Iterator[tuple[str, ...]]:
    kinds = {"create": _create, "read one": _read, "update": _update, "delete": _delete}
    least = {kind: [float("inf")] * 2 for kind in kinds}
    for _ in range(_ROUNDS):
        for kind, ask in kinds.items():
            for at, side in enumerate((ours, theirs)):
                least[kind][at] = min(least[kind][at], side.cpu_ms(ask, _REQUESTS))
    for kind, (mine, other) in least.items():
        goal = _SINGLE_GOALS[size] if kind != "delete" else None
        yield _row(f"{kind}, {size:,} instances", mine, other, goal)


def _create(side: Side, at: int) -> object:
    return side.client.ask("POST", _PATH, document(at) | {"name": f"new{at}"})


def _read(side: Side, at: int) -> object:
    return side.client.ask("GET", f"{_PATH}/snippet_{at}")


def _update(side: Side, at: int) -> object:
    return side.client.ask("PUT", f"{_PATH}/new{at}", document(time.time_ns() % 1_000_000))


def _delete(side: Side, at: int) -> object:
    return side.client.ask("DELETE", f"{_PATH}/new{at}")


def _get(path: str, side: Side, _: int) -> object:
    return side.client.ask("GET", path)


def _lists(ours: Side, theirs: Side, size: int) -> Iterator[tuple[str, ...]]:
    asks: tuple[tuple[Side, str], ...] = ((ours, _PATH), (theirs, _PATH), (ours, f"{_PATH}?limit=50"))
    least = [float("inf")] * len(asks)
    behind = [float("inf")] * 2
    for _ in range(_LIST_ROUNDS):
        for at, (side, path) in enumerate(asks):
            spent = side.cpu_ms(partial(_get, path), _LIST_REQUESTS)
            least[at] = min(least[at], spent)
        for at, side in enumerate((ours, theirs)):
            behind[at] = min(behind[at], _behind(side))
    big = size == SIZES[-1]
    yield _row(f"list, {size:,} instances", least[0], least[1], 0.1 if big else None)
    yield _row(f"its first page of 50 beside Elyra's list, {size:,}", least[2], least[1], 0.01 if big else None)
    yield _row(
        f"a trivial GET behind a list, {size:,}, wall", behind[0], behind[1], 0.02 if big else None, "ms of wall time"
    )


def _behind(side: Side) -> float:
    """Milliseconds until a trivial request is answered that is sent while a list is being made."""
    listing = threading.Thread(target=_list_aside, args=(side.server,))
    trivial = HTTPConnection("127.0.0.1", side.server.port, timeout=60)
    trivial.connect()
    listing.start()
    time.sleep(0.02)
    begun = time.perf_counter()
    trivial.request("GET", "/api")
    trivial.getresponse().read()
    took = (time.perf_counter() - begun) * 1000
    trivial.close()
    listing.join()
    return took


def _list_aside(server: Server) -> None:
    with server.client() as client:
        client.ask("GET", _PATH)


def _row(what: str, mine: float, other: float, goal: float | None, unit: str = "CPU ms a request") -> tuple[str, ...]:
    aim = "-" if goal is None else f"<= {goal}x"
    return (f"Elyra: {what}, {unit}", f"{mine:.2f}", f"{other:.2f} (Elyra 4.1.1)", f"{mine / other:.3f}x", aim)
