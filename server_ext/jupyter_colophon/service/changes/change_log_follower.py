"""Follow the change log: in one process at a time, in order, each change at least once.

Sinks, lineage listeners and schedules follow it. The cursor advances in a transaction that commits only while the lease is
held, after the changes were handled: a process that is killed in between leaves them to be handled again.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.storage.changes import cursors, log
from jupyter_colophon.storage.changes.leases import Lease
from jupyter_colophon.storage.spi import TableContext

_logger = logging.getLogger("jupyter_colophon.followers")
_BATCH: Final = 500


class HandledBatch(NamedTuple):
    """How many of the changes are settled, and what to write in the transaction that records it."""

    handled_count: int
    record: Callable[[TableContext], None] = lambda tx: None


Handle = Callable[[Sequence[Change]], HandledBatch]


@dataclass(slots=True)
class ChangeLogFollower:
    """Continues from a stored cursor, named like the lease. All methods raise StorageError.

    `where` and `matches` choose the changes. `batch` is how many are read at once; `handle` may change it, and is called
    with one change at least.
    """

    lease: Lease
    handle: Handle
    where: Mapping[str, str] = field(default_factory=dict)
    matches: Callable[[Change], bool] = lambda change: True
    batch: int = _BATCH
    #: The last change that was handled.
    position: int = 0

    def acquire_lease_and_load_cursor(self) -> bool:
        """Take or keep the lease, and find where to continue; return False where another process follows."""
        resumed: list[cursors.ResumePoint] = []
        if not self.lease.acquire_or_keep_and_run(
            lambda tx: resumed.append(cursors.get_resume_point(tx, self.lease.name))
        ):
            return False
        # A transaction that is retried resumes again: the last time counts.
        self.position, skipped = resumed[-1]
        if skipped:
            _logger.warning(
                "%s skipped %s changes, which were removed from the change log before it read them",
                self.lease.name,
                skipped,
            )
        return True

    def handle_next_batch(self) -> bool:
        """Handle the next changes; return False at the end of the log. Raises LeaseLost."""
        changes, end = self._read_matching_changes()
        if end == self.position:
            return False
        handled = self.handle(changes) if changes else HandledBatch(0)
        if handled.handled_count == len(changes):
            self.advance_cursor_and_run(end, handled.record)
        elif handled.handled_count:
            self.advance_cursor_and_run(changes[handled.handled_count - 1].seq, handled.record)
        return True

    def skip_existing_changes(self) -> None:
        """Skip all existing changes. Raises LeaseLost."""
        head = self.lease.provider.tx_runner.run(lambda tx: tx.log.get_newest_number(), read_only=True)
        if head != self.position:
            self.advance_cursor_and_run(head)

    def advance_cursor_and_run(self, seq: int, work: Callable[[TableContext], None] = lambda tx: None) -> None:
        """Advance the cursor to a change, and do `work` in the same transaction. Raises LeaseLost."""

        def advance(tx: TableContext) -> None:
            work(tx)
            cursors.write_position(tx, self.lease.name, seq)

        self.lease.run_in_transaction_while_held(advance)
        self.position = max(self.position, seq)

    def _read_matching_changes(self) -> tuple[list[Change], int]:
        """Return the next changes that match, and up to which number the log was read."""

        def read(tx: TableContext) -> tuple[int, list[Change]]:
            # Read the head first: changes committed while we read must not be skipped.
            return tx.log.get_newest_number(), log.list_changes_after(tx, self.position, self.batch, self.where)

        head, changes = self.lease.provider.tx_runner.run(read, read_only=True)
        last = changes[-1].seq if changes else self.position
        end = last if len(changes) == self.batch else max(head, last)
        return [change for change in changes if self.matches(change)], end
