"""Subscriptions of connections to the change log: first earlier changes, then new ones, each once and in order."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.changes.written_change import WrittenChange, encode_changes_as_json
from jupyter_colophon.core.errors import TooManyConnections
from jupyter_colophon.http.authenticated_request import AuthenticatedRequest
from jupyter_colophon.http.changes.change_hub import Subscriber, SubscriptionSpec
from jupyter_colophon.http.changes.send_queue import QueueClosed, SendQueue, split_into_messages

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.service.changes.feed import ChangeSlice

#: How many changes are read at once.
SLICE: Final = 500


class Subscription:
    """The subscription of one connection. `on_added` is called when changes are `ready`, and at the end.

    It ends with the access of the user, kernel or program that opened it: `revoked` is called then, and `is_revoked` is
    true. `stopped` is called when the server stops.
    """

    def __init__(
        self,
        handler: AuthenticatedRequest,
        spec: SubscriptionSpec,
        cut_off: Callable[[], None],
        on_added: Callable[[], None] | None = None,
        revoked: Callable[[], None] = lambda: None,
        stopped: Callable[[], None] = lambda: None,
    ) -> None:
        self._query, self._change_hub, self._spec = handler.run_query_on_thread, handler.state.change_hub, spec
        self._subscriber = Subscriber(spec, SendQueue(on_added), cut_off, self._end_with_server)
        #: The number of the last change that was returned.
        self._sent = 0
        self.is_revoked = False
        #: Why the access of the caller ended, if it did.
        self.reason_of_end = handler.reason_of_end
        self._call_when_access_ends, self._revoked, self._stopped = handler.call_when_access_ends, revoked, stopped
        self._cancel: Callable[[], None] = lambda: None

    async def start_and_get_head(self) -> int:
        """Subscribe from now on; return the number of the newest change. Raises StorageError."""
        loop = asyncio.get_running_loop()

        def end_access() -> None:
            # Tokens are also revoked on other threads: those of scheduled pipelines.
            loop.call_soon_threadsafe(self._end_after_revoked_access)

        self._cancel = self._call_when_access_ends(end_access)
        await self._change_hub.add_subscriber(self._subscriber, self._query)
        head: int = await self._query(lambda catalog: catalog.feed.read_newest_change_number())
        return head

    async def read_changes_up_to_head(self, after: int, head: int) -> AsyncIterator[Sequence[WrittenChange]]:
        """Yield the changes after a number, up to the head. Raises LogCompacted, StorageError."""
        while after < head:
            written, after = await self._read_page_of_changes(after)
            for message in split_into_messages(written):
                yield message
        self._sent = max(after, head)

    def take_ready_new_changes(self) -> Sequence[WrittenChange]:
        """Return the next new changes to send; empty if there are none."""
        while changes := self._subscriber.queue.take_ready_message():
            if fresh := self._drop_sent(changes):
                return fresh
        return ()

    async def read_batches(
        self, after: int, head: int, timeout_s: float | None = None
    ) -> AsyncIterator[Sequence[WrittenChange]]:
        """Yield the changes to send, until `end`; empty after `timeout_s` without any. Raises LogCompacted, StorageError.

        First the changes after a number up to the head, then new ones.
        """
        async for message in self.read_changes_up_to_head(after, head):
            yield message
        while True:
            try:
                changes = await self._subscriber.queue.wait_and_take_message(timeout_s)
            except QueueClosed:
                return
            fresh = self._drop_sent(changes)
            if fresh or not changes:
                yield fresh

    def _drop_sent(self, changes: Sequence[WrittenChange]) -> Sequence[WrittenChange]:
        """Return the changes that were not returned before: two listeners of the feed may report the same ones."""
        if changes and changes[0].seq <= self._sent:
            changes = [change for change in changes if change.seq > self._sent]
        if changes:
            self._sent = changes[-1].seq
        return changes

    def end_subscription(self) -> None:
        """End the subscription."""
        self._cancel()
        self._change_hub.remove_subscriber(self._subscriber)
        self._subscriber.queue.drop_changes_and_close()

    def _end_with_server(self) -> None:
        self.end_subscription()
        self._stopped()

    def _end_after_revoked_access(self) -> None:
        self.is_revoked = True
        self.end_subscription()
        self._revoked()

    async def _read_page_of_changes(self, after: int) -> tuple[list[WrittenChange], int]:
        spec = self._spec

        def read(catalog: "Catalog") -> tuple[list[WrittenChange], int]:
            change_slice: ChangeSlice = catalog.feed.read_slice_of_visible_changes(
                after, SLICE, spec.filters, spec.principal
            )
            return encode_changes_as_json(catalog.formatter, change_slice.changes, spec.form), change_slice.cursor

        return await self._query(read)


def register_connection_of_user(handler: AuthenticatedRequest) -> Callable[[], None]:
    """Count one more connection of the user; return a function that releases it. Raises TooManyConnections.

    Must run on the event loop without awaiting between check and count, so that concurrent requests cannot exceed the limit.
    """
    user, open_, most = handler.principal.user, handler.state.sockets, handler.state.settings.max_connections_per_user
    if open_[user] >= most:
        raise TooManyConnections(most)
    open_[user] += 1
    is_open = True

    def release() -> None:
        nonlocal is_open
        if is_open:
            open_[user] -= 1
            if not open_[user]:
                del open_[user]
            is_open = False

    return release
