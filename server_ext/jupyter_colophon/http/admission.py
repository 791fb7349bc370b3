"""How many requests of one principal are served at once while others send requests too.

Serving a request takes time of the event loop, which the pools of threads do not share out. So a principal that sends
many requests at once waits here, with its own, and the requests of others find a short queue. Used on the event loop.
"""

import asyncio
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

#: For how many seconds after a request a principal counts as active.
ACTIVE_S: Final = 1.0
#: How many requests of one principal are served at once while others are active.
SHARED_MAX: Final = 2


class Admission:
    """Admits requests; those of a principal in the order of their arrival."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        #: When each principal that is active has sent its last request; the one that did so last is the last.
        self._active: OrderedDict[str, float] = OrderedDict()
        self._running: Counter[str] = Counter()
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def record_request(self, user: str) -> None:
        """Record that a principal is active."""
        now = self._now()
        self._active[user] = now
        self._active.move_to_end(user)
        while next(iter(self._active.values())) < now - ACTIVE_S:
            self._active.popitem(last=False)

    @asynccontextmanager
    async def admit_request(self, user: str) -> AsyncIterator[None]:
        """Wait until a request of a principal may be served, and count it while it is."""
        if self._running[user] >= SHARED_MAX and len(self._active) > 1:
            await self._wait_for_turn(user)
        self._running[user] += 1
        try:
            yield
        finally:
            self._running[user] -= 1
            if not self._running[user]:
                del self._running[user]
            self._wake_waiting_requests(user)

    async def _wait_for_turn(self, user: str) -> None:
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(user, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                # The turn was given to a request that has ended: the next one gets it.
                self._wake_waiting_requests(user)
            raise

    def _wake_waiting_requests(self, user: str) -> None:
        """Give turns to as many waiting requests as may be served; to all of them if no other principal is active."""
        queue = self._waiting.get(user, deque())
        free = len(queue) if len(self._active) <= 1 else max(0, SHARED_MAX - self._running[user])
        while queue and free:
            turn = queue.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1
        if not queue:
            self._waiting.pop(user, None)
        if not self._running[user]:
            del self._running[user]
