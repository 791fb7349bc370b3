"""The change log over a WebSocket."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from jupyter_server.auth.decorator import ws_authenticated
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError

from jupyter_colophon.core.changes.written_change import WrittenChange
from jupyter_colophon.core.errors import LogCompacted, MetadataError
from jupyter_colophon.http.changes.change_hub import Wish
from jupyter_colophon.http.changes.subscription import Following, reserve_connection
from jupyter_colophon.http.changes.websocket import QuietSocket
from jupyter_colophon.operations.api import Api
from jupyter_colophon.operations.call import perform
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.request import Changes

_TRY_AGAIN_LATER: Final = 1013
_POLICY_VIOLATION: Final = 1008


class ChangeSocketHandler(QuietSocket):
    """Sends `hello` with the log's head, then changes."""

    _release: Callable[[], None] = staticmethod(lambda: None)

    def initialize(self, api: Api, operations: Mapping[str, Operation]) -> None:  # type: ignore[override]  # by the route
        """Take the operation of the route."""
        self._api, self._operation = api, operations["GET"]

    @ws_authenticated
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Accept the connection. A WebSocket asks the authorizer for `execute`, as Jupyter's own do."""
        await self.authorize(self._operation.permission)
        try:
            await self._prepare_following()
        except MetadataError as error:
            self._release()
            raise HTTPError(self._api.status_of(self._operation, type(error)), error.detail) from error
        try:
            await super().get(*args, **kwargs)
        finally:
            if not hasattr(self, "_following"):
                # The handshake failed: nobody will close what was not opened.
                self._release()

    async def _prepare_following(self) -> None:
        call = self.call({})
        changes = await self.query(lambda _: perform(self._api, self._operation, self.state, call))
        if not isinstance(changes, Changes):
            raise TypeError(f"{self._operation.id} does not answer changes")
        self._after = after = changes.after
        self._wish = Wish(self.principal, tuple(changes.filters.items()), changes.form)
        self._release = reserve_connection(self)
        if after is not None:
            await self.query(lambda catalog: catalog.feed.require_kept(after))

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


def _message(told: Sequence[WrittenChange]) -> bytes:
    return b'{"kind":"changes","cursor":%d,"changes":[%b]}' % (told[-1].seq, b",".join(one.text for one in told))
