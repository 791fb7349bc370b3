"""The change log as server-sent events; browsers resume by `Last-Event-ID` automatically."""

import json
from typing import Final

from tornado.iostream import StreamClosedError

from jupyter_colophon.core.changes.written_change import WrittenChange
from jupyter_colophon.core.errors import LogCompacted, StorageError
from jupyter_colophon.http.changes.change_hub import SubscriptionSpec
from jupyter_colophon.http.changes.subscription import Subscription, register_connection_of_user
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.operations.change_log import EVENT_STREAM
from jupyter_colophon.operations.request import ChangesAnswer

#: The longest time without output, in seconds: proxies close idle connections.
_MAX_IDLE_S: Final = 15.0


class ChangeStreamHandler(OperationHandler):
    """Sends changes as events until the client disconnects."""

    _subscription: Subscription | None = None

    async def send_changes(self, changes: ChangesAnswer) -> None:
        """Send events. Raises LogCompacted, StorageError, TooManyConnections before the first."""
        release = register_connection_of_user(self)
        try:
            await self._send_until_disconnected(changes)
        finally:
            release()

    async def _send_until_disconnected(self, changes: ChangesAnswer) -> None:
        after = changes.after
        if after is not None:
            await self.run_query_on_thread(lambda catalog: catalog.feed.require_changes_kept_after(after))
        spec = SubscriptionSpec.from_answer(self.principal, changes)
        # Where the access ends, so does the response: proxies do not pass the end of a connection on.
        self._subscription = Subscription(self, spec, self._disconnect)
        try:
            await self._send_change_events(self._subscription, after)
        except StreamClosedError:
            pass
        except (LogCompacted, StorageError):
            # The headers are sent: a client that reconnects gets the error.
            if not self._headers_written:
                raise
            self._disconnect()
        finally:
            self._subscription.end_subscription()

    def on_connection_close(self) -> None:
        """End the subscription: the client has disconnected."""
        super().on_connection_close()
        if self._subscription is not None:
            self._subscription.end_subscription()

    async def _send_change_events(self, subscription: Subscription, after: int | None) -> None:
        head = await subscription.start_and_get_head()
        start = head if after is None else after
        self.set_header("Content-Type", EVENT_STREAM)
        self.set_header("Cache-Control", "no-store")
        self.set_header("X-Accel-Buffering", "no")
        await self._send_event_text(b'id: %d\nevent: hello\ndata: {"head": %d}\n\n' % (start, head))
        async for changes in subscription.read_batches(start, head, _MAX_IDLE_S):
            await self._send_event_text(b"".join(map(_encode_event, changes)) or b": nothing new\n\n")
        if subscription.is_revoked:
            # A client that connects again gets the status.
            reason = json.dumps({"reason": subscription.reason_of_end})
            await self._send_event_text(f"event: end\ndata: {reason}\n\n".encode())

    async def _send_event_text(self, text: bytes) -> None:
        self.write(text)
        await self.flush()

    def _disconnect(self) -> None:
        """Close the connection; a client that reconnects continues after the last id."""
        connection = self.request.connection
        if connection is not None:
            connection.stream.close()  # type: ignore[attr-defined]  # of an HTTP1Connection


def _encode_event(change: WrittenChange) -> bytes:
    return b"id: %d\nevent: change\ndata: %b\n\n" % change
