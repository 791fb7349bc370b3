"""Ten thousand WebSockets on one server: how fast a change reaches all, and what that costs others.

`python bench/subscribers.py [--sockets 10000] [--writes 10]`. Server and sockets are two processes; requests go on meanwhile.
"""

import argparse
import asyncio
import base64
import os
import re
import resource
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import quote

from jupyter_colophon.core.identity.names import home_dataset
from serving import TOKEN, Client, Server, serving

#: How many connect at once, and how long all of them may take to be told of one change, in seconds.
AT_ONCE, PATIENCE_S = 100, 60
#: Between two requests of somebody who works meanwhile, in seconds.
PAUSE_S = 0.02
PATH = f"/colophon/api/entities/{quote(str(home_dataset('sales', 'orders')), safe='')}"
#: A ping without a payload, and the answer to it, masked with nothing: a server gives up on who does not answer.
PING, PONG = b"\x89\x00", b"\x8a\x80\x00\x00\x00\x00"
CURSOR = re.compile(rb'"cursor":(\d+)')


@dataclass
class Tally:
    """When each socket was told of the change that is awaited."""

    awaited: int = 0
    times: list[float] = field(default_factory=list)
    faults: int = 0


class Subscriber(asyncio.Protocol):
    """One socket: checks that numbers only grow by what was written, and notes when the awaited one comes."""

    def __init__(self, tally: Tally, hello: "asyncio.Future[None]") -> None:
        self.tally, self.hello, self.last = tally, hello, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the upgrade."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /colophon/api/changes/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nAuthorization: token {TOKEN}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Note what the frames tell; they are small, and come whole."""
        if not self.hello.done():
            if b'"hello"' in data:
                self.hello.set_result(None)
            return
        if PING in data:
            self.transport.write(PONG)
        for found in CURSOR.findall(data):
            seq = int(found)
            self.tally.faults += seq <= self.last
            self.last = seq
            if seq == self.tally.awaited:
                self.tally.times.append(time.perf_counter())

    def connection_lost(self, error: Exception | None) -> None:
        """Nobody was to be cut off."""
        self.tally.faults += 1


class Worker(threading.Thread):
    """Somebody who reads an entity again and again."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self.server, self.times, self.ended = server, [], threading.Event()  # type: ignore[var-annotated]

    def run(self) -> None:
        """Read, until ended."""
        with self.server.client() as client:
            while not self.ended.wait(PAUSE_S):
                begun = time.perf_counter()
                client.ask("GET", PATH)
                self.times.append(time.perf_counter() - begun)


async def connected(port: int, count: int, tally: Tally) -> list[Subscriber]:
    """So many sockets that have said hello."""
    loop, made = asyncio.get_running_loop(), []
    gate = asyncio.Semaphore(AT_ONCE)

    async def one() -> None:
        async with gate:
            hello: asyncio.Future[None] = loop.create_future()
            _, subscriber = await loop.create_connection(lambda: Subscriber(tally, hello), "127.0.0.1", port)
            await asyncio.wait_for(hello, PATIENCE_S)
            made.append(subscriber)

    await asyncio.gather(*(one() for _ in range(count)))
    return made


def write(client: Client, number: int) -> int:
    """Change the entity; returns the change's number."""
    value = {"properties": {"number": str(number)}, "tags": []}
    return int(client.ask("PUT", f"{PATH}/aspects/businessMetadata", value)["seq"])


async def told(server: Server, tally: Tally, count: int, writes: int) -> list[list[float]]:
    """How long after each write each socket was told of it."""
    loop, found = asyncio.get_running_loop(), []
    with server.client() as client:
        # The number of the first write is only known after it; those that follow count on from it.
        tally.awaited = await loop.run_in_executor(None, write, client, 0) + 1
        for number in range(1, writes + 1):
            await asyncio.sleep(1)
            tally.times = []
            begun = time.perf_counter()
            seq = await loop.run_in_executor(None, write, client, number)
            assert seq == tally.awaited
            while len(tally.times) < count and time.perf_counter() < begun + PATIENCE_S:
                await asyncio.sleep(0.01)
            found.append([moment - begun for moment in tally.times])
            tally.awaited += 1
    return found


def at(share: float, values: list[float]) -> float:
    """The value below which this share of them is."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def measured(server: Server, count: int, writes: int) -> None:
    """Print the rows."""
    with server.client() as client:
        client.ask("PUT", f"{PATH}/aspects/technicalMetadata", {"properties": {}, "tags": []})
        alone = server.memory_mb()
    tally = Tally()
    begun = time.perf_counter()
    await connected(server.port, count, tally)
    print(f"| connected | {count} in {time.perf_counter() - begun:.1f} s | |")
    print(f"| memory | {server.memory_mb():.0f} MB, of which {alone:.0f} MB without sockets | 250 MB |")
    worker = Worker(server)
    worker.start()
    found = await told(server, tally, count, writes)
    worker.ended.set()
    worker.join()
    whole = [one for times in found for one in times]
    print(
        f"| told of {writes} changes | {len(whole)} of {count * writes}, {tally.faults} out of order or cut off | all, 0 |"
    )
    print(f"| a change to all, p50 | {at(0.5, whole):.2f} s | |")
    print(f"| a change to all, p99 | {at(0.99, whole):.2f} s | 2.5 s |")
    print(f"| requests meanwhile, p50 | {1000 * at(0.5, worker.times):.0f} ms of {len(worker.times)} | |")
    print(f"| requests meanwhile, p99 | {1000 * at(0.99, worker.times):.0f} ms | 500 ms |")
    print(f"| memory afterwards | {server.memory_mb():.0f} MB | 250 MB |")


def main() -> None:
    """Start a server, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=10_000)
    parser.add_argument("--writes", type=int, default=10)
    asked = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    options = (f"--Colophon.max_connections_per_user={2 * asked.sockets}",)
    with serving("jupyter_colophon", options=options) as server:
        print("| what | measured | goal |\n|---|---|---|")
        asyncio.run(measured(server, asked.sockets, asked.writes))


if __name__ == "__main__":
    main()
