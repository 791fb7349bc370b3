"""Deliberate bugs, to verify that the checkers detect them (spec FAULT-7)."""

import sqlite3
from typing import Any

from jupyter_colophon.core.model.proposal import WriteCondition
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.storage.commit import commit
from jupyter_colophon.storage.search import index
from jupyter_colophon.storage.sqlite.log import SqliteLog
from jupyter_colophon.storage.sqlite.session import SqliteSession


def plant(*names: str) -> None:
    """Install bugs in this process, by name."""
    for name in names:
        _PLANTS[name]()


def _no_fsync() -> None:
    """Never sync the disk."""
    _at_begin("PRAGMA synchronous = OFF")


def _lazy_fsync() -> None:
    """Sync the write-ahead log only at checkpoints."""
    _at_begin("PRAGMA synchronous = NORMAL")


def _at_begin(statement: str) -> None:
    connect = SqliteSession.__init__

    def changed(self: SqliteSession, connection: sqlite3.Connection, *rest: Any) -> None:
        connection.execute(statement)
        connect(self, connection, *rest)

    SqliteSession.__init__ = changed  # type: ignore[method-assign]


def _acknowledge_first() -> None:
    """Acknowledge a write before a later one commits it."""
    commits, skipped = SqliteSession.commit, [0]

    def late(self: SqliteSession) -> None:
        skipped[0] += 1
        if skipped[0] < 8 or skipped[0] % 100 == 0:
            commits(self)

    def begin(self: SqliteSession, _: Any, *, at_once: bool) -> None:
        if not self._connection.in_transaction:
            self._execute_translated("BEGIN IMMEDIATE")

    def rollback(self: SqliteSession) -> None:
        pass

    SqliteSession.commit, SqliteSession.lock_and_begin, SqliteSession.roll_back = late, begin, rollback  # type: ignore[method-assign]


def _in_two_halves() -> None:
    """Write the rows of search and lineage, and the changes, in a separate transaction after the rest."""
    refresh = index.update_search_rows

    def late(tx: Any, *arguments: Any) -> Any:
        for statement in ("COMMIT", "BEGIN IMMEDIATE", "SAVEPOINT part"):
            tx.log._connection._connection.execute(statement)
        return refresh(tx, *arguments)

    index.update_search_rows = late


def _drop_changes() -> None:
    """Omit a change from the log now and then."""
    append, seen = SqliteLog.append_changes, [0]

    def dropping(self: SqliteLog, row: Any) -> int:
        seen[0] += 1
        return append(self, row) if seen[0] % 17 else 0

    SqliteLog.append_changes = dropping  # type: ignore[method-assign]


def _forget_search() -> None:
    """Do not update search for one of the datasets."""
    refresh = index.update_search_rows

    def forgetful(tx: Any, changed: Any) -> Any:
        return refresh(tx, [one for one in changed if not (one.entity["name"] == "t3" and one.before)])

    index.update_search_rows = forgetful


def _no_condition() -> None:
    """Ignore conditions."""
    WriteCondition.require_met = lambda *_: None  # type: ignore[assignment, method-assign]


def _stale_condition() -> None:
    """Let a condition also hold for the previous version."""
    check = WriteCondition.require_met

    def stale(self: WriteCondition, subject: str, version: int, time: int | None) -> None:
        if self.version is None or version - int(self.version) != 1:
            check(self, subject, version, time)

    WriteCondition.require_met = stale  # type: ignore[method-assign]


def _stale_read() -> None:
    """Return cached values for a while."""
    read, kept, seen = EntityReader.read_current_aspect, dict[str, Any](), [0]

    def stale(self: EntityReader, urn: Any, *rest: Any) -> Any:
        seen[0] += 1
        if str(urn) not in kept or seen[0] % 3:
            kept[str(urn)] = read(self, urn, *rest)
        return kept[str(urn)]

    EntityReader.read_current_aspect = stale  # type: ignore[method-assign]


def _overwrite_version() -> None:
    """Assign a version number twice now and then."""
    write, seen = commit.CommitBuilder._write_aspect_version_and_log, [0]

    def again(self: commit.CommitBuilder, entity: Any, spec: Any, *rest: Any) -> int:
        seen[0] += 1
        row = entity.aspects.get(spec.name)
        if seen[0] % 11 == 0 and row is not None and row["version"] > 1:
            entity.aspects[spec.name] = row | {"version": row["version"] - 1}
        return write(self, entity, spec, *rest)

    commit.CommitBuilder._write_aspect_version_and_log = again  # type: ignore[method-assign]


_PLANTS = {
    "no fsync": _no_fsync,
    "lazy fsync": _lazy_fsync,
    "acknowledge first": _acknowledge_first,
    "in two halves": _in_two_halves,
    "drop changes": _drop_changes,
    "forget search": _forget_search,
    "no condition": _no_condition,
    "stale condition": _stale_condition,
    "stale read": _stale_read,
    "overwrite version": _overwrite_version,
}
