"""The report of a crawl."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["new", "changed", "same", "failed", "skipped", "gone"]
STATUSES: tuple[Status, ...] = ("new", "changed", "same", "failed", "skipped", "gone")


@dataclass(slots=True)
class DatasetReport:
    """The result for one dataset. Rows and columns are None if it was not read."""

    name: str
    status: Status
    urn: str = ""
    rows: int | None = None
    columns: int | None = None
    bytes: int | None = None
    ms: int = 0
    #: The result of checking its expectations.
    quality: str = ""
    reason: str = ""


@dataclass(slots=True)
class CrawlReport:
    """The result of a crawl. `status` is that of the run; `left` is the number of datasets that were not reached."""

    status: Literal["succeeded", "failed", "killed"] = "succeeded"
    run: str = ""
    is_dry: bool = False
    lines: list[DatasetReport] = field(default_factory=list)
    left: int = 0
    #: Why the crawl ended early.
    reason: str = ""

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the number of datasets by status."""
        counts = Counter(line.status for line in self.lines)
        return {status: counts[status] for status in STATUSES}

    @property
    def final_status(self) -> Literal["succeeded", "failed"]:
        """Return the final status of a crawl that was not stopped."""
        return "failed" if self.reason or self.counts["failed"] else "succeeded"

    @property
    def rows(self) -> int:
        """Return the total number of rows read."""
        return sum(line.rows or 0 for line in self.lines)

    @property
    def sentence(self) -> str:
        """Return the counts in one line."""
        counts = ", ".join(f"{count} {status}" for status, count in self.counts.items() if count)
        counts = counts or ("nothing was read" if self.left else "nothing found")
        return f"{counts}{f'; {self.left} remaining for the next crawl' if self.left else ''}"

    def to_document(self) -> dict[str, Any]:
        """Return the report as a JSON document."""
        lines = [
            {name: value for name in line.__slots__ if (value := getattr(line, name)) not in (None, "")}
            for line in self.lines
        ]
        summary = {"status": self.status, "run": self.run, "dry": self.is_dry, "counts": dict(self.counts)}
        return {**summary, "rows": self.rows, "left": self.left, "reason": self.reason, "datasets": lines}
