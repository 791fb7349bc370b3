"""The summary of the runs of a program that start in a period: their numbers and durations by user and status."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from jupyter_colophon.apps.reports.durations import Durations
from jupyter_colophon.apps.reports.periods import PART_MS

#: The fields of a run that all runs of a summary share.
LABELS: Final = ("context", "program", "program_name", "type")
Run = Mapping[str, Any]
#: The fields of a summary that are its key.
KEY: Final = ("context", "length_ms", "start_ms", "program", "program_name")
SummaryKey = tuple[str, int, int, str, str]


@dataclass(slots=True)
class StatusSummary:
    """The runs of a user with one status: how many start in each part of the period, and the durations of those that ended."""

    parts: dict[int, int] = field(default_factory=dict)
    durations: Durations = field(default_factory=Durations)

    @classmethod
    def from_document(cls, document: Sequence[Any]) -> Self:
        """Return the summary of a JSON list."""
        part_numbers, part_counts, total, least, most, class_numbers, class_counts = document
        classes = dict(zip(class_numbers, class_counts, strict=True))
        durations = Durations(sum(class_counts), total, least, most, classes)
        return cls(dict(zip(part_numbers, part_counts, strict=True)), durations)

    def build_document(self) -> list[Any]:
        """Return the JSON list: a mapping is a list of numbers and one of the count of each."""
        durations = self.durations
        return [
            *([*self.parts], [*self.parts.values()]),
            *(durations.total, durations.least, durations.most),
            *([*durations.classes], [*durations.classes.values()]),
        ]

    def count_runs(self) -> int:
        """Return the number of the runs."""
        return sum(self.parts.values())

    def add_run(self, part: int, duration: int | None) -> None:
        """Count a run that starts in a part of the period; the duration is None unless the run has ended."""
        self._add_to_part(part, 1)
        if duration is not None:
            self.durations.add(duration)

    def remove_unended_run(self, part: int) -> None:
        """Stop counting a run that has no duration."""
        self.parts[part] -= 1
        if not self.parts[part]:
            del self.parts[part]

    def add_summary(self, other: "StatusSummary", part: int | None = None) -> None:
        """Count the runs of another summary: of the same period, or of one that is a part of it."""
        for number, count in other.parts.items():
            self._add_to_part(number if part is None else part, count)
        self.durations.add_all(other.durations)

    def _add_to_part(self, part: int, count: int) -> None:
        self.parts[part] = self.parts.get(part, 0) + count


@dataclass(slots=True)
class RunSummary:
    """A row of the table `summaries`. `labels` are the fields `LABELS`, `users` what is known by user and status."""

    labels: Run
    length_ms: int
    start_ms: int
    users: dict[str, dict[str, StatusSummary]] = field(default_factory=dict)

    @classmethod
    def from_row(cls, row: Run) -> Self:
        """Return the summary of a row, whose other fields are its labels."""
        summary = cls(row, row["length_ms"], row["start_ms"])
        for entry in json.loads(row["users"]):
            statuses = {status: StatusSummary.from_document(value) for status, value in entry["statuses"].items()}
            if entry["user"] in summary.users:
                # Of a person who was erased meanwhile: earlier runs had another name.
                summary._add_statuses(entry["user"], statuses)
            else:
                summary.users[entry["user"]] = statuses
        return summary

    @classmethod
    def create_for_run(cls, run: Run, length_ms: int) -> Self:
        """Return the empty summary that a run belongs to."""
        return cls(run, length_ms, run["start_ms"] // length_ms * length_ms)

    def build_row(self) -> dict[str, Any]:
        """Return the row."""
        # The name of a user is a member, since those are replaced when a person is erased.
        users = [
            {"user": user, "statuses": {status: summary.build_document() for status, summary in statuses.items()}}
            for user, statuses in self.users.items()
        ]
        return {
            **dict(zip(KEY, self.build_key(), strict=True)),
            "type": self.labels["type"],
            "users": json.dumps(users, separators=(",", ":")),
        }

    def build_key(self) -> SummaryKey:
        """Return the key."""
        labels = self.labels
        return labels["context"], self.length_ms, self.start_ms, labels["program"], labels["program_name"]

    def add_run(self, run: Run) -> None:
        """Count a run."""
        duration = None if run["stop_ms"] is None else max(0, run["stop_ms"] - run["start_ms"])
        self._get_status(run["actor"], run["status"]).add_run(self._get_part(run["start_ms"]), duration)

    def includes_unended_run(self, run: Run) -> bool:
        """Return whether a run without a duration can be counted in the summary."""
        summary = self.users.get(run["actor"], {}).get(run["status"])
        return summary is not None and self._get_part(run["start_ms"]) in summary.parts

    def remove_unended_run(self, run: Run) -> None:
        """Stop counting a run that has no duration."""
        statuses = self.users[run["actor"]]
        summary = statuses[run["status"]]
        summary.remove_unended_run(self._get_part(run["start_ms"]))
        if not summary.parts:
            del statuses[run["status"]]
        if not statuses:
            del self.users[run["actor"]]

    def add_summary(self, other: "RunSummary") -> None:
        """Count the runs of a shorter period."""
        for user, statuses in other.users.items():
            self._add_statuses(user, statuses, self._get_part(other.start_ms))

    def list_part_starts(self) -> Iterator[int]:
        """Yield the starts of the parts of the period that have runs, some of them several times."""
        for statuses in self.users.values():
            for summary in statuses.values():
                for number in summary.parts:
                    yield self.start_ms + number * PART_MS[self.length_ms]

    def _add_statuses(self, user: str, statuses: Mapping[str, StatusSummary], part: int | None = None) -> None:
        for status, counted in statuses.items():
            self._get_status(user, status).add_summary(counted, part)

    def _get_status(self, user: str, status: str) -> StatusSummary:
        return self.users.setdefault(user, {}).setdefault(status, StatusSummary())

    def _get_part(self, time_ms: int) -> int:
        return (time_ms - self.start_ms) // PART_MS[self.length_ms]
