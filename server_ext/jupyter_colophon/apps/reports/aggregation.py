"""Group and measure runs and summaries while they are read: memory grows with the groups, not with the runs."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from jupyter_colophon.apps import BadRequest
from jupyter_colophon.apps.reports.definition import DAY_MS, HOUR_MS, STATUSES, ReportDefinition
from jupyter_colophon.apps.reports.durations import Durations
from jupyter_colophon.apps.reports.periods import PART_MS
from jupyter_colophon.apps.reports.run_summary import RunSummary, StatusSummary

#: The most groups of a report, and the most namespaces and owners in its summary.
GROUPS_MAX: Final = 10_000
_LISTED: Final = 50
#: The widths of the bars of a timeline, and about how many there are.
_WIDTHS_MS: Final = (HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS)
_BARS: Final = 135


@dataclass(slots=True)
class RunGroup:
    """The runs of one group."""

    #: The name of the program, if runs are grouped by it. If it has several, the first one by the alphabet.
    program_name: str
    statuses: Counter[str] = field(default_factory=Counter)
    durations: Durations = field(default_factory=Durations)

    def add(self, run: Mapping[str, Any]) -> None:
        """Count a run."""
        self.statuses[run["status"]] += 1
        if run["stop_ms"] is not None:
            self.durations.add(max(0, run["stop_ms"] - run["start_ms"]))

    def add_summary(self, status: str, summary: StatusSummary) -> None:
        """Count the runs of a summary that have this status."""
        self.statuses[status] += summary.count_runs()
        self.durations.add_all(summary.durations)

    def add_all(self, other: "RunGroup") -> None:
        """Count the runs of another group."""
        self.statuses.update(other.statuses)
        self.durations.add_all(other.durations)

    def measure(self) -> dict[str, int | float | None]:
        """Return all measures; None for those of which no run has a value."""
        runs, durations = self.statuses.total(), self.durations
        ended = runs - self.statuses["running"]
        known = durations.count > 0
        return {
            "runs": runs,
            "failed": self.statuses["failed"],
            "successShare": round(self.statuses["succeeded"] / ended, 4) if ended else None,
            "totalDurationMs": durations.total if known else None,
            "minDurationMs": durations.least if known else None,
            "averageDurationMs": round(durations.total / durations.count) if known else None,
            "maxDurationMs": durations.most if known else None,
            "p95DurationMs": durations.calculate_percentile() if known else None,
        }


class Aggregation:
    """The groups, the summary and the timeline of a report."""

    def __init__(self, definition: ReportDefinition, start_ms: int, end_ms: int) -> None:
        self._definition, self._start_ms, self._end_ms = definition, start_ms, end_ms
        self._groups: dict[tuple[str, ...], RunGroup] = {}
        self._namespaces: Counter[str] = Counter()
        self._owners: Counter[str] = Counter()
        #: The URNs of the programs of the runs.
        self.programs: set[str] = set()
        #: The first and the last start; empty without runs.
        self.starts: Sequence[int] = ()
        #: The width of a bar of the timeline.
        self.bar_ms = next((width for width in _WIDTHS_MS if (end_ms - start_ms) / width <= _BARS), _WIDTHS_MS[-1])
        #: The runs by status and by the number of the bar.
        self._bars: dict[str, Counter[int]] = defaultdict(Counter)

    @property
    def namespaces(self) -> list[str]:
        """The namespaces of the runs."""
        return sorted(self._namespaces)

    def add_run(self, run: Mapping[str, Any]) -> None:
        """Count a run. Raises BadRequest if there are too many groups."""
        status, start_ms = run["status"], run["start_ms"]
        self._get_group(run, start_ms, run["actor"], status).add(run)
        self.programs.add(run["program"])
        self._namespaces[run["context"]] += 1
        self._owners[run["actor"]] += 1
        self._bars[status][start_ms // self.bar_ms] += 1

    def add_summary(self, summary: RunSummary) -> None:
        """Count the runs of a summary. Raises BadRequest if there are too many groups."""
        labels, start_ms = summary.labels, summary.start_ms
        part_ms = PART_MS[summary.length_ms]
        self.programs.add(labels["program"])
        for user, statuses in summary.users.items():
            for status, counted in statuses.items():
                self._get_group(labels, start_ms, user, status).add_summary(status, counted)
                runs = counted.count_runs()
                self._namespaces[labels["context"]] += runs
                self._owners[user] += runs
                bars = self._bars[status]
                if summary.length_ms <= self.bar_ms:
                    bars[start_ms // self.bar_ms] += runs
                    continue
                for number, count in counted.parts.items():
                    bars[(start_ms + number * part_ms) // self.bar_ms] += count

    def find_outer_bars(self) -> list[tuple[int, int]]:
        """Return the intervals of the first and of the last bar that have runs."""
        numbers = [number for bars in self._bars.values() for number in bars]
        outer = [min(numbers), max(numbers)] if numbers else []
        return [
            (max(self._start_ms, number * self.bar_ms), min(self._end_ms, (number + 1) * self.bar_ms))
            for number in outer
        ]

    def build_result(self) -> dict[str, Any]:
        """Return the document of the report."""
        document = self._definition.document
        rows = [self._build_row(key, group) for key, group in self._groups.items()]
        # The groups decide between equal values, so that the order is always the same.
        rows.sort(key=lambda row: [str(row[name]) for name in document["groupBy"]])
        sort = document["sort"]
        known, unknown = ([row for row in rows if (row[sort] is None) is missing] for missing in (False, True))
        known.sort(key=lambda row: row[sort], reverse=document["order"] == "desc")
        limit = document["limit"]
        return {
            "fromMs": self._start_ms,
            "toMs": self._end_ms,
            "columns": _list_columns(document),
            "rows": [*known, *unknown][:limit],
            "groups": len(rows),
            "truncated": len(rows) > limit,
            "summary": self._build_summary(),
            "timeline": self._build_timeline(),
        }

    def _get_group(self, labels: Mapping[str, Any], start_ms: int, user: str, status: str) -> RunGroup:
        group_by = self._definition.document["groupBy"]
        key = tuple([_get_group_value(name, labels, start_ms, user, status) for name in group_by])
        name = labels["program_name"] if "program" in group_by else ""
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= GROUPS_MAX:
                raise BadRequest(f"the report has more than {GROUPS_MAX} groups: group by less, or filter the runs")
            group = self._groups[key] = RunGroup(name)
        group.program_name = min(group.program_name, name)
        return group

    def _build_row(self, key: tuple[str, ...], group: RunGroup) -> dict[str, Any]:
        document, measures = self._definition.document, group.measure()
        row: dict[str, Any] = dict(zip(document["groupBy"], key, strict=True))
        if "program" in row:
            row["programName"] = group.program_name
        return row | {name: measures[name] for name in document["measures"]}

    def _build_summary(self) -> dict[str, Any]:
        everything = RunGroup("")
        for group in self._groups.values():
            everything.add_all(group)
        measures, statuses = everything.measure(), everything.statuses
        starts = dict(zip(("oldestMs", "newestMs"), self.starts, strict=False))
        return {
            **measures,
            "starts": starts or None,
            "statuses": {status: statuses[status] for status in STATUSES},
            "namespaces": [{"namespace": name, "runs": count} for name, count in _list_most_common(self._namespaces)],
            "owners": [{"user": name, "runs": count} for name, count in _list_most_common(self._owners)],
        }

    def _build_timeline(self) -> dict[str, Any]:
        first, last = self._start_ms // self.bar_ms, (self._end_ms - 1) // self.bar_ms
        bars = [
            {"startMs": number * self.bar_ms, **{status: self._bars[status][number] for status in STATUSES}}
            for number in range(first, last + 1)
        ]
        return {"widthMs": self.bar_ms, "bars": bars}


def _list_columns(document: Mapping[str, Any]) -> list[str]:
    groups = [
        name for group in document["groupBy"] for name in ((group, "programName") if group == "program" else (group,))
    ]
    return [*groups, *document["measures"]]


def _list_most_common(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return names with their counts, the greatest first; of equal ones in the order of the alphabet."""
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_LISTED]


def _get_group_value(name: str, labels: Mapping[str, Any], start_ms: int, user: str, status: str) -> str:
    if name == "day":
        return _format_hour(start_ms // HOUR_MS, "%Y-%m-%d")
    if name == "hour":
        return _format_hour(start_ms // HOUR_MS, "%Y-%m-%dT%H:00Z")
    if name == "user":
        return user
    return status if name == "status" else str(labels["context" if name == "namespace" else name])


@lru_cache(maxsize=GROUPS_MAX)
def _format_hour(hour: int, form: str) -> str:
    """Format the start of an hour, counted since 1970. Most runs start in the same hour as the one before."""
    return datetime.fromtimestamp(hour * HOUR_MS // 1_000, UTC).strftime(form)
