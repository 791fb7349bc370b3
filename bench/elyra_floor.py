"""Measure what no save of an instance can do without: an authenticated request, a durable file, and a durable commit.

The sum is the least CPU time of a create or update whose answer promises that it survives a power failure. Elyra syncs
nothing. Figures are CPU milliseconds, the minimum of several rounds.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from elyra_api import create_document
from jupyter_colophon.storage.files.saving import save_file_durably
from serving import Server, start_server

_ROUNDS, _TIMES = 10, 20


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    with TemporaryDirectory(dir=Path.cwd()) as folder:
        parts = {
            "an authenticated POST that Jupyter answers": _measure_request(),
            "a durable file": _measure_thread(_create_file_save(Path(folder))),
            "a durable commit of one row": _measure_thread(_create_commit(Path(folder))),
        }
    for what, spent in (*parts.items(), ("all of it", sum(parts.values()))):
        yield (f"Elyra: floor of a save, {what}, CPU ms", f"{spent:.2f}", "-", "-", "-")


def _measure_request() -> float:
    with start_server("trivial") as server, server.open_client() as client:
        minimum = float("inf")
        for _ in range(_ROUNDS):
            before = _read_event_loop_ms(server)
            for number in range(_TIMES):
                client.request("POST", "/trivial", create_document(number))
            minimum = min(minimum, (_read_event_loop_ms(server) - before) / _TIMES)
        return minimum


def _read_event_loop_ms(server: Server) -> float:
    """Return the CPU time of the first thread, which answers; others end soon after the start."""
    return int(Path(f"/proc/{server.pid}/schedstat").read_text().split()[0]) / 1e6


def _measure_thread(work: Callable[[], object]) -> float:
    minimum = float("inf")
    for _ in range(_ROUNDS):
        before = time.thread_time()
        for _ in range(_TIMES):
            work()
        minimum = min(minimum, (time.thread_time() - before) / _TIMES * 1000)
    return minimum


def _create_file_save(folder: Path) -> Callable[[], object]:
    text = b"x" * 300
    return lambda: save_file_durably(folder, "instance", text, create=False)


def _create_commit(folder: Path) -> Callable[[], object]:
    connection = sqlite3.connect(folder / "commits.db", isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "CREATE TABLE row (value)"):
        connection.execute(statement)
    return lambda: connection.execute("INSERT INTO row VALUES ('x')")
