"""A way to a broker that can say for a while that no broker is there: so a broker answers that has just come back, or
whose controller did not hear of it in time."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from support.kafka.broker import Broker

_METADATA = 3
#: Where the brokers begin in an answer: after its number, its tags and how long to wait.
_BROKERS = 9


@dataclass
class Veil:
    """Hands on what clients and broker say to each other; while it is `drawn`, answers name no broker."""

    broker: Broker
    drawn: threading.Event = field(default_factory=threading.Event)
    #: Whether somebody was told that no broker is there.
    told: threading.Event = field(default_factory=threading.Event)
    _open: list[socket.socket] = field(default_factory=list)

    @property
    def servers(self) -> str:
        """How clients reach the broker by it."""
        return f"127.0.0.1:{self.broker.before}"

    def shake(self, times: int) -> None:
        """So often, tell somebody that no broker is there, and hang up; no more once nobody asks."""
        for _ in range(times):
            self.told.clear()
            self.drawn.set()
            asked = self.told.wait(5)
            self.drawn.clear()
            for one in list(self._open):
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
            if not asked:
                return

    def serve(self, door: socket.socket) -> None:
        """Take clients until the door is closed."""
        with suppress(OSError):
            while True:
                client, _ = door.accept()
                broker = socket.create_connection(("127.0.0.1", self.broker.behind))
                self._open += (client, broker)
                asked: set[bytes] = set()
                for work in ((self._asks, client, broker, asked), (self._answers, broker, client, asked)):
                    threading.Thread(target=work[0], args=work[1:], daemon=True).start()

    def _asks(self, client: socket.socket, broker: socket.socket, asked: set[bytes]) -> None:
        with suppress(OSError):
            for frame in _frames(client):
                if int.from_bytes(frame[:2], "big") == _METADATA:
                    asked.add(frame[4:8])
                broker.sendall(_framed(frame))
        _close(client, broker)

    def _answers(self, broker: socket.socket, client: socket.socket, asked: set[bytes]) -> None:
        with suppress(OSError):
            for frame in _frames(broker):
                answer = frame
                if frame[:4] in asked and self.drawn.is_set():
                    answer = _without_brokers(frame)
                client.sendall(_framed(answer))
                if answer is not frame:
                    self.told.set()
        _close(client, broker)


@contextmanager
def veiled(broker: Broker) -> Iterator[Veil]:
    """A way to this broker."""
    veil = Veil(broker)
    with socket.create_server(("127.0.0.1", broker.before)) as door:
        threading.Thread(target=veil.serve, args=(door,), daemon=True).start()
        yield veil
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)


def _without_brokers(frame: bytes) -> bytes:
    """An answer about topics (of the versions with tags) with an empty list of brokers."""
    count, at = _number(frame, _BROKERS)
    for _ in range(count - 1):
        at += 4
        length, at = _number(frame, at)
        at += length - 1 + 4
        # The rack, which may be none, and tags, which are none.
        length, at = _number(frame, at)
        at += max(0, length - 1) + 1
    return frame[:_BROKERS] + b"\x01" + frame[at:]


def _number(frame: bytes, at: int) -> tuple[int, int]:
    """The number of seven bits a byte that stands here, and where what follows it begins."""
    value = shift = 0
    while True:
        value |= (frame[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not frame[at - 1] & 0x80:
            return value, at


def _framed(frame: bytes) -> bytes:
    return len(frame).to_bytes(4, "big") + frame


def _frames(sender: socket.socket) -> Iterator[bytes]:
    with suppress(OSError), sender.makefile("rb") as stream:
        while len(head := stream.read(4)) == 4:
            yield stream.read(int.from_bytes(head, "big"))


def _close(*sockets: socket.socket) -> None:
    for one in sockets:
        with suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
