"""What a subscriber has not been sent yet: bounded in number and in size (reliability.md, 16)."""

import asyncio
from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

#: Who is so many changes or bytes behind is cut off, and reads on with `after`.
CHANGES_MAX, BYTES_MAX = 1_000, 4 * 1024 * 1024
#: How much one message holds, at most; a single change is always sent whole.
_MESSAGE_CHANGES, _MESSAGE_BYTES = 500, 1024 * 1024


class Told(NamedTuple):
    """A change as JSON, with its number."""

    seq: int
    text: str


class Finished(Exception):
    """Nobody is to be sent anything any more."""


class Backlog:
    """A queue between the feed and one subscriber, used on the event loop alone."""

    def __init__(self) -> None:
        self._waiting: deque[Told] = deque()
        self._bytes = 0
        self._news = asyncio.Event()
        self._finished = False

    def add(self, changes: Iterable[Told]) -> bool:
        """Take changes in; False when there is no room for them."""
        for change in changes:
            if self._waiting and (len(self._waiting) >= CHANGES_MAX or self._bytes + len(change.text) > BYTES_MAX):
                return False
            self._waiting.append(change)
            self._bytes += len(change.text)
        self._news.set()
        return True

    def finish(self) -> None:
        """Nobody waits any more."""
        self._finished = True
        self._news.set()

    async def take(self, patience_s: float | None = None) -> list[Told]:
        """What comes next, for one message; waits until there is something, or (with nothing) until patience ends.

        Raises Finished.
        """
        try:
            await asyncio.wait_for(self._news.wait(), patience_s)
        except TimeoutError:
            return []
        if self._finished:
            raise Finished
        taken = [self._waiting.popleft()]
        size = len(taken[0].text)
        for change in list(islice(self._waiting, _MESSAGE_CHANGES - 1)):
            size += len(change.text)
            if size > _MESSAGE_BYTES:
                break
            taken.append(self._waiting.popleft())
        self._bytes -= sum(len(change.text) for change in taken)
        if not self._waiting:
            self._news.clear()
        return taken
