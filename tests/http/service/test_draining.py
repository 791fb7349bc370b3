"""A server that is replaced answers the next request of each open connection, and asks the client to connect again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from jupyter_colophon.http.service.draining import DrainingServer
from tornado.testing import bind_unused_port
from tornado.web import Application, RequestHandler

REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
#: Longer than any test.
LONG_S = 600.0


@dataclass
class Server:
    """A server whose answers wait for `go_on`."""

    server: DrainingServer
    port: int
    go_on: asyncio.Event
    received: asyncio.Event

    def drain(self, idle_s: float) -> "asyncio.Task[None]":
        """Begin to end, as after the signal to stop."""
        self.server.stop()
        self.server.idle_seconds = idle_s
        return asyncio.ensure_future(self.server.answer_requests_and_close(LONG_S))


class Client:
    """One connection without retries."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, server: Server) -> "Client":
        return cls(*await asyncio.open_connection("127.0.0.1", server.port))

    def send(self) -> None:
        self._writer.write(REQUEST)

    async def receive(self) -> bool:
        """Receive an answer; return whether it ends the connection."""
        head = (await self._reader.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 200 ")
        assert await self._reader.readexactly(2) == b"ok"
        return b"connection: close" in head

    async def is_closed_by_server(self) -> bool:
        return await self._reader.read(1) == b""


@asynccontextmanager
async def run_server() -> AsyncIterator[Server]:
    go_on, received = asyncio.Event(), asyncio.Event()
    go_on.set()

    class Handler(RequestHandler):
        async def get(self) -> None:
            received.set()
            await go_on.wait()
            self.finish("ok")

    listening, port = bind_unused_port()
    draining = DrainingServer(Application([("/", Handler)]))
    draining.add_sockets([listening])
    yield Server(draining, port, go_on, received)
    draining.stop()
    await draining.close_all_connections()


async def test_the_next_request_of_an_idle_connection_is_answered_and_ends_it() -> None:
    async with run_server() as server:
        clients = [await Client.connect(server) for _ in range(3)]
        for client in clients:
            client.send()
            assert not await client.receive()
        end = server.drain(LONG_S)
        for client in clients:
            assert not end.done()
            client.send()
            assert await client.receive()
            assert await client.is_closed_by_server()
        # With its connections, the server ends.
        await end


async def test_a_request_in_progress_does_not_end_a_connection_unannounced() -> None:
    async with run_server() as server:
        server.go_on.clear()
        client = await Client.connect(server)
        client.send()
        await server.received.wait()
        end = server.drain(LONG_S)
        await asyncio.sleep(0)
        server.go_on.set()
        # Its headers were read before the server began to end.
        assert not await client.receive()
        client.send()
        assert await client.receive()
        await end


async def test_a_connection_without_requests_is_closed_after_its_time() -> None:
    async with run_server() as server:
        idle, busy = await Client.connect(server), await Client.connect(server)
        server.go_on.clear()
        busy.send()
        await server.received.wait()
        end = server.drain(0.05)
        assert await idle.is_closed_by_server()
        server.go_on.set()
        assert not await busy.receive()
        assert await busy.is_closed_by_server()
        await end


async def test_idle_connections_are_closed_at_once_if_the_server_is_to_stop() -> None:
    async with run_server() as server:
        client = await Client.connect(server)
        client.send()
        assert not await client.receive()
        end = server.drain(LONG_S)
        server.server.idle_seconds = 0.0
        assert await client.is_closed_by_server()
        await end
