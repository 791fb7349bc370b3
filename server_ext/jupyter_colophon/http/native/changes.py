"""The change log: slices, long poll, and a WebSocket that any number of people may listen on."""

import asyncio
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.decorator import authorized, ws_authenticated
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from tornado.web import HTTPError, authenticated
from tornado.websocket import WebSocketClosedError, WebSocketHandler

from jupyter_colophon.core.change import Change
from jupyter_colophon.core.errors import IllegalQuery, LogCompacted, StorageError
from jupyter_colophon.http.base import ApiHandler, Identified
from jupyter_colophon.http.native import documents
from jupyter_colophon.http.native.backlog import Backlog, Told
from jupyter_colophon.http.native.parameters import LIMIT_MAX, NAMESPACE, TYPE
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.parameter import DIGITS_MAX, number, text
from jupyter_colophon.http.problems import row_of

if TYPE_CHECKING:
    from jupyter_colophon.wiring import Catalog

_WAIT_MAX_S = 30
#: How many changes are read at once.
_SLICE = 500
#: How many connections one user may have; more are refused with 429.
SOCKETS_MAX = 64
#: The largest number that `after` may be.
_SEQ_MAX = 10**DIGITS_MAX - 1
_TRY_AGAIN_LATER = 1013
_URN = text("urn", "Of this entity alone.", format="colophon-urn")
_FILTERS = (NAMESPACE, _URN, TYPE)
_AFTER = number("after", "The number of the last change known.", default=0, least=0, most=_SEQ_MAX)
_LIMIT = number("limit", "How many at most; 0 gives the present number alone.", default=100, least=0, most=LIMIT_MAX)
_WAIT = number("wait", "Seconds to wait for a change where there is none.", default=0, least=0, most=_WAIT_MAX_S)
#: Unlike that of a slice, this one may be left out: then only what comes is told.
_RESUMED_AFTER = text("after", "The number of the last change known; without it, only what comes is told.")


class ChangesHandler(ApiHandler):
    """`GET /changes`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readChanges", takes=[_AFTER, _LIMIT, _WAIT, *_FILTERS], answers="changes", refuses=[LogCompacted])
    async def get(self) -> None:
        """Changes after a number; with `wait`, as soon as there are any; `limit=0` gives the present number."""
        after, limit, wait = self.asked(_AFTER), self.asked(_LIMIT), self.asked(_WAIT)
        where, principal = _filters(self), self.principal
        if limit == 0:
            self.answer({"cursor": await self.hop(lambda catalog: catalog.feed.head()), "changes": []})
            return

        def work(catalog: "Catalog") -> list[Change]:
            return catalog.feed.changes(after, limit, where, principal)

        found = await self.hop(work)
        if not found and wait:
            await self._news(after, where, wait)
            found = await self.hop(work)
        cursor = found[-1].seq if found else after
        self.answer({"cursor": cursor, "changes": [documents.change(one) for one in found]})

    async def _news(self, after: int, where: dict[str, str], wait_s: int) -> None:
        """Return when there is a change that fits, or after a time."""
        loop, news, principal = asyncio.get_running_loop(), asyncio.Event(), self.principal
        feed = (await self.hop(lambda catalog: catalog)).feed

        def heard(changes: Sequence[Change]) -> None:
            if any(one.seq > after for one in feed.visible(changes, where, principal)):
                loop.call_soon_threadsafe(news.set)

        end = await self.hop(lambda catalog: catalog.feed.listen(heard))
        try:
            # Something may have come between the first look and the listening.
            if not await self.hop(lambda catalog: catalog.feed.changes(after, 1, where, principal)):
                await asyncio.wait_for(news.wait(), wait_s)
        except TimeoutError:
            pass
        finally:
            end()


class ChangesSocket(Identified, WebSocketMixin, WebSocketHandler, JupyterHandler):  # type: ignore[misc]
    """`/changes/ws?after=&namespace=&urn=&type=`: first `hello` with the log's head, then changes."""

    @ws_authenticated
    @operation("followChanges", takes=[_RESUMED_AFTER, *_FILTERS], answers={101: "message"})
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Take the connection. A WebSocket asks the authorizer for `execute`, as Jupyter's own do."""
        allowed = self.authorizer.is_authorized(self, self.current_user, "execute", "colophon")
        if not (await allowed if asyncio.iscoroutine(allowed) else allowed):
            raise HTTPError(403)
        try:
            self._after, self._where = _place(self.asked(_RESUMED_AFTER)), _filters(self)
        except IllegalQuery as error:
            raise HTTPError(row_of(error).status, error.detail) from error
        if self.door.sockets[self.principal.user] >= SOCKETS_MAX:
            raise HTTPError(429)
        await self._require_kept(self._after)
        await super().get(*args, **kwargs)

    async def open(self, *args: Any, **kwargs: Any) -> None:
        """Say hello, then send what came after `after`, then what comes."""
        super().open(*args, **kwargs)
        self._backlog = Backlog()
        self._loop, self._who = asyncio.get_running_loop(), self.principal
        self.door.sockets[self._who.user] += 1
        self._catalog = await self.hop(lambda catalog: catalog)
        self._end = await self.hop(lambda catalog: catalog.feed.listen(self._heard))
        head = await self.hop(lambda catalog: catalog.feed.head())
        self._sender = asyncio.ensure_future(self._send_on(head))

    async def _require_kept(self, after: int | None) -> None:
        """Raise 410 where the log no longer holds what was asked for, before the connection is taken."""
        if after is None:
            return
        try:
            await self.hop(lambda catalog: catalog.feed.require_kept(after))
        except (LogCompacted, StorageError) as error:
            raise HTTPError(row_of(error).status, error.detail) from error

    def on_message(self, message: str | bytes) -> None:
        """Nothing is expected from the other side."""

    def on_close(self) -> None:
        """Stop listening."""
        if hasattr(self, "_who"):
            self.door.sockets[self._who.user] -= 1
        if hasattr(self, "_end"):
            self._end()
        if hasattr(self, "_sender"):
            self._sender.cancel()

    def _heard(self, changes: Sequence[Change]) -> None:
        """On the feed's thread: hand what is meant for this subscriber to the event loop."""
        wanted = self._catalog.feed.visible(changes, self._where, self._who)
        if wanted:
            self._loop.call_soon_threadsafe(self._enqueue, _told(wanted))

    def _enqueue(self, changes: Sequence[Told]) -> None:
        if not self._backlog.add(changes):
            self._end()
            self.close(_TRY_AGAIN_LATER, "too far behind: read on with after")

    async def _send_on(self, head: int) -> None:
        try:
            await self._send(json.dumps({"kind": "hello", "head": head}))
            sent = head if self._after is None else await self._catch_up(self._after, head)
            while True:
                fresh = [change for change in await self._backlog.take() if change.seq > sent]
                if fresh:
                    sent = fresh[-1].seq
                    await self._send_changes(fresh)
        except WebSocketClosedError:
            pass
        except LogCompacted:
            self.close(_TRY_AGAIN_LATER, "these changes are no longer kept: list again")
        except StorageError:
            self.close(_TRY_AGAIN_LATER, "the catalog cannot be read: read on with after")

    async def _catch_up(self, after: int, head: int) -> int:
        while after < head:
            start = after
            found = await self.hop(lambda catalog, at=start: catalog.feed.changes(at, _SLICE, self._where, self._who))  # type: ignore[misc]
            if not found:
                return head
            after = found[-1].seq
            await self._send_changes(_told(found))
        return after

    async def _send_changes(self, changes: Sequence[Told]) -> None:
        told = ",".join(change.text for change in changes)
        await self._send(f'{{"kind":"changes","cursor":{changes[-1].seq},"changes":[{told}]}}')

    async def _send(self, message: str) -> None:
        await self.write_message(message)


def _told(changes: Sequence[Change]) -> list[Told]:
    return [Told(change.seq, json.dumps(documents.change(change), ensure_ascii=False)) for change in changes]


def _place(text: str) -> int | None:
    """The number in `after`; None where nothing is asked for."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX):
        raise IllegalQuery("a number of a change", "after")
    return int(text)


def _filters(handler: Identified) -> dict[str, str]:
    return {one.name: value for one in _FILTERS if (value := handler.asked(one))}


ROUTES = [
    ("/changes", ChangesHandler),
    ("/changes/ws", ChangesSocket),
]
