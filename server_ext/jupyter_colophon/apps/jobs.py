"""Jobs of applications: work that continues after the call that started it.

The process of a job holds a lease with its name. When the process ends, however that happens, others find that it does
not renew the lease.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import Final, NamedTuple

from jupyter_colophon.apps.app_log import get_app_logger
from jupyter_colophon.apps.call_threads import CallThreads
from jupyter_colophon.core.errors import AlreadyExists, StorageError
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost, is_lease_free
from jupyter_colophon.storage.spi import StorageProvider

#: How long a job may take, and after how long without a renewal it has ended, in seconds.
JOB_S: Final = 86_400.0
LEASE_S = 30.0
#: The leases of jobs have names that begin with this.
LEASE_PREFIX: Final = "app-job/"
#: How many jobs of other processes are observed at once.
_OBSERVED_MAX: Final = 1_000


class JobName(NamedTuple):
    """A job of an application in a namespace."""

    app: str
    namespace: str
    name: str

    @property
    def lease(self) -> str:
        """Return the name of its lease."""
        return f"{LEASE_PREFIX}{self.app}/{self.namespace}/{self.name}"


@dataclass(slots=True)
class AppJobs:
    """Runs jobs in this process, four of each application at once, and observes those of other processes."""

    provider: StorageProvider
    _threads: dict[str, CallThreads] = field(default_factory=dict)
    _running: dict[JobName, Lease] = field(default_factory=dict)
    _observed: dict[JobName, Lease] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def start_job(self, job: JobName, work: Callable[[], None]) -> None:
        """Run a job. Raises AlreadyExists if it runs in any process, SystemAppUnavailable if too many wait, StorageError."""
        lease = Lease(job.lease, self.provider, LEASE_S)
        with self._lock:
            if job in self._running:
                raise AlreadyExists("job", job.name)
            self._running[job] = lease
            threads = self._threads.setdefault(job.app, CallThreads(job.app))
        is_ended = Event()
        try:
            if not lease.acquire_or_keep_and_run():
                raise AlreadyExists("job", job.name)
            threads.submit_call(lambda: self._run_job(job, work, is_ended))
        except BaseException:
            self._end_job(job)
            raise
        Thread(
            target=_renew_until_ended, args=(lease, is_ended), name=f"colophon-app-{job.app}-job", daemon=True
        ).start()

    def is_job_running(self, job: JobName) -> bool:
        """Return whether a job runs or waits in any process. Raises StorageError."""
        with self._lock:
            if job in self._running:
                return True
            if len(self._observed) >= _OBSERVED_MAX:
                self._observed.clear()
            lease = self._observed.setdefault(job, Lease(job.lease, self.provider, LEASE_S))
        is_free = self.provider.tx_runner.run(lambda tx: is_lease_free(tx, job.lease), read_only=True)
        if not is_free and not lease.acquire_or_keep_and_run():
            return True
        with self._lock:
            self._observed.pop(job, None)
        if not is_free:
            lease.release_and_delete()
        return False

    def count(self) -> int:
        """Return how many jobs run or wait in this process."""
        with self._lock:
            return len(self._running)

    def close(self) -> None:
        """Start no further jobs. Those that run end with the process, and others know it at once."""
        for threads in [*self._threads.values()]:
            threads.cancel_waiting()
        for job in [*self._running]:
            self._end_job(job)

    def _run_job(self, job: JobName, work: Callable[[], None], is_ended: Event) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001  it concerns this job only
            get_app_logger(job.app).error(
                "the job %s of the system application %s failed", job.name, job.app, exc_info=error
            )
        finally:
            is_ended.set()
            self._end_job(job)

    def _end_job(self, job: JobName) -> None:
        with self._lock:
            lease = self._running.pop(job, None)
        if lease is not None:
            # Without the store, the lease ends by not being renewed.
            with suppress(StorageError):
                lease.release_and_delete()


def _renew_until_ended(lease: Lease, is_ended: Event) -> None:
    while not is_ended.wait(lease.heartbeat_s):
        try:
            lease.run_in_transaction_while_held(lambda tx: None)
        except LeaseLost:
            return
        except StorageError:
            continue
