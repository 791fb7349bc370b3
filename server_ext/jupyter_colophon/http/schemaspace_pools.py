"""Thread pools for package code, one for each schemaspace, so that hanging code blocks only its own schemaspace."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from jupyter_colophon.core.errors import StoreUnavailable, quote_text

T = TypeVar("T")
#: How many requests of one schemaspace run at once, and how many more may wait.
THREADS, WAITING = 4, 28
#: Further names share one pool, since a request may contain any name.
_POOLS_MAX = 64


@dataclass(slots=True)
class _Pool:
    threads: ThreadPoolExecutor
    busy: int = 0


@dataclass(slots=True)
class SchemaspacePools:
    """The pools of one server, created on demand."""

    _pools: dict[str, _Pool] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def submit(self, space: str, work: Callable[[], T]) -> "Future[T]":
        """Run work in the pool of a schemaspace. Raises StoreUnavailable if too much work is waiting."""
        with self._lock:
            pool = self._get_pool(space.casefold())
            if pool.busy >= THREADS + WAITING:
                raise StoreUnavailable(f"schemaspace {quote_text(space)} is busy: its package takes too long")
            pool.busy += 1
        future = pool.threads.submit(work)
        future.add_done_callback(lambda _: self._release(pool))
        return future

    def close(self) -> None:
        """Cancel waiting work, and wait for running work."""
        with self._lock:
            pools = list(self._pools.values())
        for pool in pools:
            pool.threads.shutdown(wait=True, cancel_futures=True)

    def _get_pool(self, key: str) -> _Pool:
        key = key if key in self._pools or len(self._pools) < _POOLS_MAX else ""
        if key not in self._pools:
            self._pools[key] = _Pool(ThreadPoolExecutor(THREADS, thread_name_prefix="colophon-space"))
        return self._pools[key]

    def _release(self, pool: _Pool) -> None:
        with self._lock:
            pool.busy -= 1
