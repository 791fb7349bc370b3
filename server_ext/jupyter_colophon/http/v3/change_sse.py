"""The change log as server-sent events: resumed by `Last-Event-ID`, as browsers do by themselves."""

from collections.abc import Mapping
from typing import Final

from tornado.iostream import StreamClosedError

from jupyter_colophon.core.changes.written_change import WrittenChange
from jupyter_colophon.core.errors import LogCompacted, StorageError
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.changes.change_hub import Wish
from jupyter_colophon.http.changes.subscription import Following, reserve_connection
from jupyter_colophon.operations.change_log import position as place
from jupyter_colophon.operations.parameter import text

#: How long nothing is sent at most, in seconds: proxies end connections that seem dead.
_QUIET_S: Final = 15.0
KIND: Final = "text/event-stream"
AFTER: Final = text(
    "after",
    "The number of the last change known; without it, only what comes is told.",
    pattern="^[0-9]{0,18}$",
)
RESUMED: Final = text(
    "Last-Event-ID",
    "The same, as browsers send it again; it goes before `after`.",
    place="header",
    pattern="^[0-9]{0,18}$",
)
#: One event of the stream, which does not end.
EVENTS: Final = {
    "type": "object",
    "description": "One event: `hello` with the number of the newest change, then `change` for each change.",
    "properties": {
        "id": {"type": "string", "description": "The number of the change, from which a client can resume."},
        "event": {"type": "string"},
        "data": {"type": "string", "description": "A JSON document."},
    },
}


class StreamHandler(ApiHandler):
    """What the doors' streams share; each has its own method, which says who may ask what."""

    _following: Following | None = None

    async def stream(self, where: Mapping[str, str], form: str) -> None:
        """Send events until the other side goes. Raises LogCompacted, StorageError, TooManyConnections before the first."""
        asked, resumed = place(self.asked(AFTER), AFTER.name), place(self.asked(RESUMED), RESUMED.name)
        after = asked if resumed is None else resumed
        release = reserve_connection(self)
        try:
            await self._follow(where, form, after)
        finally:
            release()

    async def _follow(self, where: Mapping[str, str], form: str, after: int | None) -> None:
        if after is not None:
            await self.hop(lambda catalog: catalog.feed.require_kept(after))
        wish = Wish(self.principal, tuple(where.items()), form)
        self._following = Following(self, wish, self._hang_up, revoked=self._hang_up)
        try:
            await self._send_on(self._following, after)
        except StreamClosedError:
            pass
        except (LogCompacted, StorageError):
            # The head is sent: who comes back is told what is wrong.
            if not self._headers_written:
                raise
            self._hang_up()
        finally:
            self._following.end()

    def on_connection_close(self) -> None:
        """The other side is gone: nobody waits for a change any more."""
        super().on_connection_close()
        if self._following is not None:
            self._following.end()

    async def _send_on(self, following: Following, after: int | None) -> None:
        head = await following.begin()
        start = head if after is None else after
        self.set_header("Content-Type", KIND)
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Accel-Buffering", "no")
        await self._event(b'id: %d\nevent: hello\ndata: {"head": %d}\n\n' % (start, head))
        async for told in following.batches(start, head, _QUIET_S):
            await self._event(b"".join(map(_event, told)) or b": nothing new\n\n")

    async def _event(self, text: bytes) -> None:
        self.write(text)
        await self.flush()

    def _hang_up(self) -> None:
        """End the connection; who comes back reads on with the last id."""
        connection = self.request.connection
        if connection is not None:
            connection.stream.close()  # type: ignore[attr-defined]  # of an HTTP1Connection


def _event(told: WrittenChange) -> bytes:
    return b"id: %d\nevent: change\ndata: %b\n\n" % told
