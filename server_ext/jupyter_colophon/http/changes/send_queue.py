"""The queue of changes to send to a subscriber, bounded in number and size (spec WRITE-20)."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence

from jupyter_colophon.core.changes.written_change import WrittenChange

#: A subscriber that is further behind is disconnected, and can resume with `after`.
CHANGES_MAX, BYTES_MAX = 1_000, 1024 * 1024
#: The size limits of one message; a single change is always sent whole.
_MESSAGE_CHANGES, _MESSAGE_BYTES = 500, 256 * 1024


class QueueClosed(Exception):
    """The queue is closed."""


class SendQueue:
    """A queue between the feed and one subscriber, used on the event loop only; it is small while empty."""

    __slots__ = ("_bytes", "_is_closed", "_on_added", "_waiting")

    def __init__(self, on_added: Callable[[], None] | None = None) -> None:
        self._waiting: list[WrittenChange] = []
        self._bytes = 0
        self._is_closed = False
        #: Called when changes are added, or the queue is closed.
        self._on_added = on_added

    def add_or_reject_if_full(self, changes: Iterable[WrittenChange]) -> bool:
        """Add changes; return False if there is no room for them."""
        for change in changes:
            if self._waiting and (len(self._waiting) >= CHANGES_MAX or self._bytes + len(change.text) > BYTES_MAX):
                return False
            self._waiting.append(change)
            self._bytes += len(change.text)
        self._wake_waiting_reader()
        return True

    def drop_changes_and_close(self) -> None:
        """Drop all changes, and close the queue."""
        self._is_closed = True
        self._waiting = []
        self._wake_waiting_reader()

    def take_ready_message(self) -> Sequence[WrittenChange]:
        """Remove and return the changes of the next message; empty if there are none."""
        if not self._waiting:
            return ()
        changes = next(split_into_messages(self._waiting))
        self._waiting = self._waiting[len(changes) :]
        self._bytes -= sum(len(change.text) for change in changes)
        return changes

    async def wait_and_take_message(self, timeout_s: float | None = None) -> Sequence[WrittenChange]:
        """Wait for the next message and return it; empty after `timeout_s` without changes. Raises QueueClosed."""
        if not self._waiting and not self._is_closed:
            added = asyncio.Event()
            self._on_added = added.set
            try:
                async with asyncio.timeout(timeout_s):
                    await added.wait()
            except TimeoutError:
                return ()
            finally:
                self._on_added = None
        if self._is_closed:
            raise QueueClosed
        return self.take_ready_message()

    def _wake_waiting_reader(self) -> None:
        if self._on_added is not None:
            self._on_added()


def split_into_messages(changes: Sequence[WrittenChange]) -> Iterator[Sequence[WrittenChange]]:
    """Split changes into sequences of one message each."""
    start = size = 0
    for end, change in enumerate(changes):
        size += len(change.text)
        if end > start and (size > _MESSAGE_BYTES or end - start == _MESSAGE_CHANGES):
            yield changes[start:end]
            start, size = end, len(change.text)
    if start < len(changes):
        yield changes[start:]
