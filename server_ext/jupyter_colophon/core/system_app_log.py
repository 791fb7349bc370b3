"""A record in the log of a system application."""

from dataclasses import dataclass
from typing import Final

#: The levels of records, lowest first. Applications may define further ones.
LOG_LEVELS: Final = ("INFO", "WARNING", "ERROR", "CRITICAL")


@dataclass(frozen=True, slots=True)
class AppLogRecord:
    """A record: its number, 0 before it is stored; its time in ms; its level and its message."""

    seq: int
    time: int
    level: str
    message: str


@dataclass(frozen=True, slots=True)
class AppLogFilter:
    """Which records to list: those from a level on, if it is not empty, and from a time in ms on."""

    level: str = ""
    since: int | None = None

    def matches(self, record: AppLogRecord) -> bool:
        """Return whether a record is listed. A level that only the application knows counts as the highest."""
        lower = LOG_LEVELS[: LOG_LEVELS.index(self.level)] if self.level else ()
        return record.level not in lower and (self.since is None or record.time >= self.since)


ALL_RECORDS: Final = AppLogFilter()
