"""One process at a time for something that follows the change log: a sink, or the schedules of pipelines.

Who holds it counts beats, also while it waits. Who sees the same beat for long takes it over (storage/sinks.py).
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from jupyter_colophon.storage import sinks
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext


class Lost(Exception):
    """Another process holds it now."""


@dataclass(slots=True)
class Lease:
    """What one process knows of a lease. Everything raises StorageError."""

    name: str
    provider: StorageProvider
    lease_s: float
    _me: str = field(default_factory=lambda: uuid.uuid4().hex)
    #: The other process's beat, and since when it is the same (monotonic).
    _seen: tuple[int, float] = (0, 0.0)

    @property
    def beat_s(self) -> float:
        """How often whoever holds it says so, and others look whether it does, in seconds."""
        return self.lease_s / 6

    def taken(self) -> tuple[Row | None, Row | None]:
        """The row as it is held by this process, None where another has it; and the row as it was before."""
        run = self.provider.tx_runner.run
        row = run(lambda tx: sinks.read(tx, self.name), read_only=True)
        stale = None
        if row is not None and row["holder"] not in ("", self._me):
            beat, since = self._seen
            if row["beat"] != beat or not since:
                self._seen = (row["beat"], time.monotonic())
                return None, row
            if time.monotonic() - since < self.lease_s:
                return None, row
            stale = row["beat"]
        return run(lambda tx: sinks.claim(tx, self.name, self._me, stale)), row

    def noted(self, tx: TableContext, **changes: object) -> bool:
        """Count a beat, and note this; False where another process has it."""
        return sinks.note(tx, self.name, self._me, **changes)

    def still(self, work: Callable[[TableContext], bool]) -> None:
        """Do this in the transaction in which it is sure that the lease is ours. Raises Lost."""

        def sure(tx: TableContext) -> None:
            if not work(tx):
                raise Lost

        self.provider.tx_runner.run(sure)

    def note(self, **changes: object) -> None:
        """The same for a note alone. Raises Lost."""
        self.still(lambda tx: self.noted(tx, **changes))

    def release(self) -> None:
        """Let another process go on at once."""
        self.provider.tx_runner.run(lambda tx: sinks.release(tx, self.name, self._me))
