"""Somebody who reads server-sent events as a browser does."""

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
class Events:
    """One connection, its head read."""

    status: int
    headers: dict[str, str]
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    _left: bytes = b""

    async def next(self) -> Event | None:
        """The next event; None when the server has closed. What is only there to be heard is passed over."""
        while True:
            block, found, rest = self._left.partition(b"\n\n")
            if not found:
                if not await self._more():
                    return None
                continue
            self._left = rest
            fields = dict(line.split(": ", 1) for line in block.decode().split("\n") if not line.startswith(":"))
            if "data" in fields:
                return Event(fields.get("id", ""), fields.get("event", ""), json.loads(fields["data"]))

    async def until(self, fits: Callable[[Any], bool]) -> list[Any]:
        """The data of changes up to the first that fits."""
        heard: list[Any] = []
        while not heard or not fits(heard[-1]):
            event = await asyncio.wait_for(self.next(), 120)
            assert event is not None, "the server closed the connection"
            assert event.kind == "change"
            assert event.id == str(event.data.get("seq", event.id))
            heard.append(event.data)
        return heard

    async def body(self) -> Any:
        """The document of a refusal."""
        return json.loads(await self.reader.readexactly(int(self.headers["Content-Length"])))

    async def _more(self) -> bool:
        """Read one more chunk; False at the end."""
        try:
            size = int((await self.reader.readline()).strip() or b"0", 16)
            self._left += (await self.reader.readexactly(size + 2))[:-2]
        except (asyncio.IncompleteReadError, ConnectionError):
            return False
        return size > 0

    def close(self) -> None:
        self.writer.close()


Stream = Callable[..., Awaitable[Events]]


async def streaming(port: int, path: str, headers: dict[str, str], **params: Any) -> Events:
    """A connection whose answer has begun."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**18)
    asked = f"{path}?{urlencode(params)}" if params else path
    told = "".join(f"{name}: {value}\r\n" for name, value in ({"Host": f"127.0.0.1:{port}"} | headers).items())
    writer.write(f"GET {asked} HTTP/1.1\r\n{told}\r\n".encode())
    status = int((await reader.readline()).split()[1])
    answered: dict[str, str] = {}
    while line := (await reader.readline()).decode().strip():
        name, _, value = line.partition(": ")
        answered[name] = value
    return Events(status, answered, reader, writer)
