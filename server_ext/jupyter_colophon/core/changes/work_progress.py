"""The progress of work that follows changes in the background, as health, metrics and the doctor show it.

A running thread does not mean progress: it may wait for a lock, or fail at every attempt.
"""

from dataclasses import dataclass
from typing import Final, Literal

#: `feed`: changes are passed to subscribers, sinks and listeners; `seals`: the change log is sealed; `audit`: the audit
#: is written and sealed; `inbox`: batches are applied.
WorkName = Literal["feed", "seals", "audit", "inbox"]
#: Without progress for longer, work that waits is a problem.
STALLED_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class WorkProgress:
    """How much waits, since when the first of it waits, and when some of it was done last (ms; None if never).

    `problem` is why the last attempt of this process failed; empty if it succeeded.
    """

    name: WorkName
    pending: int
    oldest: int | None
    last_done: int | None
    problem: str = ""

    def measure_stall_ms(self, now: int) -> int:
        """Return for how long something has waited without progress; 0 if nothing waits."""
        if self.oldest is None:
            return 0
        return max(0, now - max(self.oldest, self.last_done or 0))
