"""Call code of an application in the background, for a limited time, while this process holds a lease."""

import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass, field

from jupyter_colophon.apps.call_threads import CallThreads
from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.core.errors import StoreFull, StoreUnavailable, SystemAppTimeout
from jupyter_colophon.storage.changes.leases import Lease

#: How often a call is checked for the end of the process, in seconds.
_CHECK_S = 0.5
#: Failures of the store, after which a call is repeated without counting as a failure.
STORE_FAILURES = (StoreUnavailable, StoreFull)


class CallNotStarted(Exception):
    """All threads are occupied by calls that have not returned."""


class ProcessStopped(Exception):
    """The process stops while a call runs, which ends with the process."""


@dataclass(frozen=True, slots=True)
class BackgroundCaller:
    """Runs calls one at a time. One that does not return in time keeps its thread, of which there are four."""

    app: str
    lease: Lease
    threads: CallThreads
    is_stopped: Callable[[], bool]
    _hanging: "list[Future[None]]" = field(default_factory=list)

    def call(self, context: ServiceContext, work: Callable[[], object], timeout_s: float) -> BaseException | None:
        """Call work, which uses a context, and return what it raised, SystemAppTimeout if it did not return in time, or None.

        Raises CallNotStarted, ProcessStopped, LeaseLost, StorageError.
        """
        deadline = time.monotonic() + timeout_s

        def run() -> None:
            try:
                work()
            finally:
                context.close_plugins()

        future = self.threads.submit_call(run)
        while (left := deadline - time.monotonic()) > 0:
            wait([future], min(left, _CHECK_S))
            if future.done():
                return future.exception()
            if self.is_stopped():
                future.cancel()
                raise ProcessStopped
            self.lease.renew_if_due()
        if future.cancel():
            raise CallNotStarted
        if future.done():
            return future.exception()
        self._hanging[:] = [*self._list_hanging(), future]
        return SystemAppTimeout(self.app, timeout_s)

    def count_hanging_calls(self) -> int:
        """Return how many calls did not return in time, and still run."""
        return len(self._list_hanging())

    def _list_hanging(self) -> "list[Future[None]]":
        return [future for future in self._hanging if not future.done()]


def describe_failure(error: BaseException) -> str:
    """Return an exception as one line of text."""
    first = str(error).partition("\n")[0][:300]
    return f"{type(error).__name__}: {first}".removesuffix(": ")
