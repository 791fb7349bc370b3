"""Events that a stream took."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Binary:
    """The body of an event that is neither JSON nor text."""

    content: bytes


@dataclass(frozen=True, slots=True)
class Taken:
    """How many events were taken, and whether they are stored."""

    events: int
    stored: bool
