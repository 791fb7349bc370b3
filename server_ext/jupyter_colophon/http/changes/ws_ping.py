"""Pings for every open WebSocket: one clock for all, where Tornado and Jupyter have two for each (spec FAULT-9)."""

import asyncio
from contextlib import suppress
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

from jupyter_colophon.http.changes.change_hub import few


class Pulse:
    """The sockets of one server that are pinged. Used on the event loop."""

    def __init__(self) -> None:
        self._sockets: set[Any] = set()
        self._task: asyncio.Task[None] | None = None

    def join(self, socket: Any) -> None:
        """Ping a socket as often as its first one asks for (`ws_ping_interval`, in ms); 0 is never."""
        self._sockets.add(socket)
        if self._task is None and socket.ping_interval > 0:
            self._task = asyncio.ensure_future(self._beat(socket.ping_interval / 1000))

    def leave(self, socket: Any) -> None:
        """Ping it no more."""
        self._sockets.discard(socket)
        if not self._sockets and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _beat(self, interval_s: float) -> None:
        while True:
            await asyncio.sleep(interval_s)
            for some in few(list(self._sockets)):
                for one in some:
                    if one in self._sockets:
                        # Jupyter's own: who has not answered for too long is closed.
                        with suppress(StreamClosedError, WebSocketClosedError):
                            one.send_ping()
                await asyncio.sleep(0)
