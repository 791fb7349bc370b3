"""Refuse requests before memory or latency breaks (docs/how-to/watch-a-server.md).

Measured are the delay of the event loop, the time that a user waits for a thread, and the resident memory. Requests are
refused before their body is read and before anything is done for them: first those that read much, then all reads, then
writes, since a refused read costs its user a moment, and a refused write may cost a program its report.

A delay counts if it stays: the least one of the last moments is compared with the limit, so that a single slow request
or a burst refuses nothing. Used on the event loop.
"""

import asyncio
import logging
import math
import random
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from jupyter_colophon.core.errors import Overloaded
from jupyter_colophon.core.server_load import REQUEST_KINDS, RequestKind, ServerLoad
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.settings import Settings
from jupyter_colophon.system import memory

#: A kind is refused from this multiple of the limit of delays, and of memory.
_DELAY_FACTORS: Final = {"query": 1.0, "read": 2.0, "write": 4.0}
_MEMORY_FACTORS: Final = {"query": 1.0, "read": 1.1, "write": 1.2}
#: How often the load is measured while there are requests, and for how long after the last one.
_INTERVAL_S: Final = 0.1
_IDLE_S: Final = 5.0
#: A delay counts if no smaller one was measured in this time.
_WINDOW_S: Final = 0.5
#: Refusals with shorter pauses than this are one overload.
_PAUSE_S: Final = 10.0
#: When to try again, in seconds: clients that are refused together do not return together.
_RETRY_S: Final = (2, 8)
#: The part of the available memory that a server may use by default.
_MEMORY_PART: Final = 0.8
#: How often free memory is returned to the system while memory is above its limit.
_RETURN_S: Final = 5.0
_MIB: Final = 1024 * 1024
_logger = logging.getLogger("jupyter_colophon.http")


class LoadShedder:
    """Measures the load of one server, and refuses requests while it is too high."""

    def __init__(
        self,
        settings: Settings,
        measure_queue_delay_s: Callable[[], float],
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`measure_queue_delay_s` returns how long a user waits for a thread."""
        self._settings, self._measure_queue_delay_s, self._now = settings, measure_queue_delay_s, now
        self._available = memory.find_available_bytes()
        #: How many processes share the memory of the machine.
        self.processes = 1
        self._delays: deque[tuple[float, float]] = deque()
        self._memory = memory.read_resident_bytes()
        self._task: asyncio.Task[None] | None = None
        self._memory_returned = -math.inf
        self._last_request = now()
        self._first_refusal = self._last_refusal = -math.inf

    @property
    def memory_limit_bytes(self) -> int | None:
        """The limit of resident memory."""
        if self._settings.max_memory_mb:
            return self._settings.max_memory_mb * _MIB
        return None if self._available is None else int(self._available * _MEMORY_PART / self.processes)

    def require_capacity(self, kind: RequestKind) -> None:
        """Raise Overloaded if requests of this kind are refused now."""
        self._last_request = self._now()
        self._measure_while_there_are_requests()
        if self._is_refused(kind):
            self._record_refusal()
            raise Overloaded(random.randint(*_RETRY_S))  # noqa: S311  no secret

    def measure_load(self) -> ServerLoad:
        """Return the present load."""
        now = self._now()
        lasts = self._last_refusal >= now - _PAUSE_S
        return ServerLoad(
            delay_s=self._compute_lasting_delay_s(),
            delay_limit_s=self._settings.max_queue_delay_seconds or None,
            memory_bytes=memory.read_resident_bytes(),
            memory_limit_bytes=self.memory_limit_bytes,
            refused=tuple(kind for kind in REQUEST_KINDS if self._is_refused(kind)),
            overloaded_s=now - self._first_refusal if lasts else 0.0,
        )

    def record_delay(self, delay_s: float) -> None:
        """Record a measured delay."""
        now = self._now()
        self._delays.append((now, delay_s))
        # Measurements of a busy loop are far apart: two are always kept.
        while len(self._delays) > 2 and self._delays[0][0] < now - _WINDOW_S:
            self._delays.popleft()

    def stop(self) -> None:
        """Stop measuring; from any thread."""
        if self._task is not None:
            task, self._task = self._task, None
            # The loop may have been closed before.
            with suppress(RuntimeError):
                task.get_loop().call_soon_threadsafe(task.cancel)

    def _record_refusal(self) -> None:
        now = self._last_request
        if self._last_refusal < now - _PAUSE_S:
            self._first_refusal = now
            load = self.measure_load()
            _logger.warning(
                "the server is overloaded and refuses requests: delay %.1f s, resident memory %d MiB",
                load.delay_s,
                (load.memory_bytes or 0) // _MIB,
            )
        self._last_refusal = now

    def _is_refused(self, kind: RequestKind) -> bool:
        limit_s = self._settings.max_queue_delay_seconds
        if limit_s and self._compute_lasting_delay_s() >= limit_s * _DELAY_FACTORS[kind]:
            return True
        return self._is_memory_above(_MEMORY_FACTORS[kind])

    def _is_memory_above(self, factor: float) -> bool:
        limit = self.memory_limit_bytes
        return limit is not None and self._memory is not None and self._memory >= limit * factor

    async def _return_free_memory(self) -> None:
        """Return memory to the system that is free, but kept by the process, from time to time."""
        if self._now() >= self._memory_returned + _RETURN_S:
            self._memory_returned = self._now()
            await asyncio.get_running_loop().run_in_executor(None, memory.return_free_memory)

    def _compute_lasting_delay_s(self) -> float:
        if len(self._delays) < 2 or self._delays[-1][0] < self._now() - _IDLE_S:
            return 0.0
        return min(delay for _, delay in self._delays)

    def _measure_while_there_are_requests(self) -> None:
        if self._task is None or self._task.done():
            self._memory = memory.read_resident_bytes()
            self._task = asyncio.get_running_loop().create_task(self._measure())

    async def _measure(self) -> None:
        while self._now() < self._last_request + _IDLE_S:
            expected = self._now() + _INTERVAL_S
            await asyncio.sleep(_INTERVAL_S)
            loop_delay_s = max(0.0, self._now() - expected)
            self.record_delay(max(loop_delay_s, self._measure_queue_delay_s()))
            self._memory = memory.read_resident_bytes()
            if self._is_memory_above(1.0):
                await self._return_free_memory()


def find_request_kind(operation: Operation) -> RequestKind:
    """Return the kind of a request of an operation."""
    if not operation.is_read_only:
        return "write"
    # Exports and streams of changes have a content type of their own.
    return "query" if operation.may_read_many_entities or operation.content_type else "read"
