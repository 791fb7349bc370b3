"""The lifetime of a transaction (spec STORE-6, STORE-14)."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from jupyter_colophon.core.errors import StorageError, TransactionTimeout
from jupyter_colophon.core.read_budget import ReadBudget, get_current_budget

T = TypeVar("T")
#: How long one callable may block all other writers, in seconds.
WRITE_S = 5.0


class OpenRowReader(Protocol):
    """Rows that are being read one by one."""

    def close(self) -> object:
        """Discard the remaining rows."""


@dataclass(slots=True)
class TransactionLifetime:
    """Whether a transaction is open, and its deadline (`time.monotonic`)."""

    is_open: bool = True
    deadline: float | None = None
    #: The budget of a reading request; None for a write, and for reads outside a request.
    budget: ReadBudget | None = None
    #: How long it waited for other transactions, in seconds; the deadline was moved by this.
    waited_s: float = 0.0
    _open_reads: set[OpenRowReader] = field(default_factory=set, repr=False)

    @classmethod
    def create_for_write(cls) -> "TransactionLifetime":
        """Create the lifetime of a callable that writes and blocks other writers."""
        return cls(deadline=time.monotonic() + WRITE_S)

    @classmethod
    def create_for_read(cls) -> "TransactionLifetime":
        """Create the lifetime of a callable that reads, limited by the remaining budget of this thread's request."""
        budget = get_current_budget()
        return cls(deadline=None if budget is None else budget.until, budget=budget)

    def require_open(self) -> None:
        """Raise StorageError after the end of the transaction, TransactionTimeout after its deadline."""
        if not self.is_open:
            raise StorageError("the transaction has ended: its tables can only be used inside the callable")
        if self.deadline is not None and time.monotonic() > self.deadline:
            if self.budget is not None:
                self.budget.require_time_left()
            raise TransactionTimeout(f"a transaction took longer than {WRITE_S:g} s and was cancelled")

    def exclude_waiting_time(self, seconds: float) -> None:
        """Move the deadline by a time in which the transaction waited for another one."""
        self.waited_s += seconds
        if self.deadline is not None:
            self.deadline += seconds

    def is_overdue(self) -> bool:
        """Return whether the deadline has passed."""
        return self.deadline is not None and time.monotonic() > self.deadline

    def close_rows_at_end(self, open_rows: OpenRowReader) -> None:
        """Close these rows at the end of the transaction, so that unread rows do not keep the store's snapshot open."""
        self._open_reads.add(open_rows)

    def stop_tracking_rows(self, open_rows: OpenRowReader) -> None:
        """Stop tracking rows that were read completely."""
        self._open_reads.discard(open_rows)

    def end_transaction(self) -> None:
        """End the transaction."""
        self.is_open = False
        for open_rows in self._open_reads:
            open_rows.close()
        self._open_reads.clear()


class NestingGuard:
    """Reject nested transactions of a thread, which would wait for themselves (spec STORE-11)."""

    def __init__(self) -> None:
        self._local = threading.local()

    def require_no_transaction(self) -> None:
        """Raise StorageError inside a transaction."""
        if getattr(self._local, "busy", False):
            raise StorageError("a transaction cannot be opened inside another one")

    def run_guarded(self, work: Callable[[], T]) -> T:
        """Run a transaction's callable."""
        self._local.busy = True
        try:
            return work()
        finally:
            self._local.busy = False
