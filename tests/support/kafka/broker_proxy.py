"""A proxy of a broker that can claim for a while that there are no brokers, as a broker does that has just restarted or
that its controller has not registered yet.
"""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from support.kafka.broker import Broker

_METADATA = 3
#: The offset of the brokers in a response: after its number, its tags and the throttle time.
_BROKERS = 9


@dataclass
class BrokerProxy:
    """Forward requests and responses; while it is `drawn`, responses name no broker."""

    broker: Broker
    drawn: threading.Event = field(default_factory=threading.Event)
    #: Whether a client received a response without brokers.
    reported: threading.Event = field(default_factory=threading.Event)
    _open: list[socket.socket] = field(default_factory=list)

    @property
    def servers(self) -> str:
        """The address of the proxy for clients."""
        return f"127.0.0.1:{self.broker.before}"

    def send_empty_broker_lists(self, times: int) -> None:
        """Send a client an empty list of brokers and disconnect all, this many times or until no client asks."""
        for _ in range(times):
            self.reported.clear()
            self.drawn.set()
            was_requested = self.reported.wait(5)
            self.drawn.clear()
            for connection in list(self._open):
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            if not was_requested:
                return

    def serve_clients(self, api: socket.socket) -> None:
        """Accept clients until the socket is closed."""
        with suppress(OSError):
            while True:
                client, _ = api.accept()
                broker = socket.create_connection(("127.0.0.1", self.broker.behind))
                self._open += (client, broker)
                requests: set[bytes] = set()
                for work in (
                    (self._forward_requests, client, broker, requests),
                    (self._forward_answers, broker, client, requests),
                ):
                    threading.Thread(target=work[0], args=work[1:], daemon=True).start()

    def _forward_requests(self, client: socket.socket, broker: socket.socket, requests: set[bytes]) -> None:
        with suppress(OSError):
            for frame in _read_frames(client):
                if int.from_bytes(frame[:2], "big") == _METADATA:
                    requests.add(frame[4:8])
                broker.sendall(_prefix_length(frame))
        _close_sockets(client, broker)

    def _forward_answers(self, broker: socket.socket, client: socket.socket, requests: set[bytes]) -> None:
        with suppress(OSError):
            for frame in _read_frames(broker):
                answer = frame
                if frame[:4] in requests and self.drawn.is_set():
                    answer = _without_brokers(frame)
                client.sendall(_prefix_length(answer))
                if answer is not frame:
                    self.reported.set()
        _close_sockets(client, broker)


@contextmanager
def open_proxy(broker: Broker) -> Iterator[BrokerProxy]:
    """Open a proxy of this broker."""
    veil = BrokerProxy(broker)
    with socket.create_server(("127.0.0.1", broker.before)) as api:
        threading.Thread(target=veil.serve_clients, args=(api,), daemon=True).start()
        yield veil
        with suppress(OSError):
            api.shutdown(socket.SHUT_RDWR)


def _without_brokers(frame: bytes) -> bytes:
    """Return a metadata response (of a version with tags) with an empty list of brokers."""
    count, at = _read_number(frame, _BROKERS)
    for _ in range(count - 1):
        at += 4
        length, at = _read_number(frame, at)
        at += length - 1 + 4
        # The rack, which may be null, and tags, which are empty.
        length, at = _read_number(frame, at)
        at += max(0, length - 1) + 1
    return frame[:_BROKERS] + b"\x01" + frame[at:]


def _read_number(frame: bytes, at: int) -> tuple[int, int]:
    """Read a variable-length integer (7 bits per byte); return it and the offset after it."""
    value = shift = 0
    while True:
        value |= (frame[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not frame[at - 1] & 0x80:
            return value, at


def _prefix_length(frame: bytes) -> bytes:
    return len(frame).to_bytes(4, "big") + frame


def _read_frames(sender: socket.socket) -> Iterator[bytes]:
    with suppress(OSError), sender.makefile("rb") as stream:
        while len(head := stream.read(4)) == 4:
            yield stream.read(int.from_bytes(head, "big"))


def _close_sockets(*sockets: socket.socket) -> None:
    for connection in sockets:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
