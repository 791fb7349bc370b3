"""What was observed and has not been reported yet, run by run."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jupyter_colophon.kernel.documents import Ending, run_end, run_start

if TYPE_CHECKING:
    from jupyter_colophon.spark.plans.observation import Observation

#: Observations that wait while the server is away; older ones are given up first.
LARGEST_BACKLOG = 5_000


@dataclass(eq=False, slots=True)
class Account:
    """The report of one run: what it is, what is still to be told of it, and what the server knows already."""

    program: str
    run_id: str
    start_ms: int
    parent: "Account | None"
    facts: dict[str, Any]
    observations: "list[Observation]" = field(default_factory=list)
    ending: dict[str, Any] | None = None
    #: What the server was told that nobody saw.
    not_seen: list[str] = field(default_factory=list)
    #: What ended the cell, where it did not succeed: the class of the exception.
    error: str = ""
    #: The run is reported though it touched nothing.
    is_failure: bool = False
    #: URNs of data that its failed statements would have written, as far as they were reported.
    intended: list[str] = field(default_factory=list)
    #: The renames that the server was told of.
    renamed: list[str] = field(default_factory=list)
    #: The run's URN, once the server has it.
    urn: str | None = None

    @property
    def beginning(self) -> dict[str, Any]:
        """The `RunStart` of this run."""
        parent = self.parent.run_id if self.parent else None
        return run_start(self.program, self.run_id, self.start_ms, parent, self.facts)

    @property
    def due(self) -> bool:
        """Whether there is something to tell. A run that touched nothing is reported only if it failed in Spark."""
        has_run = self.urn is not None or self.is_failure
        return bool(self.observations) or (self.ending is not None and has_run)


@dataclass(slots=True)
class Parcel:
    """What of an account is being told now: observations leave it when the server has them."""

    account: Account
    observations: "tuple[Observation, ...]"
    ending: dict[str, Any] | None


class Ledger:
    """The accounts of a kernel. Thread-safe: Spark's callbacks add, the kernel's thread ends runs, the sender takes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._accounts: list[Account] = []
        self._under_way: Parcel | None = None
        self._given_up = 0

    def add(self, account: Account, observation: "Observation") -> None:
        """Notes what a run touched; past the backlog's limit the oldest observation is given up."""
        with self._changed:
            account.observations.append(observation)
            self._enlist(account)
            self._shed()
            self._changed.notify_all()

    def end(self, account: Account, end_ms: int, ending: Ending) -> None:
        """Notes how a run ended."""
        with self._changed:
            # The wall clock may have been put back meanwhile, and nothing ends before it began.
            account.ending = run_end(max(end_ms, account.start_ms), ending, account.error)
            # Where nothing was touched the ending waits in the account: a late observation takes it along.
            if account.due:
                self._enlist(account)
            self._changed.notify_all()

    def take(self) -> Parcel | None:
        """What to tell next; `told` or `put_back` follows. None: nothing is due."""
        with self._changed:
            for account in self._accounts:
                if account.due:
                    self._under_way = Parcel(account, tuple(account.observations), account.ending)
                    account.observations.clear()
                    account.ending = None
                    return self._under_way
            return None

    def told(self, parcel: Parcel) -> None:
        """The server has it, or will never take it."""
        with self._changed:
            self._under_way = None
            if parcel.account.due:
                self._enlist(parcel.account)
            else:
                self._accounts = [account for account in self._accounts if account is not parcel.account]
            self._changed.notify_all()

    def put_back(self, parcel: Parcel) -> None:
        """The server is away: it is told first next time."""
        with self._changed:
            self._under_way = None
            parcel.account.observations[:0] = parcel.observations
            parcel.account.ending = parcel.account.ending or parcel.ending
            self._enlist(parcel.account)
            self._shed()
            self._changed.notify_all()

    def pending(self) -> int:
        """How many observations and endings the server has not got."""
        with self._changed:
            return self._pending()

    def given_up(self) -> int:
        """How many observations were given up since the last call."""
        with self._changed:
            count, self._given_up = self._given_up, 0
            return count

    def wait_until_told(self, timeout_s: float, or_else: Callable[[], bool]) -> bool:
        """Waits until the server has everything, time is over, or `or_else` holds after a failure; whether it has."""
        with self._changed:
            self._changed.wait_for(lambda: not self._pending() or or_else(), timeout_s)
            return not self._pending()

    def _enlist(self, account: Account) -> None:
        if account not in self._accounts:
            self._accounts.append(account)

    def _pending(self) -> int:
        waiting = sum(
            len(account.observations) + (account.ending is not None) for account in self._accounts if account.due
        )
        sending = self._under_way
        return waiting + (len(sending.observations) + (sending.ending is not None) if sending else 0)

    def _shed(self) -> None:
        excess = sum(len(account.observations) for account in self._accounts) - LARGEST_BACKLOG
        for account in self._accounts:
            if excess <= 0:
                return
            shed = min(excess, len(account.observations))
            del account.observations[:shed]
            self._given_up += shed
            excess -= shed
