"""What a subscriber has not been sent yet: bounded in number and in size (spec WRITE-20)."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

from jupyter_colophon.core.changes.written_change import WrittenChange

#: Who is so many changes or bytes behind is cut off, and reads on with `after`.
CHANGES_MAX, BYTES_MAX = 1_000, 1024 * 1024
#: How much one message holds, at most; a single change is always sent whole.
_MESSAGE_CHANGES, _MESSAGE_BYTES = 500, 256 * 1024


class Finished(Exception):
    """Nobody is to be sent anything any more."""


class Backlog:
    """A queue between the feed and one subscriber, used on the event loop alone; one that is empty is small."""

    __slots__ = ("_bytes", "_finished", "_heard", "_waiting")

    def __init__(self, heard: Callable[[], None] | None = None) -> None:
        self._waiting: list[WrittenChange] = []
        self._bytes = 0
        self._finished = False
        #: Called when something came, or ended.
        self._heard = heard

    def add(self, changes: Iterable[WrittenChange]) -> bool:
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
        self._waiting = []
        self._wake()

    def ready(self) -> Sequence[WrittenChange]:
        """What comes next, for one message; nothing where nothing waits."""
        if not self._waiting:
            return ()
        taken = next(messages(self._waiting))
        self._waiting = self._waiting[len(taken) :]
        self._bytes -= sum(len(change.text) for change in taken)
        return taken

    async def take(self, patience_s: float | None = None) -> Sequence[WrittenChange]:
        """What comes next; waits until there is something, or (with nothing) until patience ends. Raises Finished."""
        if not self._waiting and not self._finished:
            news = asyncio.Event()
            self._heard = news.set
            try:
                async with asyncio.timeout(patience_s):
                    await news.wait()
            except TimeoutError:
                return ()
            finally:
                self._heard = None
        if self._finished:
            raise Finished
        return self.ready()

    def _wake(self) -> None:
        if self._heard is not None:
            self._heard()


def messages(changes: Sequence[WrittenChange]) -> Iterator[Sequence[WrittenChange]]:
    """Changes in portions that are one message each."""
    start = size = 0
    for end, change in enumerate(changes):
        size += len(change.text)
        if end > start and (size > _MESSAGE_BYTES or end - start == _MESSAGE_CHANGES):
            yield changes[start:end]
            start, size = end, len(change.text)
    if start < len(changes):
        yield changes[start:]
