"""What became of a crawl."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["new", "changed", "same", "failed", "skipped", "gone"]
STATUSES: tuple[Status, ...] = ("new", "changed", "same", "failed", "skipped", "gone")


@dataclass(slots=True)
class Line:
    """What became of one dataset. Rows and columns are None where it was not looked at."""

    name: str
    status: Status
    urn: str = ""
    rows: int | None = None
    columns: int | None = None
    bytes: int | None = None
    ms: int = 0
    reason: str = ""


@dataclass(slots=True)
class Report:
    """All of it. `status` is that of the run; `left` are datasets that it did not come to."""

    status: Literal["succeeded", "failed", "killed"] = "succeeded"
    run: str = ""
    is_dry: bool = False
    lines: list[Line] = field(default_factory=list)
    left: int = 0
    #: Why it ended before it was done.
    reason: str = ""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many datasets there are of each status."""
        found = Counter(one.status for one in self.lines)
        return {status: found[status] for status in STATUSES}

    @property
    def outcome(self) -> Literal["succeeded", "failed"]:
        """How a crawl ends that nobody stopped."""
        return "failed" if self.reason or self.counts["failed"] else "succeeded"

    @property
    def rows(self) -> int:
        """How many rows were looked at, all in all."""
        return sum(one.rows or 0 for one in self.lines)

    @property
    def sentence(self) -> str:
        """The counts in a line."""
        told = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
        told = told or ("nothing was looked at" if self.left else "nothing found")
        return f"{told}{f'; {self.left} left for the next time' if self.left else ''}"

    def document(self) -> dict[str, Any]:
        """For programs."""
        lines = [
            {name: value for name in one.__slots__ if (value := getattr(one, name)) not in (None, "")}
            for one in self.lines
        ]
        told = {"status": self.status, "run": self.run, "dry": self.is_dry, "counts": dict(self.counts)}
        return {**told, "rows": self.rows, "left": self.left, "reason": self.reason, "datasets": lines}
