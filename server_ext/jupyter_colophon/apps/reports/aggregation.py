"""RunGroup and measure runs while they are read: memory grows with the groups, not with the runs."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Final

from jupyter_colophon.apps import BadRequest
from jupyter_colophon.apps.reports.definition import DAY_MS, HOUR_MS, STATUSES, ReportDefinition

#: The most groups of a report, and the most namespaces and owners in its summary.
GROUPS_MAX: Final = 10_000
_LISTED: Final = 50
#: Durations are counted in classes that grow by 2 %, so that a percentile is exact to 1 %.
_GROWTH: Final = math.log(1.02)
_PERCENTILE: Final = 0.95
#: The widths of the bars of a timeline, and about how many there are.
_WIDTHS_MS: Final = (HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS, 28 * DAY_MS)
_BARS: Final = 135
#: The fields of the groups that have other names.
_FIELD_OF: Final = {"namespace": "context", "user": "actor"}


@dataclass(slots=True)
class Durations:
    """The durations of runs that have ended, in milliseconds."""

    count: int = 0
    total: int = 0
    least: int = 0
    most: int = 0
    _classes: Counter[int] = field(default_factory=Counter)

    def add(self, duration: int) -> None:
        """Count a duration."""
        self.least = min(self.least, duration) if self.count else duration
        self.most = max(self.most, duration)
        self.count += 1
        self.total += duration
        self._classes[round(math.log1p(duration) / _GROWTH)] += 1

    def add_all(self, other: "Durations") -> None:
        """Count the durations of another group."""
        if other.count:
            self.least = min(self.least, other.least) if self.count else other.least
            self.most = max(self.most, other.most)
            self.count += other.count
            self.total += other.total
            self._classes.update(other._classes)

    def calculate_percentile(self) -> int:
        """Return the duration that 95 % of the runs do not exceed, exact to 1 %."""
        left = math.ceil(_PERCENTILE * self.count)
        for number, count in sorted(self._classes.items()):
            left -= count
            if left <= 0:
                return min(self.most, max(self.least, round(math.expm1(number * _GROWTH))))
        return self.most


@dataclass(slots=True)
class RunGroup:
    """The runs of one group."""

    #: The name of the program, if runs are grouped by it.
    program_name: str
    statuses: Counter[str] = field(default_factory=Counter)
    durations: Durations = field(default_factory=Durations)

    def add(self, run: Mapping[str, Any]) -> None:
        """Count a run."""
        self.statuses[run["status"]] += 1
        if run["stop_ms"] is not None:
            self.durations.add(max(0, run["stop_ms"] - run["start_ms"]))

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
        self._oldest, self._newest = end_ms, start_ms
        self._width_ms = next((width for width in _WIDTHS_MS if (end_ms - start_ms) / width <= _BARS), _WIDTHS_MS[-1])
        self._bars: dict[int, Counter[str]] = defaultdict(Counter)

    @property
    def namespaces(self) -> list[str]:
        """The namespaces of the runs."""
        return sorted(self._namespaces)

    def add_all(self, runs: Iterable[Mapping[str, Any]]) -> None:
        """Count runs. Raises BadRequest if they have too many groups."""
        for run in runs:
            self._add(run)

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

    def _add(self, run: Mapping[str, Any]) -> None:
        group_by = self._definition.document["groupBy"]
        key = tuple(_get_group_value(name, run) for name in group_by)
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= GROUPS_MAX:
                raise BadRequest(f"the report has more than {GROUPS_MAX} groups: group by less, or filter the runs")
            group = self._groups[key] = RunGroup(run["program_name"] if "program" in group_by else "")
        group.add(run)
        self._namespaces[run["context"]] += 1
        self._owners[run["actor"]] += 1
        start = run["start_ms"]
        self._oldest, self._newest = min(self._oldest, start), max(self._newest, start)
        self._bars[start // self._width_ms][run["status"]] += 1

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
        return {
            **measures,
            "starts": {"oldestMs": self._oldest, "newestMs": self._newest} if statuses.total() else None,
            "statuses": {status: statuses[status] for status in STATUSES},
            "namespaces": [{"namespace": name, "runs": count} for name, count in self._namespaces.most_common(_LISTED)],
            "owners": [{"user": name, "runs": count} for name, count in self._owners.most_common(_LISTED)],
        }

    def _build_timeline(self) -> dict[str, Any]:
        first, last = self._start_ms // self._width_ms, (self._end_ms - 1) // self._width_ms
        bars = [
            {"startMs": number * self._width_ms, **{status: self._bars[number][status] for status in STATUSES}}
            for number in range(first, last + 1)
        ]
        return {"widthMs": self._width_ms, "bars": bars}


def _list_columns(document: Mapping[str, Any]) -> list[str]:
    groups = [
        name for group in document["groupBy"] for name in ((group, "programName") if group == "program" else (group,))
    ]
    return [*groups, *document["measures"]]


def _get_group_value(name: str, run: Mapping[str, Any]) -> str:
    if name in ("day", "hour"):
        return _format_hour(run["start_ms"] // HOUR_MS, "%Y-%m-%d" if name == "day" else "%Y-%m-%dT%H:00Z")
    return str(run[_FIELD_OF.get(name, name)])


@lru_cache(maxsize=GROUPS_MAX)
def _format_hour(hour: int, form: str) -> str:
    """Format the start of an hour, counted since 1970. Most runs start in the same hour as the one before."""
    return datetime.fromtimestamp(hour * HOUR_MS // 1_000, UTC).strftime(form)
