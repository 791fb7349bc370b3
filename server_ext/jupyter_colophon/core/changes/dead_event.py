"""An event that a listener of a system application has not handled."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeadEvent:
    """An event that was not handled, by the number of its change. Times are in ms; `due` is when it is retried.

    Both times are 0 for an event that waits, or is to be retried now.
    """

    app: str
    listener: str
    version: int
    urn: str
    seq: int
    attempts: int = 0
    due: int = 0
    parked: bool = False
    problem: str = ""
    failed: int = 0

    @property
    def key(self) -> tuple[str, str, int, str, int]:
        """The key of its row."""
        return self.app, self.listener, self.version, self.urn, self.seq
