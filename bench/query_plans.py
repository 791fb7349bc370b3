"""The query plans of SQLite for the statements that an operation runs: which tables does it read without a search?"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

#: Statements that were run while `record_statements` was active.
_statements: list[str] = []
_connections: list[sqlite3.Connection] = []


@contextmanager
def trace_connections() -> Iterator[None]:
    """Trace the statements of connections that are opened meanwhile."""
    connect = sqlite3.connect

    def connect_and_trace(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **{**options, "check_same_thread": False})
        connection.set_trace_callback(_statements.append)
        _connections.append(connection)
        return connection

    sqlite3.connect = connect_and_trace  # type: ignore[assignment]
    try:
        yield
    finally:
        sqlite3.connect = connect
        _connections.clear()


def find_scans(action: Callable[[], object], rows: dict[str, int], least: int) -> list[str]:
    """Return the steps of plans that read a table with `least` rows or more from its start, of what an action runs.

    Reading in the order of an index up to a limit is among them: whether it ends early, only the time shows.
    """
    _statements.clear()
    action()
    statements = list(dict.fromkeys(_statements))
    scans: dict[str, None] = {}
    for statement in statements:
        for step in _explain(statement):
            words = step.split()
            # `M` is a MATCH of the full-text index, which reads only what matches.
            is_search = "VIRTUAL TABLE INDEX" in step and ":M" in step
            if words[0] == "SCAN" and not is_search and rows.get(words[1], 0) >= least:
                scans[f"{step}: {' '.join(statement.split())[:160]}"] = None
    return list(scans)


def _explain(statement: str) -> list[str]:
    for connection in _connections:
        # A connection that reads an old snapshot, or is closed, cannot prepare it.
        with suppress(sqlite3.Error):
            return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()]
    return []


def count_rows(path: str) -> dict[str, int]:
    """Return the number of rows of each table."""
    with sqlite3.connect(path) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}
