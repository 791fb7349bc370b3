"""The change log: slices, long poll, a stream of events, and a WebSocket."""

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from jupyter_server.auth.decorator import authorized, ws_authenticated
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError, authenticated

from jupyter_colophon.core.errors import InvalidQuery, LogCompacted, MetadataError, StorageError, TooManyConnections
from jupyter_colophon.http.base import Identified
from jupyter_colophon.http.changes import change_page, change_sse
from jupyter_colophon.http.changes.change_hub import Wish
from jupyter_colophon.http.changes.send_queue import Told
from jupyter_colophon.http.changes.subscription import Following, place, reserve_connection
from jupyter_colophon.http.changes.websocket import QuietSocket
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import text
from jupyter_colophon.operations.problems import row_of
from jupyter_colophon.operations.shared_parameters import NAMESPACE, TYPE

_TRY_AGAIN_LATER, _POLICY_VIOLATION = 1013, 1008
_URN = text("urn", "Of this entity alone.", format="colophon-urn")
_FILTERS = (NAMESPACE, _URN, TYPE)
#: The form of what is told here; CDAP's are told by `/v3`.
_FORM: Final = "change"


class ChangesHandler(change_page.SliceHandler):
    """`GET /changes`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "readChanges",
        takes=[change_page.AFTER, change_page.LIMIT, change_page.WAIT, *_FILTERS],
        answers="changes",
        refuses=[LogCompacted, TooManyConnections],
    )
    async def get(self) -> None:
        """Changes after a number; with `wait`, as soon as there are any; `limit=0` gives the present number."""
        await self.answer_slice(_filters(self), _FORM, self.asked(change_page.LIMIT))


class ChangesStream(change_sse.StreamHandler):
    """`GET /changes/stream`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "streamChanges",
        takes=[change_sse.AFTER, change_sse.RESUMED, *_FILTERS],
        answers={200: change_sse.EVENTS},
        refuses=[LogCompacted, TooManyConnections],
        kind=change_sse.KIND,
    )
    async def get(self) -> None:
        """Changes as they happen, as server-sent events."""
        await self.stream(_filters(self), _FORM)


class ChangesSocket(QuietSocket):
    """`/changes/ws?after=&namespace=&urn=&type=`: first `hello` with the log's head, then changes."""

    _release: Callable[[], None] = staticmethod(lambda: None)

    @ws_authenticated
    @operation("followChanges", takes=[change_sse.AFTER, *_FILTERS], answers={101: "message"})
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Take the connection. A WebSocket asks the authorizer for `execute`, as Jupyter's own do."""
        allowed = self.authorizer.is_authorized(self, self.current_user, "execute", "colophon")
        if not (await allowed if asyncio.iscoroutine(allowed) else allowed):
            raise HTTPError(403)
        try:
            self._after = after = place(self.asked(change_sse.AFTER), "after")
            self._wish = Wish(self.principal, tuple(_filters(self).items()), _FORM)
            self._release = reserve_connection(self)
            if after is not None:
                await self.hop(lambda catalog: catalog.feed.require_kept(after))
        except (InvalidQuery, TooManyConnections, LogCompacted, StorageError) as error:
            self._release()
            raise HTTPError(row_of(type(error)).status, error.detail) from error
        try:
            await super().get(*args, **kwargs)
        finally:
            if not hasattr(self, "_following"):
                # The handshake failed: nobody will close what was not opened.
                self._release()

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Say hello, then send what came after `after`, then what comes."""
        super().open(*args, **kwargs)
        self._following = Following(self, self._wish, self._cut_off, self._send_on, self._revoke)
        #: Whether something is on its way: what comes meanwhile waits for that.
        self._busy = True
        self._beginning: asyncio.Task[None] | None = asyncio.ensure_future(self._begin())

    def on_close(self) -> None:
        """Stop listening."""
        super().on_close()
        if hasattr(self, "_following"):
            self._release()
            self._following.end()

    def _cut_off(self) -> None:
        self._following.end()
        self.close(_TRY_AGAIN_LATER, "too far behind: read on with after")

    def _revoke(self) -> None:
        self.close(_POLICY_VIOLATION, "the kernel's token has ended")

    async def _begin(self) -> None:
        try:
            head = await self._following.begin()
            await self.send(json.dumps({"kind": "hello", "head": head}).encode())
            async for told in self._following.earlier(head if self._after is None else self._after, head):
                await self.send(_message(told))
        except StreamClosedError:
            pass
        except LogCompacted:
            self.close(_TRY_AGAIN_LATER, "these changes are no longer kept: list again")
        except MetadataError:
            self.close(_TRY_AGAIN_LATER, "the catalog cannot be read: read on with after")
        else:
            self._beginning = None
            self._busy = False
            self._send_on()

    def _send_on(self) -> None:
        """Send what waits, until what was sent does not leave at once: then go on when it has left."""
        while not self._busy and (told := self._following.ready()):
            try:
                sent = self.send(_message(told))
            except StreamClosedError:
                # It is being closed, which ends the following.
                return
            if not sent.done():
                self._busy = True
                sent.add_done_callback(self._left)

    def _left(self, sent: "asyncio.Future[None]") -> None:
        if not sent.cancelled() and sent.exception() is None:
            self._busy = False
            self._send_on()


def _message(told: Sequence[Told]) -> bytes:
    return b'{"kind":"changes","cursor":%d,"changes":[%b]}' % (told[-1].seq, b",".join(one.text for one in told))


def _filters(handler: Identified) -> dict[str, str]:
    return {one.name: value for one in _FILTERS if (value := handler.asked(one))}


ROUTES = [
    ("/changes", ChangesHandler),
    ("/changes/stream", ChangesStream),
    ("/changes/ws", ChangesSocket),
]
