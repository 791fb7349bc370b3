"""Apply archived writes to a restored backup, up to a point in time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

from jupyter_colophon.storage.changes.archived_rows import ArchivePosition
from jupyter_colophon.storage.integrity.archive_files import ArchivedChange, ArchivedWrite, iterate_archived_writes
from jupyter_colophon.storage.integrity.backup import LOG
from jupyter_colophon.storage.spi import Key, Row, StorageProvider, TableContext

#: Changes that are applied in one transaction.
_CHANGES_AT_ONCE: Final = 5_000


@dataclass(frozen=True, slots=True)
class RestorePoint:
    """Up to where archived writes are applied: to a time in ms, or to a change; None means all of them."""

    until_ms: int | None = None
    until_change: int | None = None

    def includes(self, write: ArchivedWrite) -> bool:
        """Return whether a write is before the point."""
        if self.until_ms is not None and write.time > self.until_ms:
            return False
        return self.until_change is None or write.newest_change <= self.until_change


@dataclass(slots=True)
class Replay:
    """Archived writes: how many were applied, and the time and the change of the last one (0 if there is none)."""

    writes: int = 0
    time: int = 0
    change: int = 0
    _rows: dict[tuple[str, Key], ArchivedChange] = field(default_factory=dict)

    def add(self, write: ArchivedWrite) -> None:
        """Add a write."""
        self.writes += 1
        self.time, self.change = write.time, max(self.change, write.newest_change)
        for change in write.changes:
            self._rows[change.table, change.key] = change

    @property
    def is_full(self) -> bool:
        """Whether the added changes should be applied now."""
        return len(self._rows) >= _CHANGES_AT_ONCE

    def take_changes(self) -> list[ArchivedChange]:
        """Return the last change of each row that was added, and forget them."""
        changes = list(self._rows.values())
        self._rows.clear()
        return changes


def list_archived_writes(folder: Path, position: ArchivePosition, point: RestorePoint) -> Iterator[ArchivedWrite]:
    """Yield the writes after the position of a backup and before a point. Raises BackupRejected."""
    for write in iterate_archived_writes(folder, position):
        if not point.includes(write):
            return
        yield write


def measure_replay(folder: Path, position: ArchivePosition, point: RestorePoint) -> Replay:
    """Read the writes without applying them. Raises BackupRejected."""
    replay = Replay()
    for write in list_archived_writes(folder, position, point):
        replay.add(write)
        replay.take_changes()
    return replay


def replay_archive(
    provider: StorageProvider,
    folder: Path,
    position: ArchivePosition,
    point: RestorePoint,
    report: Callable[[int], None],
) -> Replay:
    """Apply the writes to a store. Raises BackupRejected, StorageError."""
    replay = Replay()
    for write in list_archived_writes(folder, position, point):
        replay.add(write)
        if replay.is_full:
            provider.tx_runner.run(partial(_apply_changes, replay.take_changes()))
            report(replay.writes)
    provider.tx_runner.run(partial(_apply_changes, replay.take_changes()))
    return replay


def _apply_changes(changes: list[ArchivedChange], tx: TableContext) -> None:
    """Apply the last change of each of these rows."""
    written: dict[str, list[Row]] = {}
    deleted: dict[str, list[Key]] = {}
    for change in changes:
        if change.row is not None:
            written.setdefault(change.table, []).append(change.row)
        else:
            deleted.setdefault(change.table, []).append(change.key)
    head = tx.log.get_newest_number()
    logged = sorted(written.pop(LOG.id, []), key=lambda row: int(row["seq"]))
    # An erasure rewrites earlier changes.
    tx.log.replace_changes([row for row in logged if row["seq"] <= head])
    tx.log.append_changes([row for row in logged if row["seq"] > head])
    if removed := deleted.pop(LOG.id, []):
        tx.log.delete_changes_through(max(key[0] for key in removed))
    for table, rows in written.items():
        tx.get_table(table).upsert_many(rows)
    for table, keys in deleted.items():
        tx.get_table(table).delete_many(keys)
