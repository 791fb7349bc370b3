"""Thread pools for package code, one for each schemaspace, so that hanging code blocks only its own schemaspace."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from jupyter_colophon.core.errors import StoreUnavailable, quote_and_truncate_text

T = TypeVar("T")
#: How many requests of one schemaspace run at once, and how many more may wait.
THREADS, WAITING = 4, 28
#: Further names share one pool, since a request may contain any name.
_POOLS_MAX = 64


@dataclass(slots=True)
class _SchemaspacePool:
    threads: ThreadPoolExecutor
    busy: int = 0


@dataclass(slots=True)
class SchemaspacePools:
    """The pools of one server, created on demand."""

    _pools: dict[str, _SchemaspacePool] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def submit_work_of_schemaspace(self, space: str, work: Callable[[], T]) -> "Future[T]":
        """Run work in the pool of a schemaspace. Raises StoreUnavailable if too much work is waiting."""
        with self._lock:
            pool = self._get_or_create_pool(space.casefold())
            if pool.busy >= THREADS + WAITING:
                raise StoreUnavailable(
                    f"schemaspace {quote_and_truncate_text(space)} is busy: its package takes too long"
                )
            pool.busy += 1
        future = pool.threads.submit(work)
        future.add_done_callback(lambda _: self._count_finished_work(pool))
        return future

    def cancel_waiting_and_wait(self) -> None:
        """Cancel waiting work, and wait for running work."""
        with self._lock:
            pools = list(self._pools.values())
        for pool in pools:
            pool.threads.shutdown(wait=True, cancel_futures=True)

    def _get_or_create_pool(self, key: str) -> _SchemaspacePool:
        key = key if key in self._pools or len(self._pools) < _POOLS_MAX else ""
        if key not in self._pools:
            self._pools[key] = _SchemaspacePool(ThreadPoolExecutor(THREADS, thread_name_prefix="colophon-space"))
        return self._pools[key]

    def _count_finished_work(self, pool: _SchemaspacePool) -> None:
        with self._lock:
            pool.busy -= 1
