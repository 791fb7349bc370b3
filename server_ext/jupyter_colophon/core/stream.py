"""Events that a stream took."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Taken:
    """How many events were taken, and whether they are stored."""

    events: int
    stored: bool
