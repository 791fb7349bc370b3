"""A reader of server-sent events, as a browser reads them."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode


class Event(NamedTuple):
    id: str
    kind: str
    data: Any


@dataclass
class EventStream:
    """A connection whose headers were read."""

    status: int
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    _left: bytes = b""

    async def read_next(self) -> Event | None:
        """Return the next event, None when the server has closed the connection; heartbeats are skipped."""
        while True:
            block, separator, rest = self._left.partition(b"\n\n")
            if not separator:
                if not await self._read_chunk():
                    return None
                continue
            self._left = rest
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if not line.startswith(":"))
            if "data" in fields:
                return Event(fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"]))

    async def read_until(self, fits: Callable[[Any], bool]) -> list[Any]:
        """Return the data of changes up to the first that matches."""
        received: list[Any] = []
        while not received or not fits(received[-1]):
            event = await asyncio.wait_for(self.read_next(), 120)
            assert event is not None, "the server closed the connection"
            assert event.kind == "change"
            assert event.id == str(event.data.get("seq", event.id))
            received.append(event.data)
        return received

    async def read_body(self) -> Any:
        """Return the document of an error response."""
        return json.loads(await self.reader.readexactly(int(self.headers["Content-Length"])))

    async def _read_chunk(self) -> bool:
        """Read one more chunk; return False at the end."""
        try:
            size = int((await self.reader.readline()).strip() or b"0", 16)
            self._left += (await self.reader.readexactly(size + 2))[:-2]
        except (asyncio.IncompleteReadError, ConnectionError):
            return False
        return size > 0

    def close(self) -> None:
        self.writer.close()


Stream = Callable[..., Awaitable[EventStream]]


async def open_event_stream(port: int, path: str, headers: dict[str, str], **params: Any) -> EventStream:
    """Open a connection and read its headers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**18)
    target = f"{path}?{urlencode(params)}" if params else path
    head = "".join(f"{name}: {value}\r\n" for name, value in ({"Host": f"127.0.0.1:{port}"} | headers).items())
    writer.write(f"GET {target} HTTP/1.1\r\n{head}\r\n".encode())
    status = int((await reader.readline()).split()[1])
    answered: dict[str, str] = {}
    while line := (await reader.readline()).decode().strip():
        name, _, value = line.partition(": ")
        answered[name] = value
    return EventStream(status, answered, reader, writer)
