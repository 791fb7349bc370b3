"""The worker processes of all services in this server: as many as are requested, shared with the other servers."""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from jupyter_colophon.apps.workers.worker_counts import WorkerCounts
from jupyter_colophon.apps.workers.worker_pool import PendingCall, WorkerPool
from jupyter_colophon.apps.workers.worker_process import WorkerLauncher
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.system_app_workers import (
    ServerWorkers,
    delete_server_of_service,
    list_servers_of_service,
    record_running_workers,
)
from jupyter_colophon.system.worker import Worker

#: The interval of heartbeats, that of looks while no service has processes, and how long a silent server counts.
HEARTBEAT_S: Final = 5.0
_IDLE_S: Final = 10.0
_SILENT_S: Final = 30.0
_logger = logging.getLogger("jupyter_colophon.apps")


class ServiceKey(NamedTuple):
    """A service of an application."""

    app: str
    service: str


class RequestedInstances(NamedTuple):
    """How many processes all servers together run for a service, of this version of the application."""

    instances: int
    version: str
    has_spark: bool


@dataclass(frozen=True, slots=True)
class WorkerState:
    """The worker processes of a service in this server. `requested` is its share of the requested number."""

    service: str
    requested: int
    running: int
    restarts: int
    problem: str


def compute_share(instances: int, position: int, servers: int) -> int:
    """Return how many of the instances the server at a position runs: every server has at least one."""
    return max(1, instances // servers + (position < instances % servers))


@dataclass(slots=True)
class ServiceWorkers:
    """Keeps the processes of each service at this server's share, while it runs."""

    provider: StorageProvider
    launcher: WorkerLauncher
    #: Returns what is requested for the applications that this server serves. Raises StorageError.
    list_requested: Callable[[], Mapping[ServiceKey, RequestedInstances]]
    #: Runs a call that waited for a process of a service that has no processes any more.
    run_on_threads: Callable[[PendingCall], None]
    _server: str = field(default_factory=lambda: uuid.uuid4().hex)
    _pools: dict[ServiceKey, WorkerPool] = field(default_factory=dict)
    #: The heartbeat of each other server, and since when it is unchanged (monotonic).
    _observed: dict[tuple[ServiceKey, str], tuple[int, float]] = field(default_factory=dict)
    _updater: Worker = field(init=False)
    _is_closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Prepare the thread, which is not started yet."""
        self._updater = Worker(
            "colophon-app-workers",
            self._update_shares,
            _logger,
            "worker processes of system applications",
            idle_s=HEARTBEAT_S,
            unavailable=(StorageError,),
        )

    def start(self) -> None:
        """Keep the processes from now on."""
        self._updater.start()

    def wake(self) -> None:
        """Apply a changed number now."""
        self._updater.wake()

    def get_or_create_pool(self, key: ServiceKey, version: str, *, has_spark: bool) -> WorkerPool:
        """Return the processes of a service; the first one is started at once."""
        with self._lock:
            pool = self._pools.get(key)
            if pool is None:
                pool = WorkerPool(
                    *key,
                    lambda: self.launcher.start_worker(key.app, version, key.service, has_spark=has_spark),
                    is_lazy=has_spark,
                )
                self._pools[key] = pool
                pool.set_count(0 if self._is_closed else 1)
                self._updater.wake()
            return pool

    def list_states(self, app: str) -> tuple[WorkerState, ...]:
        """Return the processes of the services of an application, by service."""
        return tuple(
            WorkerState(key.service, pool.count, pool.count_running(), pool.count_restarts(), pool.problem)
            for key, pool in sorted(self._copy_pools().items())
            if key.app == app
        )

    def count_running(self, tx: TableContext, app: str, service: str) -> int:
        """Return how many processes of a service run in all servers, as this one knows its own now."""
        pool = self._copy_pools().get(ServiceKey(app, service))
        others = (one.running for one in list_servers_of_service(tx, app, service) if one.server != self._server)
        return sum(others) + (0 if pool is None else pool.count_running())

    def count_workers(self) -> WorkerCounts:
        """Return how many processes this server runs for all services."""
        pools = self._copy_pools().values()
        return WorkerCounts(
            sum(pool.count for pool in pools),
            sum(pool.count_running() for pool in pools),
            sum(pool.count_restarts() for pool in pools),
        )

    def close(self) -> None:
        """End all processes, after the calls that run."""
        with self._lock:
            self._is_closed = True
        self._updater.close(HEARTBEAT_S)
        pools = self._copy_pools()
        for pool in pools.values():
            pool.set_count(0)
        for pool in pools.values():
            pool.close()
        if pools:
            # Without the rows, the other servers take over the share of this one at once.
            with suppress(StorageError):
                self._delete_rows({key: [self._server] for key in pools})

    def _copy_pools(self) -> dict[ServiceKey, WorkerPool]:
        with self._lock:
            return dict(self._pools)

    def _update_shares(self) -> float | None:
        before = self._copy_pools()
        requested = self.list_requested()
        self._remove_pools({key for key in before if key not in requested})
        pools = {
            key: self.get_or_create_pool(key, instances.version, has_spark=instances.has_spark)
            for key, instances in requested.items()
        }
        if not pools:
            return _IDLE_S

        def record(tx: TableContext) -> dict[ServiceKey, list[ServerWorkers]]:
            for key, pool in pools.items():
                record_running_workers(tx, *key, self._server, pool.count_running())
            return {key: list_servers_of_service(tx, *key) for key in pools}

        silent: dict[ServiceKey, list[str]] = {}
        for key, servers in self.provider.tx_runner.run(record).items():
            silent[key] = [one.server for one in servers if self._is_silent(key, one)]
            live = [one.server for one in servers if one.server not in silent[key]]
            share = compute_share(requested[key].instances, live.index(self._server), len(live))
            if pools[key].count != share and not self._is_closed:
                pools[key].set_count(share)
        if any(silent.values()):
            self._delete_rows(silent)
        return HEARTBEAT_S

    def _is_silent(self, key: ServiceKey, server: ServerWorkers) -> bool:
        """Return whether another server has had the same heartbeat for too long."""
        if server.server == self._server:
            return False
        heartbeat, since = self._observed.get((key, server.server), (None, 0.0))
        if heartbeat != server.heartbeat:
            since = time.monotonic()
            self._observed[key, server.server] = server.heartbeat, since
        return time.monotonic() - since > _SILENT_S

    def _remove_pools(self, keys: Collection[ServiceKey]) -> None:
        """End the processes of applications that were disabled, and of services that run on threads again.

        No accepted call is lost.
        """
        with self._lock:
            removed = {key: self._pools.pop(key) for key in keys}
        for pool in removed.values():
            for item in pool.stop_and_return_waiting():
                self.run_on_threads(item)
        if removed:
            self._delete_rows({key: [self._server] for key in removed})

    def _delete_rows(self, servers: Mapping[ServiceKey, list[str]]) -> None:
        def delete(tx: TableContext) -> None:
            for key, names in servers.items():
                for name in names:
                    delete_server_of_service(tx, *key, name)
                    self._observed.pop((key, name), None)

        self.provider.tx_runner.run(delete)
