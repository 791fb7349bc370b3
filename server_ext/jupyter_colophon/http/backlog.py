"""What a subscriber has not been sent yet: bounded in number and in size (reliability.md, 16)."""

import asyncio
from collections.abc import Iterable
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
    """A queue between the feed and one subscriber, used on the event loop alone; one that is empty is small."""

    __slots__ = ("_bytes", "_finished", "_news", "_waiting")

    def __init__(self) -> None:
        self._waiting: list[Told] = []
        self._bytes = 0
        self._finished = False
        #: Set while somebody waits.
        self._news: asyncio.Future[None] | None = None

    def add(self, changes: Iterable[Told]) -> bool:
        """Take changes in; False when there is no room for them."""
        for change in changes:
            if self._waiting and (len(self._waiting) >= CHANGES_MAX or self._bytes + len(change.text) > BYTES_MAX):
                return False
            self._waiting.append(change)
            self._bytes += len(change.text)
        self._wake()
        return True

    def finish(self) -> None:
        """Nobody waits any more."""
        self._finished = True
        self._wake()

    async def take(self, patience_s: float | None = None) -> list[Told]:
        """What comes next, for one message; waits until there is something, or (with nothing) until patience ends.

        Raises Finished.
        """
        if not self._waiting and not self._finished:
            self._news = asyncio.get_running_loop().create_future()
            try:
                await (self._news if patience_s is None else asyncio.wait_for(self._news, patience_s))
            except TimeoutError:
                return []
            finally:
                self._news = None
        if self._finished:
            raise Finished
        count, size = 1, len(self._waiting[0].text)
        for change in self._waiting[1:_MESSAGE_CHANGES]:
            size += len(change.text)
            if size > _MESSAGE_BYTES:
                break
            count += 1
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        self._bytes -= sum(len(change.text) for change in taken)
        return taken

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)
