"""Following the change log over a connection: first what came after a number, then what comes, each change once and in order."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.changes.written_change import WrittenChange, write_changes
from jupyter_colophon.core.errors import TooManyConnections
from jupyter_colophon.http.authenticated_request import AuthenticatedRequest
from jupyter_colophon.http.changes.change_hub import Subscriber, Wish
from jupyter_colophon.http.changes.send_queue import Backlog, Finished, messages

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.service.changes.feed import Slice

#: How many changes are read at once.
SLICE: Final = 500


class Following:
    """One connection that follows. `heard` is called when something is `ready`, and when that is the end.

    It ends with the token of the kernel that opened it: `revoked` is called then, and `is_revoked` is true.
    """

    def __init__(
        self,
        asks: AuthenticatedRequest,
        wish: Wish,
        cut_off: Callable[[], None],
        heard: Callable[[], None] | None = None,
        revoked: Callable[[], None] = lambda: None,
    ) -> None:
        self._query, self._board, self._wish = asks.query, asks.state.board, wish
        self._subscriber = Subscriber(wish, Backlog(heard), cut_off)
        #: The number up to which everything was handed out.
        self._sent = 0
        self.is_revoked = False
        self._tokens, self._revoked = asks.state.tokens, revoked
        self._cancel: Callable[[], None] = lambda: None

    async def begin(self) -> int:
        """Listen from now on; returns the number of the newest change. Raises StorageError."""
        loop = asyncio.get_running_loop()

        def end_access() -> None:
            # A token also ends on other threads: those of pipelines that schedules started.
            loop.call_soon_threadsafe(self._end_access)

        self._cancel = self._tokens.call_at_end(self._wish.principal, end_access)
        await self._board.join(self._subscriber, self._query)
        head: int = await self._query(lambda catalog: catalog.feed.head())
        return head

    async def earlier(self, after: int, head: int) -> AsyncIterator[Sequence[WrittenChange]]:
        """What came after a number, up to the head. Raises LogCompacted, StorageError."""
        while after < head:
            found, after = await self._read(after)
            for message in messages(found):
                yield message
        self._sent = max(after, head)

    def ready(self) -> Sequence[WrittenChange]:
        """What to send next of what came since; nothing, where nothing did."""
        while waited := self._subscriber.backlog.ready():
            if fresh := self._fresh(waited):
                return fresh
        return ()

    async def batches(
        self, after: int, head: int, patience_s: float | None = None
    ) -> AsyncIterator[Sequence[WrittenChange]]:
        """What to send next, until `end`; nothing, where nothing came for so long. Raises LogCompacted, StorageError.

        First what came after a number up to the head, then what comes.
        """
        async for message in self.earlier(after, head):
            yield message
        while True:
            try:
                waited = await self._subscriber.backlog.take(patience_s)
            except Finished:
                return
            fresh = self._fresh(waited)
            if fresh or not waited:
                yield fresh

    def _fresh(self, waited: Sequence[WrittenChange]) -> Sequence[WrittenChange]:
        """Those that were not handed out before: two listeners of the feed may tell the same."""
        if waited and waited[0].seq <= self._sent:
            waited = [one for one in waited if one.seq > self._sent]
        if waited:
            self._sent = waited[-1].seq
        return waited

    def end(self) -> None:
        """Listen no more."""
        self._cancel()
        self._board.leave(self._subscriber)
        self._subscriber.backlog.finish()

    def _end_access(self) -> None:
        self.is_revoked = True
        self.end()
        self._revoked()

    async def _read(self, after: int) -> tuple[list[WrittenChange], int]:
        wish = self._wish

        def read(catalog: "Catalog") -> tuple[list[WrittenChange], int]:
            found: Slice = catalog.feed.read(after, SLICE, wish.filters, wish.principal)
            return write_changes(catalog.formatter, found.changes, wish.form), found.cursor

        return await self._query(read)


def reserve_connection(asks: AuthenticatedRequest) -> Callable[[], None]:
    """Count one more connection of the user; returns what counts it no more. Raises TooManyConnections.

    Nothing else runs between the look and the count: however many ask at once, no more are let in.
    """
    user, open_, most = asks.principal.user, asks.state.sockets, asks.state.settings.max_connections_per_user
    if open_[user] >= most:
        raise TooManyConnections(most)
    open_[user] += 1
    is_open = True

    def release() -> None:
        nonlocal is_open
        if is_open:
            open_[user] -= 1
            is_open = False

    return release
