"""The WebSocket of the change log, forwarded: messages of the service are passed on as they arrive."""

import asyncio
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Final

from jupyter_server.auth.decorator import ws_authenticated
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.iostream import StreamClosedError
from tornado.web import HTTPError
from tornado.websocket import WebSocketClientConnection, websocket_connect

from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.http.changes.close_codes import SERVICE_RESTART
from jupyter_colophon.http.changes.websocket import SendOnlyWebSocket
from jupyter_colophon.http.forwarding.caller_headers import build_caller_headers
from jupyter_colophon.http.forwarding.exchange import CONNECT_SECONDS
from jupyter_colophon.http.forwarding.rewriting import build_target, select_request_headers
from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.operation import Operation

_PING_SECONDS: Final = 30.0


class ForwardingSocketHandler(SendOnlyWebSocket):
    """Connects to the service before it accepts a connection, and ends with the other side."""

    _service: WebSocketClientConnection | None = None
    _pump: "asyncio.Task[None] | None" = None
    _cancel: Callable[[], None] = staticmethod(lambda: None)

    def initialize(self, api: ApiDefinition, operations: Mapping[str, Operation]) -> None:  # type: ignore[override]  # by the route
        """Set the operation of the route."""
        self._api, self._operation = api, operations["GET"]

    @ws_authenticated
    async def get(self, *args: Any, **kwargs: Any) -> None:
        """Connect to the service, and accept the connection. It requires the permission `execute`."""
        await self.require_jupyter_authorization(self._operation.permission)
        try:
            self._service = await self._connect_to_service()
        except MetadataError as error:
            raise HTTPError(self._api.find_status_of_error(self._operation, type(error)), error.detail) from error
        try:
            await super().get(*args, **kwargs)
        finally:
            if self._pump is None:
                # The handshake failed, so `on_close` will not be called.
                self._service.close()

    def open(self, *args: Any, **kwargs: Any) -> None:
        """Pass messages on from now on."""
        super().open(*args, **kwargs)
        self._pump = asyncio.ensure_future(self._pass_messages_on())

    def on_close(self) -> None:
        """Close the connection to the service."""
        super().on_close()
        self._cancel()
        if self._service is not None:
            self._service.close()

    async def _connect_to_service(self) -> WebSocketClientConnection:
        """Connect with the rights of the caller. Raises HTTPError, MetadataError."""
        principal, loop = self.principal, asyncio.get_running_loop()
        address = self.state.require_owner_of_shared_catalog(principal).address
        headers = select_request_headers(self.request, self._operation)
        headers.update(build_caller_headers(principal))
        headers["Authorization"] = f"token {address.token}"
        url = "ws" + address.url.removeprefix("http").rstrip("/") + build_target(self.request, self.base_url)
        request = HTTPRequest(url, headers=headers, connect_timeout=CONNECT_SECONDS, follow_redirects=False)
        try:
            service = await websocket_connect(request, ping_interval=_PING_SECONDS)
        except HTTPClientError as error:
            if error.code in (
                HTTPStatus.BAD_REQUEST,
                HTTPStatus.FORBIDDEN,
                HTTPStatus.GONE,
                HTTPStatus.TOO_MANY_REQUESTS,
            ):
                raise HTTPError(error.code, "the shared catalog refused the connection") from error
            raise _build_away_error(address.url) from error
        except (OSError, StreamClosedError) as error:
            raise _build_away_error(address.url) from error

        def end_access() -> None:
            loop.call_soon_threadsafe(self._close_after_revocation)

        self._cancel = self.call_when_access_ends(end_access)
        return service

    async def _pass_messages_on(self) -> None:
        assert self._service is not None  # noqa: S101  `get` has connected
        try:
            while (message := await self._service.read_message()) is not None:
                await self.send_text(message.encode() if isinstance(message, str) else message)
        except StreamClosedError:
            return
        code = self._service.close_code or SERVICE_RESTART
        self.close(
            code, self._service.close_reason or "the shared catalog is unavailable: reconnect with the parameter after"
        )

    def _close_after_revocation(self) -> None:
        self.close(self.close_code_of_end, self.reason_of_end)


def _build_away_error(url: str) -> HTTPError:
    return HTTPError(HTTPStatus.SERVICE_UNAVAILABLE, f"the shared catalog at {url} does not answer: try again later")
