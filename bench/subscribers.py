"""Measure ten thousand WebSockets on one server: how fast a change reaches all, and how it affects other requests.

`python bench/subscribers.py [--sockets 10000] [--writes 10]`. Server and sockets are two processes; requests continue
in the meantime.
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

from jupyter_colophon.core.identity.names import make_home_dataset_urn
from serving import TOKEN, Client, Server, start_server

#: Number of concurrent connection attempts, and the seconds in which all sockets must receive a change.
AT_ONCE, PATIENCE_S = 100, 60
#: Seconds between two requests of another user.
PAUSE_S = 0.02
PATH = f"/colophon/api/entities/{quote(str(make_home_dataset_urn('sales', 'orders')), safe='')}"
#: A ping without payload, and its answer, masked with zeros: a server closes connections that do not answer.
PING, PONG = b"\x89\x00", b"\x8a\x80\x00\x00\x00\x00"
CURSOR = re.compile(rb'"cursor":(\d+)')


@dataclass
class ReceiptTimes:
    """When each socket received the awaited change."""

    awaited: int = 0
    times: list[float] = field(default_factory=list)
    faults: int = 0


class SubscriberSocket(asyncio.Protocol):
    """A socket: checks that sequence numbers only grow by the writes, and records when the awaited one arrives."""

    def __init__(self, tally: ReceiptTimes, hello: "asyncio.Future[None]") -> None:
        self.tally, self.hello, self.last = tally, hello, 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Request the upgrade."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /colophon/api/changes/ws HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nAuthorization: token {TOKEN}\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        """Record the frames, which are small and arrive in one piece."""
        if not self.hello.done():
            if b'"hello"' in data:
                self.hello.set_result(None)
            return
        if PING in data:
            self.transport.write(PONG)
        for result in CURSOR.findall(data):
            seq = int(result)
            self.tally.faults += seq <= self.last
            self.last = seq
            if seq == self.tally.awaited:
                self.tally.times.append(time.perf_counter())

    def connection_lost(self, error: Exception | None) -> None:
        """Fail: no connection should be closed."""
        self.tally.faults += 1


class EntityReader(threading.Thread):
    """A user who reads an entity repeatedly."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self.server, self.times, self.ended = server, [], threading.Event()  # type: ignore[var-annotated]

    def run(self) -> None:
        """Read until stopped."""
        with self.server.open_client() as client:
            while not self.ended.wait(PAUSE_S):
                begun = time.perf_counter()
                client.request("GET", PATH)
                self.times.append(time.perf_counter() - begun)


async def connect_subscribers(port: int, count: int, tally: ReceiptTimes) -> list[SubscriberSocket]:
    """Connect a number of sockets and wait for the hello of each."""
    loop, created = asyncio.get_running_loop(), []
    barrier = asyncio.Semaphore(AT_ONCE)

    async def connect_one() -> None:
        async with barrier:
            hello: asyncio.Future[None] = loop.create_future()
            _, subscriber = await loop.create_connection(lambda: SubscriberSocket(tally, hello), "127.0.0.1", port)
            await asyncio.wait_for(hello, PATIENCE_S)
            created.append(subscriber)

    await asyncio.gather(*(connect_one() for _ in range(count)))
    return created


def write_and_get_sequence(client: Client, number: int) -> int:
    """Change the entity, and return the sequence number of the change."""
    value = {"properties": {"number": str(number)}, "tags": []}
    return int(client.request("PUT", f"{PATH}/aspects/businessMetadata", value)["seq"])


async def measure_delays(server: Server, tally: ReceiptTimes, count: int, writes: int) -> list[list[float]]:
    """Return the delay of each socket after each write."""
    loop, result = asyncio.get_running_loop(), []
    with server.open_client() as client:
        # The sequence number of the first write is only known afterwards; later ones follow it.
        tally.awaited = await loop.run_in_executor(None, write_and_get_sequence, client, 0) + 1
        for number in range(1, writes + 1):
            await asyncio.sleep(1)
            tally.times = []
            begun = time.perf_counter()
            seq = await loop.run_in_executor(None, write_and_get_sequence, client, number)
            assert seq == tally.awaited
            while len(tally.times) < count and time.perf_counter() < begun + PATIENCE_S:
                await asyncio.sleep(0.01)
            result.append([moment - begun for moment in tally.times])
            tally.awaited += 1
    return result


def get_quantile(share: float, values: list[float]) -> float:
    """Return the quantile of the values."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def print_rows(server: Server, count: int, writes: int) -> None:
    """Measure, and print the rows."""
    with server.open_client() as client:
        client.request("PUT", f"{PATH}/aspects/technicalMetadata", {"properties": {}, "tags": []})
        alone = server.read_memory_mb()
    tally = ReceiptTimes()
    begun = time.perf_counter()
    await connect_subscribers(server.port, count, tally)
    print(f"| connected | {count} in {time.perf_counter() - begun:.1f} s | |")
    print(f"| memory | {server.read_memory_mb():.0f} MB, of which {alone:.0f} MB without sockets | 250 MB |")
    worker = EntityReader(server)
    worker.start()
    result = await measure_delays(server, tally, count, writes)
    worker.ended.set()
    worker.join()
    whole = [item for times in result for item in times]
    print(
        f"| received of {writes} changes | {len(whole)} of {count * writes}, {tally.faults} out of order or cut off | all, 0 |"
    )
    print(f"| a change to all, p50 | {get_quantile(0.5, whole):.2f} s | |")
    print(f"| a change to all, p99 | {get_quantile(0.99, whole):.2f} s | 2.5 s |")
    print(f"| requests meanwhile, p50 | {1000 * get_quantile(0.5, worker.times):.0f} ms of {len(worker.times)} | |")
    print(f"| requests meanwhile, p99 | {1000 * get_quantile(0.99, worker.times):.0f} ms | 500 ms |")
    print(f"| memory afterwards | {server.read_memory_mb():.0f} MB | 250 MB |")


def main() -> None:
    """Start a server, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sockets", type=int, default=10_000)
    parser.add_argument("--writes", type=int, default=10)
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    options = (f"--Colophon.max_connections_per_user={2 * arguments.sockets}",)
    with start_server("jupyter_colophon", options=options) as server:
        print("| what | measured | goal |\n|---|---|---|")
        asyncio.run(print_rows(server, arguments.sockets, arguments.writes))


if __name__ == "__main__":
    main()
