"""The change log over a WebSocket."""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jupyter_server.auth.decorator import ws_authenticated
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError

from jupyter_colophon.core.changes.written_change import WrittenChange
from jupyter_colophon.core.errors import LogCompacted, MetadataError
from jupyter_colophon.http.changes.change_hub import SubscriptionSpec
from jupyter_colophon.http.changes.close_codes import SERVICE_RESTART, TRY_AGAIN_LATER
from jupyter_colophon.http.changes.subscription import Subscription, register_connection_of_user
from jupyter_colophon.http.changes.websocket import SendOnlyWebSocket
from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.call import check_and_run_operation
from jupyter_colophon.operations.operation import Operation
from jupyter_colophon.operations.request import ChangesAnswer


class ChangeSocketHandler(SendOnlyWebSocket):
    """Sends `hello` with the log's head, then changes."""

    _release: Callable[[], None] = staticmethod(lambda: None)

    def initialize(self, api: ApiDefinition, operations: Mapping[str, Operation]) -> None:  # type: ignore[override]  # by the route
        """Set the operation of the route."""
        self._api, self._operation = api, operations["GET"]

    async def prepare(self) -> None:  # type: ignore[override]  # as Jupyter's own handlers
        """Authenticate the request, and count it. Raises HTTPError."""
        try:
            await super().prepare()  # type: ignore[misc]  # Jupyter's own is asynchronous
            self.count_request()
        except MetadataError as error:
            raise self._convert_error(error) from error

    @ws_authenticated
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Accept the connection. A WebSocket requires the permission `execute`, as Jupyter's own do."""
        await self.require_jupyter_authorization(self._operation.permission)
        try:
            await self._create_subscription()
        except MetadataError as error:
            self._release()
            raise self._convert_error(error) from error
        try:
            await super().get(*args, **kwargs)
        finally:
            if not hasattr(self, "_subscription"):
                # The handshake failed, so `on_close` will not be called.
                self._release()

    def _convert_error(self, error: MetadataError) -> HTTPError:
        return HTTPError(self._api.find_status_of_error(self._operation, type(error)), error.detail)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Refuse the handshake."""
        failure = kwargs.get("exc_info", (None, None, None))[1]
        self.set_headers_of_failure(status_code, getattr(failure, "__cause__", None))
        super().write_error(status_code, **kwargs)

    async def _create_subscription(self) -> None:
        call = self.build_received_call({})
        changes = await self.run_query_on_thread(
            lambda _: check_and_run_operation(self._api, self._operation, self.state, call)
        )
        if not isinstance(changes, ChangesAnswer):
            raise TypeError(f"{self._operation.id} does not return changes")
        self._after = after = changes.after
        self._spec = SubscriptionSpec.from_answer(self.principal, changes)
        self._release = register_connection_of_user(self)
        if after is not None:
            await self.run_query_on_thread(lambda catalog: catalog.feed.require_changes_kept_after(after))

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Send `hello`, then earlier changes after `after`, then new ones."""
        super().open(*args, **kwargs)
        self._subscription = Subscription(
            self,
            self._spec,
            self._close_slow_connection,
            self._send_queued_changes,
            self._close_revoked_connection,
            self._close_for_restart,
        )
        #: Whether a message is being sent; later ones wait for it.
        self._busy = True
        self._begin_task: asyncio.Task[None] | None = asyncio.ensure_future(self._send_hello_and_earlier_changes())

    def on_close(self) -> None:
        """End the subscription."""
        super().on_close()
        if hasattr(self, "_subscription"):
            self._release()
            self._subscription.end_subscription()

    def _close_slow_connection(self) -> None:
        self._subscription.end_subscription()
        self.close(TRY_AGAIN_LATER, "this client reads changes too slowly: reconnect with the parameter after")

    def _close_revoked_connection(self) -> None:
        self.close(self.close_code_of_end, self._subscription.reason_of_end)

    def _close_for_restart(self) -> None:
        self.close(SERVICE_RESTART, "the server is stopping: reconnect with the parameter after")

    async def _send_hello_and_earlier_changes(self) -> None:
        try:
            head = await self._subscription.start_and_get_head()
            await self.send_text(json.dumps({"kind": "hello", "head": head}).encode())
            async for changes in self._subscription.read_changes_up_to_head(
                head if self._after is None else self._after, head
            ):
                await self.send_text(_encode_message(changes))
        except StreamClosedError:
            pass
        except LogCompacted:
            self.close(TRY_AGAIN_LATER, "the requested changes are no longer kept: read all entities again")
        except MetadataError:
            self.close(TRY_AGAIN_LATER, "the catalog cannot be read now: reconnect with the parameter after")
        else:
            self._begin_task = None
            self._busy = False
            self._send_queued_changes()

    def _send_queued_changes(self) -> None:
        """Send waiting changes until a message is not sent at once; continue when it is."""
        while not self._busy and (changes := self._subscription.take_ready_new_changes()):
            try:
                sent = self.send_text(_encode_message(changes))
            except StreamClosedError:
                # The connection is closing, which ends the subscription.
                return
            if not sent.done():
                self._busy = True
                sent.add_done_callback(self._on_message_sent)

    def _on_message_sent(self, sent: "asyncio.Future[None]") -> None:
        if not sent.cancelled() and sent.exception() is None:
            self._busy = False
            self._send_queued_changes()


def _encode_message(changes: Sequence[WrittenChange]) -> bytes:
    return b'{"kind":"changes","cursor":%d,"changes":[%b]}' % (
        changes[-1].seq,
        b",".join(change.text for change in changes),
    )
