"""Delivering to one sink: one process at a time, in the log's order, tried again, and at last put aside.

What was delivered is noted after it was: who is killed in between delivers it again. A change that fails holds up those
behind it while it is tried, so that nobody is told a later state before an earlier one; then it is a dead letter. A sink
that takes nothing at all is waited for: no change is put aside for that.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from jupyter_colophon.core.change import Change
from jupyter_colophon.core.errors import StorageError, Undeliverable, Undelivered, Unreachable
from jupyter_colophon.core.inbox import DeadLetter, Refusal
from jupyter_colophon.relay.lease import Lease, Lost
from jupyter_colophon.relay.loading import Handling
from jupyter_colophon.relay.seam import Sink, TellsFailures
from jupyter_colophon.storage import dead_letters, log, sinks
from jupyter_colophon.storage.spi import Row, TableContext
from jupyter_colophon.wiring import Catalog, now_ms

#: How many changes are delivered at once, where all goes well, and the longest pauses, in seconds: after a change failed,
#: and while the sink takes nothing.
BATCH_MAX, LONGEST_PAUSE_S, LONGEST_WAIT_S = 100, 300.0, 5.0
_logger = logging.getLogger("jupyter_colophon.relay")


@dataclass(slots=True)
class Courier:
    """One sink's thread in one process."""

    name: str
    sink: Sink
    handling: Handling
    catalog: Catalog
    _lease: Lease = field(init=False)
    _ended: threading.Event = field(default_factory=threading.Event)
    _woken: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None
    _batch: int = BATCH_MAX
    #: Whether it was said that the sink is waited for.
    _waited_for: bool = False

    def __post_init__(self) -> None:
        """The lease is the sink's."""
        self._lease = Lease(self.name, self.catalog.provider, self.handling.lease_s)

    def start(self) -> None:
        """Deliver from now on."""
        self._thread = threading.Thread(target=self._work, name=f"colophon-sink-{self.name}", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """There are changes."""
        self._woken.set()

    def end(self) -> None:
        """Begin nothing more."""
        self._ended.set()
        self._woken.set()

    def close(self, patience_s: float) -> None:
        """End, and let another process go on; what is under way has so long to be taken."""
        self.end()
        if self._thread is not None:
            self._thread.join(timeout=patience_s)

    def _work(self) -> None:
        away = False
        while not self._ended.is_set():
            self._woken.clear()
            try:
                row = self._mine()
                if row is not None:
                    self._deliver_on(row)
                    self._tell_failures(int(row["failed"] or 0))
                away = False
            except Lost:
                _logger.info("the sink %s is delivered to by another process", self.name)
            except StorageError as error:
                if not away:
                    _logger.warning("the sink %s waits for the store: %s", self.name, error.detail)
                away = True
            except Exception:
                # Whatever it is, this thread is the only one that delivers.
                _logger.exception("the sink %s failed, and goes on later", self.name)
            self._woken.wait(self._lease.beat_s)
        self._release()

    def _release(self) -> None:
        self.sink.close()
        try:
            self._lease.release()
        except StorageError as error:
            _logger.warning("the sink %s is let go of later: %s", self.name, error.detail)

    def _mine(self) -> Row | None:
        """The sink's row, where this process is the one that delivers; None where another does."""
        found, row = self._lease.taken()
        if found is not None and row is not None and found["lost"] > row["lost"]:
            _logger.warning("the sink %s never had %s changes, which are no longer kept", self.name, found["lost"])
        return found

    def _deliver_on(self, row: Row) -> None:
        """Deliver up to the end of the log. Raises StorageError, Lost."""
        after, attempts = int(row["seq"]), int(row["attempts"])
        while not self._ended.is_set():
            self._deliver_again()
            found, cursor = self._read(after)
            if not found:
                if cursor == after:
                    return
                self._lease.note(seq=cursor)
                after = cursor
                continue
            refused = self._refused(found)
            if refused is None:
                after, attempts = found[-1].seq, 0
                self._takes_again()
                self._batch = min(2 * self._batch, BATCH_MAX)
                self._lease.note(seq=after, attempts=0, problem="")
            elif len(found) > 1 and not isinstance(refused, Unreachable):
                # Which of them it was, each by itself shows.
                self._batch = 1
            else:
                attempts += 1
                if self._is_over(found[0], refused, attempts):
                    after, attempts = found[0].seq, 0

    def _takes_again(self) -> None:
        """Say so once, where it was said that the sink is waited for."""
        if self._waited_for:
            self._waited_for = False
            _logger.warning("the sink %s takes changes again", self.name)

    def _is_over(self, change: Change, refused: Undelivered, attempts: int) -> bool:
        """Whether this was the last try, and the change a dead letter; else waits before the next one."""
        waits = isinstance(refused, Unreachable)
        if waits or (attempts < self.handling.attempts and not isinstance(refused, Undeliverable)):
            self._lease.note(attempts=attempts, problem=refused.detail)
            if waits and not self._waited_for:
                self._waited_for = True
                _logger.warning("the sink %s is waited for: %s", self.name, refused.detail)
            longest = LONGEST_WAIT_S if waits else LONGEST_PAUSE_S
            self._pause(min(self.handling.pause_s * 2 ** min(attempts - 1, 30), longest))
            return False
        _logger.warning("change %s goes to the sink %s no more: %s", change.seq, self.name, refused.detail)

        def work(tx: TableContext) -> bool:
            sinks.bury(tx, self.name, change, Refusal.of(refused), attempts, now_ms())
            return self._lease.noted(tx, seq=change.seq, attempts=0, problem=refused.detail)

        self._lease.still(work)
        return True

    def _tell_failures(self, after: int) -> None:
        """Tell of what could not be applied, up to the newest, where the sink wants it. Raises StorageError, Lost."""
        sink, run = self.sink, self.catalog.provider.tx_runner.run
        if not isinstance(sink, TellsFailures):
            return
        while not self._ended.is_set():
            found = run(partial(dead_letters.failures, after=after, limit=BATCH_MAX), read_only=True)
            for turn, letter in found:
                if letter is not None and self._is_for_it(letter) and not self._told_failure(sink, turn, letter):
                    return
                after = turn
                self._lease.note(failed=turn, problem="")
            if not found:
                return

    def _told_failure(self, sink: TellsFailures, turn: int, letter: DeadLetter) -> bool:
        """Whether that was settled; False where the sink takes nothing now."""
        refused = self._tried(lambda: sink.deliver_failure(letter, turn))
        if isinstance(refused, Unreachable):
            self._lease.note(problem=refused.detail)
            return False
        if refused is not None:
            # It is a dead letter already.
            _logger.warning("failure %s is not told to the sink %s: %s", turn, self.name, refused.detail)
        return True

    def _is_for_it(self, letter: DeadLetter) -> bool:
        spaces, identity = self.handling.namespaces, self.catalog.identity
        return not spaces or any(identity.namespace_of(one.urn) in spaces for one in letter.proposals)

    def _deliver_again(self) -> None:
        """Deliver once more what somebody asked for. Raises StorageError, Lost."""
        run = self.catalog.provider.tx_runner.run
        while (seq := run(lambda tx: sinks.again(tx, self.name), read_only=True)) is not None:
            if not self._once_more(seq):
                return

    def _once_more(self, seq: int) -> bool:
        """Whether that was settled; False where the sink takes nothing now."""

        def read(tx: TableContext) -> list[Change]:
            return [one for one in log.changes(tx, seq - 1, 1, {}) if one.seq == seq]

        found = self.catalog.provider.tx_runner.run(read, read_only=True)
        refused = self._refused(found) if found else None
        if isinstance(refused, Unreachable):
            return False
        if not found:
            _logger.warning("change %s is no longer kept, and goes to the sink %s no more", seq, self.name)

        def work(tx: TableContext) -> bool:
            sinks.done_again(tx, self.name, seq)
            if refused is not None:
                sinks.bury(tx, self.name, found[0], Refusal.of(refused), 1, now_ms())
            return self._lease.noted(tx)

        self._lease.still(work)
        return True

    def _read(self, after: int) -> tuple[list[Change], int]:
        """Those of the next changes that are for this sink, and up to which number was looked."""
        run = self.catalog.provider.tx_runner.run
        found = run(lambda tx: log.changes(tx, after, self._batch, {}), read_only=True)
        spaces = self.handling.namespaces
        mine = [one for one in found if not spaces or one.namespace in spaces]
        return mine, found[-1].seq if found else after

    def _refused(self, changes: Sequence[Change]) -> Undelivered | None:
        """Why the sink did not take them; None where it did."""
        return self._tried(lambda: self.sink.deliver(changes))

    def _tried(self, deliver: Callable[[], None]) -> Undelivered | None:
        try:
            deliver()
        except Undelivered as error:
            return error
        except Exception as error:
            # Another package's code: what is wrong with it is told in the log alone.
            _logger.exception("the sink %s failed", self.name)
            return Undelivered(f"the sink failed ({type(error).__name__})")
        return None

    def _pause(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self._ended.wait(min(left, self._lease.beat_s)):
            self._lease.note()
