"""The protocol between a server and its worker processes: frames of a header in JSON and a body of bytes."""

import json
import socket
import struct
import time
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from jupyter_colophon.core.read_budget import ANSWER_BYTES_MAX

#: The lengths of header and body.
_LENGTHS: Final = struct.Struct("!II")
_HEADER_BYTES_MAX: Final = 4 * 1024 * 1024
_CHUNK: Final = 1024 * 1024


class ChannelClosed(Exception):
    """The other side has ended, or sent something that is not a frame."""


class Frame(NamedTuple):
    """A message; `header["type"]` is its kind."""

    header: Mapping[str, Any]
    body: bytes = b""


def send_frame(channel: socket.socket, frame: Frame, timeout_s: float | None = None) -> None:
    """Send a frame. Raises ChannelClosed, and TimeoutError."""
    header = json.dumps(frame.header, separators=(",", ":")).encode()
    channel.settimeout(timeout_s)
    try:
        channel.sendall(_LENGTHS.pack(len(header), len(frame.body)) + header)
        if frame.body:
            channel.sendall(frame.body)
    except TimeoutError:
        raise
    except OSError as error:
        raise ChannelClosed(str(error)) from error


def receive_frame(channel: socket.socket, timeout_s: float | None = None) -> Frame:
    """Wait for a frame. Raises ChannelClosed, and TimeoutError."""
    until = None if timeout_s is None else time.monotonic() + timeout_s
    header_bytes, body_bytes = _LENGTHS.unpack(_receive_bytes(channel, _LENGTHS.size, until))
    if header_bytes > _HEADER_BYTES_MAX or body_bytes > ANSWER_BYTES_MAX:
        raise ChannelClosed("the length of a frame is not valid")
    try:
        header = json.loads(_receive_bytes(channel, header_bytes, until))
    except ValueError as error:
        raise ChannelClosed("the header of a frame is not JSON") from error
    return Frame(header, _receive_bytes(channel, body_bytes, until))


def _receive_bytes(channel: socket.socket, count: int, until: float | None) -> bytes:
    received = bytearray()
    while len(received) < count:
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            raise TimeoutError
        channel.settimeout(left)
        try:
            chunk = channel.recv(min(count - len(received), _CHUNK))
        except TimeoutError:
            raise
        except OSError as error:
            raise ChannelClosed(str(error)) from error
        if not chunk:
            raise ChannelClosed("the other side has ended")
        received += chunk
    return bytes(received)
