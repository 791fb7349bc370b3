"""Pings for all open WebSockets, with one timer where Tornado and Jupyter have two for each (spec FAULT-9)."""

import asyncio
from contextlib import suppress
from typing import Any

from tornado.iostream import StreamClosedError
from tornado.websocket import WebSocketClosedError

from jupyter_colophon.http.changes.change_hub import split_into_chunks


class PingScheduler:
    """Pings the WebSockets of one server. Used on the event loop."""

    def __init__(self) -> None:
        self._sockets: set[Any] = set()
        self._task: asyncio.Task[None] | None = None

    def add_socket(self, socket: Any) -> None:
        """Add a socket. The first one's `ws_ping_interval` (ms) counts for all; 0 means never."""
        self._sockets.add(socket)
        if self._task is None and socket.ping_interval > 0:
            self._task = asyncio.ensure_future(self._send_pings(socket.ping_interval / 1000))

    def remove_socket(self, socket: Any) -> None:
        """Remove a socket."""
        self._sockets.discard(socket)
        if not self._sockets and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _send_pings(self, interval_s: float) -> None:
        while True:
            await asyncio.sleep(interval_s)
            for chunk in split_into_chunks(list(self._sockets)):
                for socket in chunk:
                    if socket in self._sockets:
                        # Jupyter's method also closes sockets that have not answered for too long.
                        with suppress(StreamClosedError, WebSocketClosedError):
                            socket.send_ping()
                await asyncio.sleep(0)
