"""Threads for the code of packages: each schemaspace has its own few, so that classes which hang hold up only theirs."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeVar

from jupyter_colophon.core.errors import StoreUnavailable, shown

T = TypeVar("T")
#: How many requests of one schemaspace are worked on at once, and how many more may wait.
THREADS, WAITING = 4, 28
#: Beyond so many names they share one crew: a name is anything that somebody asked for.
_CREWS_MAX = 64


@dataclass(slots=True)
class _Crew:
    threads: ThreadPoolExecutor
    busy: int = 0


@dataclass(slots=True)
class SchemaspacePools:
    """The crews of one server, made as they are needed."""

    _crews: dict[str, _Crew] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def submit(self, space: str, work: Callable[[], T]) -> "Future[T]":
        """Have it done. Raises StoreUnavailable where too much waits already."""
        with self._lock:
            crew = self._crew(space.casefold())
            if crew.busy >= THREADS + WAITING:
                raise StoreUnavailable(f"schemaspace {shown(space)} is busy: what its package does takes too long")
            crew.busy += 1
        future = crew.threads.submit(work)
        future.add_done_callback(lambda _: self._ended(crew))
        return future

    def close(self) -> None:
        """Begin nothing more, and wait for what was begun."""
        with self._lock:
            crews = list(self._crews.values())
        for crew in crews:
            crew.threads.shutdown(wait=True, cancel_futures=True)

    def _crew(self, key: str) -> _Crew:
        key = key if key in self._crews or len(self._crews) < _CREWS_MAX else ""
        if key not in self._crews:
            self._crews[key] = _Crew(ThreadPoolExecutor(THREADS, thread_name_prefix="colophon-space"))
        return self._crews[key]

    def _ended(self, crew: _Crew) -> None:
        with self._lock:
            crew.busy -= 1
