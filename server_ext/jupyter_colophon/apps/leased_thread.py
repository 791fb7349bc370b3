"""A thread for background work of an application, of which one process does it at a time."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.apps.background_call import BackgroundCaller, ProcessStopped
from jupyter_colophon.apps.call_threads import CallThreads
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.system.worker import Backoff, Worker

#: After how many seconds without a heartbeat another process continues.
LEASE_S: Final = 30.0
_logger = logging.getLogger("jupyter_colophon.apps")


@dataclass(slots=True)
class LeasedThread:
    """Runs work again and again: after the seconds that it returns, or when it is woken (`Worker`)."""

    app: str
    #: What the work is for, such as "listener", and its name.
    kind: str
    name: str
    lease: Lease
    work: Callable[[], float | None]
    #: Calls the code of the application, on threads of their own.
    caller: BackgroundCaller = field(init=False)
    _worker: Worker = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread."""
        self._worker = Worker(
            f"colophon-app-{self.kind}-{self.app}:{self.name}",
            self._run_work,
            _logger,
            f"the {self.kind} {self.name} of the system application {self.app}",
            idle_s=self.lease.heartbeat_s,
            backoff=Backoff(0.5, self.lease.heartbeat_s),
            unavailable=(StorageError,),
            finish=self.lease.release_lease,
        )
        self.caller = BackgroundCaller(self.app, self.lease, CallThreads(self.app), lambda: self.is_stopped)

    @property
    def is_stopped(self) -> bool:
        """Return whether the thread stops."""
        return self._worker.is_stopped

    def start(self) -> None:
        """Start the thread."""
        self._worker.start()

    def wake(self) -> None:
        """Run the work now."""
        self._worker.wake()

    def close(self) -> None:
        """Stop. A call that is running ends with the process."""
        self._worker.stop()
        self.caller.threads.cancel_waiting()
        self._worker.join(5.0)

    def _run_work(self) -> float | None:
        """Run the work, and leave it to another process that has the lease now."""
        try:
            return self.work()
        except LeaseLost:
            _logger.info("another process continues with the %s %s", self.kind, self.name)
        except ProcessStopped:
            pass
        return None
