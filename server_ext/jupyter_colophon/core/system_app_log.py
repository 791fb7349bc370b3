"""A record in the log of a system application."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AppLogRecord:
    """A record: its number, 0 before it is stored; its time in ms; its level and its message."""

    seq: int
    time: int
    level: str
    message: str
