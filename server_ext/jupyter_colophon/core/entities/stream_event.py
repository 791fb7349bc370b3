"""Events written to a stream."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BinaryBody:
    """The body of an event that is neither JSON nor text."""

    content: bytes


@dataclass(frozen=True, slots=True)
class StreamWriteResult:
    """The result of an append: the number of events, and whether they are stored."""

    events: int
    stored: bool
