"""How long a transaction lives (spec STORE-6, STORE-14)."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from jupyter_colophon.core.errors import StorageError, TransactionTimeout
from jupyter_colophon.core.read_budget import ReadBudget, current_budget

T = TypeVar("T")
#: How long one callable may hold up all other writers, in seconds.
WRITE_S = 5.0


class Reading(Protocol):
    """Rows that are read one by one."""

    def close(self) -> object:
        """Read no further."""


@dataclass(slots=True)
class Life:
    """One transaction's: whether it goes on, and until when (`time.monotonic`) it may."""

    open: bool = True
    until: float | None = None
    #: Of the request that reads; None for a write, and for what no request waits for.
    budget: ReadBudget | None = None
    _readings: set[Reading] = field(default_factory=set, repr=False)

    @classmethod
    def of_a_write(cls) -> "Life":
        """That of a callable that others wait for."""
        return cls(until=time.monotonic() + WRITE_S)

    @classmethod
    def of_a_read(cls) -> "Life":
        """That of a callable that reads, within what is left to the request of this thread."""
        budget = current_budget()
        return cls(until=None if budget is None else budget.until, budget=budget)

    def check(self) -> None:
        """Raise StorageError when the transaction is over, TransactionTimeout when its time is up."""
        if not self.open:
            raise StorageError("the transaction is over")
        if self.until is not None and time.monotonic() > self.until:
            if self.budget is not None:
                self.budget.require_time()
            raise TransactionTimeout(f"a transaction took longer than {WRITE_S:g} s and was given up")

    def is_overdue(self) -> bool:
        """Whether its time is up."""
        return self.until is not None and time.monotonic() > self.until

    def begun(self, reading: Reading) -> None:
        """These rows end with the transaction: whoever keeps them must not keep the store's snapshot as well."""
        self._readings.add(reading)

    def ended(self, reading: Reading) -> None:
        """They have been read to their end."""
        self._readings.discard(reading)

    def end(self) -> None:
        """The transaction is over."""
        self.open = False
        for reading in self._readings:
            reading.close()
        self._readings.clear()


class Alone:
    """Sees to it that a thread in a transaction opens no other one: it would wait for itself (spec STORE-11)."""

    def __init__(self) -> None:
        self._local = threading.local()

    def require(self) -> None:
        """Raise StorageError inside a transaction."""
        if getattr(self._local, "busy", False):
            raise StorageError("a transaction may not be opened inside another one")

    def during(self, work: Callable[[], T]) -> T:
        """Do the work of a transaction."""
        self._local.busy = True
        try:
            return work()
        finally:
            self._local.busy = False
