"""Compare the Elyra API with that of Elyra 4.1.1, request by request, in CPU time of the servers.

`--elyra` (of run.py) is the Python of an environment with `pip install elyra==4.1.1`. Both servers run at once, each
with its own extension only and the same instances in its files. They take turns, and the minimum of each is reported;
of the wall times of single creates, the median and the 95th percentile.
The measurement starts when both have processed the files that they found (ours records them).
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
from statistics import quantiles
from tempfile import TemporaryDirectory

from serving import Client, Server, start_server

SIZES = (100, 1_000, 5_000)
SPACE = "code-snippets"
_PATH = f"/elyra/metadata/{SPACE}"
_REQUESTS, _ROUNDS = 40, 5
_LIST_REQUESTS, _LIST_ROUNDS = 2, 4
_TIMED_REQUESTS, _TIMED_ROUNDS = 20, 15
_QUIET_S = 3.0
_COMMAND_ROUNDS = 4
#: Goals by size; None if there is none.
_SINGLE_GOALS = {100: None, 1_000: 0.25, 5_000: 0.1}


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two servers, with a connection to it."""

    server: Server
    client: Client

    def measure_cpu_ms(self, ask: Callable[["Side", int], object], requests: int) -> float:
        """Return the CPU milliseconds of the server per request, over many requests."""
        before = self.server.read_cpu_ms()
        for at in range(requests):
            ask(self, at)
        return (self.server.read_cpu_ms() - before) / requests


def measure_rows(python: str | None) -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    if python is None:
        raise SystemExit("name the Python of an environment with elyra==4.1.1: --elyra PYTHON")
    yield _measure_commands(python)
    for size in SIZES:
        with ExitStack() as stack:
            ours, theirs = (_start_side(stack, where, size) for where in (None, python))
            yield from _measure_requests(ours, theirs, size)
            yield from _measure_create_times(ours, theirs, size)
            yield from _measure_lists(ours, theirs, size)


def create_document(number: int) -> dict[str, object]:
    """Create a code snippet of about 200 bytes."""
    metadata = {
        "description": f"What one does every morning, number {number}",
        "tags": ["daily", f"t{number % 10}"],
        "language": "Python",
        "code": ["import pandas", "frame = pandas.read_parquet('x')"],
    }
    return {"display_name": f"Snippet {number}", "metadata": metadata, "schema_name": "code-snippet"}


def _measure_commands(python: str) -> tuple[str, ...]:
    """Measure the command line for an empty list."""
    theirs = [str(Path(python).with_name("elyra-metadata")), "list", "runtimes"]
    ours = [sys.executable, "-m", "jupyter_colophon.cli", "metadata", "list", "runtimes"]
    minimum = [float("inf")] * 2
    with TemporaryDirectory() as home:
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        for _ in range(_COMMAND_ROUNDS):
            for at, command in enumerate((ours, theirs)):
                before = _read_children_cpu_s()
                subprocess.run(command, env=kept | {"HOME": home}, check=True, capture_output=True)
                minimum[at] = min(minimum[at], _read_children_cpu_s() - before)
    return _format_row("list of nothing on the command line", minimum[0], minimum[1], 0.1, "CPU s")


def _read_children_cpu_s() -> float:
    """Return the CPU time of all child processes that have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _start_side(stack: ExitStack, python: str | None, size: int) -> Side:
    fill = lambda home: _write_snippets(home, size)  # noqa: E731
    if python is None:
        server = stack.enter_context(start_server("jupyter_colophon", fill=fill, known=("jupyter_colophon", "trivial")))
    else:
        server = stack.enter_context(start_server("elyra", fill=fill, python=python, known=_list_extensions(python)))
    side = Side(server, stack.enter_context(server.open_client()))
    side.client.request("GET", _PATH)
    if python is None:
        _wait_for_records(side.client, size)
    _wait_until_idle(server)
    return side


def _wait_for_records(client: Client, size: int) -> None:
    """Wait until our server has recorded the files in the background, which is not part of any request."""
    while client.request("GET", "/colophon/api/search?q=*&type=instance&limit=1")["total"] < size:
        time.sleep(_QUIET_S)


def _write_snippets(home: Path, size: int) -> None:
    folder = home / ".local" / "share" / "jupyter" / "metadata" / SPACE
    folder.mkdir(parents=True, mode=0o700)
    for number in range(size):
        (folder / f"snippet_{number}.json").write_text(json.dumps(create_document(number), indent=2))


def _list_extensions(python: str) -> tuple[str, ...]:
    """Return the server extensions of an installation."""
    script = "import json,sys,pathlib; print(json.dumps([json.loads(p.read_text()) for p in "
    script += "(pathlib.Path(sys.prefix)/'etc'/'jupyter'/'jupyter_server_config.d').glob('*.json')]))"
    result = json.loads(subprocess.run([python, "-c", script], check=True, capture_output=True, text=True).stdout)
    return tuple(name for item in result for name in item.get("ServerApp", {}).get("jpserver_extensions", {}))


def _wait_until_idle(server: Server) -> None:
    """Wait until the server has finished its work after the start."""
    before = -1.0
    while (now := server.read_cpu_ms()) - before > 30 * _QUIET_S:
        before = now
        time.sleep(_QUIET_S)


def _measure_requests(ours: Side, theirs: Side, size: int) -> Iterator[tuple[str, ...]]:
    kinds = {
        "create": _create_instance,
        "read one": _read_instance,
        "update": _update_instance,
        "delete": _delete_instance,
    }
    minimum = {kind: [float("inf")] * 2 for kind in kinds}
    for _ in range(_ROUNDS):
        for kind, ask in kinds.items():
            for at, side in enumerate((ours, theirs)):
                minimum[kind][at] = min(minimum[kind][at], side.measure_cpu_ms(ask, _REQUESTS))
    for kind, (mine, other) in minimum.items():
        yield _format_row(f"{kind}, {size:,} instances", mine, other, _SINGLE_GOALS[size])


def _measure_create_times(ours: Side, theirs: Side, size: int) -> Iterator[tuple[str, ...]]:
    """Measure the wall time of each of many creates, a few at a time on each side."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(_TIMED_ROUNDS):
        for side, times in zip((ours, theirs), taken, strict=True):
            times += [_time_create_ms(side, at) for at in range(_TIMED_REQUESTS)]
            for at in range(_TIMED_REQUESTS):
                _delete_instance(side, at)
    for what, percent, goal in (("median", 50, None), ("95th percentile", 95, None if size == SIZES[0] else 1)):
        mine, other = (quantiles(times, n=100)[percent - 1] for times in taken)
        yield _format_row(f"create, {size:,} instances, {what}, wall", mine, other, goal, "ms of wall time")


def _time_create_ms(side: Side, at: int) -> float:
    begun = time.perf_counter()
    _create_instance(side, at)
    return (time.perf_counter() - begun) * 1000


def _create_instance(side: Side, at: int) -> object:
    return side.client.request("POST", _PATH, create_document(at) | {"name": f"new{at}"})


def _read_instance(side: Side, at: int) -> object:
    return side.client.request("GET", f"{_PATH}/snippet_{at}")


def _update_instance(side: Side, at: int) -> object:
    return side.client.request("PUT", f"{_PATH}/new{at}", create_document(time.time_ns() % 1_000_000))


def _delete_instance(side: Side, at: int) -> object:
    return side.client.request("DELETE", f"{_PATH}/new{at}")


def _get_path(path: str, side: Side, _: int) -> object:
    return side.client.request("GET", path)


def _measure_lists(ours: Side, theirs: Side, size: int) -> Iterator[tuple[str, ...]]:
    asks: tuple[tuple[Side, str], ...] = ((ours, _PATH), (theirs, _PATH), (ours, f"{_PATH}?limit=50"))
    minimum = [float("inf")] * len(asks)
    behind = [float("inf")] * 2
    for _ in range(_LIST_ROUNDS):
        for at, (side, path) in enumerate(asks):
            spent = side.measure_cpu_ms(partial(_get_path, path), _LIST_REQUESTS)
            minimum[at] = min(minimum[at], spent)
        for at, side in enumerate((ours, theirs)):
            behind[at] = min(behind[at], _measure_delay(side))
    big = size == SIZES[-1]
    yield _format_row(f"list, {size:,} instances", minimum[0], minimum[1], 0.1 if big else None)
    yield _format_row(
        f"its first page of 50 beside Elyra's list, {size:,}", minimum[2], minimum[1], 0.01 if big else None
    )
    yield _format_row(
        f"a trivial GET behind a list, {size:,}, wall", behind[0], behind[1], 0.02 if big else None, "ms of wall time"
    )


def _measure_delay(side: Side) -> float:
    """Return the milliseconds until a trivial request is answered that is sent while a list is being prepared."""
    listing = threading.Thread(target=_list_separately, args=(side.server,))
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


def _list_separately(server: Server) -> None:
    with server.open_client() as client:
        client.request("GET", _PATH)


def _format_row(
    what: str, mine: float, other: float, goal: float | None, unit: str = "CPU ms a request"
) -> tuple[str, ...]:
    aim = "-" if goal is None else f"<= {goal}x"
    return (f"Elyra: {what}, {unit}", f"{mine:.2f}", f"{other:.2f} (Elyra 4.1.1)", f"{mine / other:.3g}x", aim)
