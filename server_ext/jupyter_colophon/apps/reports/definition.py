"""What a report is about: an interval, filters, groups, measures, an order and a limit."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Self

from jupyter_colophon.apps import BadRequest, find_next_due_ms
from jupyter_colophon.apps.shipped.bodies import Body

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
STATUSES: Final = ("succeeded", "failed", "killed", "running")
GROUPS: Final = ("program", "namespace", "user", "type", "status", "day", "hour")
MEASURES: Final = (
    "runs",
    "failed",
    "successShare",
    "totalDurationMs",
    "minDurationMs",
    "averageDurationMs",
    "maxDurationMs",
    "p95DurationMs",
)
#: The filters; and those of them that all runs of a summary pass or none, with the fields of which one must match.
FILTERS: Final = ("namespaces", "programs", "types", "users", "statuses")
_LABELS: Final[Mapping[str, tuple[str, ...]]] = {
    "namespaces": ("context",),
    "programs": ("program", "program_name"),
    "types": ("type",),
}
_MEMBERS: Final = ("name", "interval", "filters", "groupBy", "measures", "sort", "order", "limit", "schedule")
_LAST: Final = re.compile(r"([1-9][0-9]{0,3})([hdw])")
_LAST_MS: Final = {"h": HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}
#: The longest interval, the longest texts, the most values of a filter, and the most rows.
_INTERVAL_MAX_MS: Final = 3_660 * DAY_MS
_TEXT_MAX, _VALUES_MAX, LIMIT_MAX = 200, 100, 1_000


@dataclass(frozen=True, slots=True)
class ReportDefinition:
    """A validated definition. `document` is its complete JSON form, with the defaults."""

    document: Mapping[str, Any]

    @classmethod
    def from_document(cls, value: Any) -> Self:
        """Validate a definition, and add the defaults. Raises BadRequest."""
        body = Body(value, _MEMBERS)
        group_by = _get_choices(body, "groupBy", GROUPS, ("program",))
        measures = _get_choices(body, "measures", MEASURES, MEASURES)
        if not measures:
            raise BadRequest("the member measures must name at least one measure")
        sort = body.get_text("sort", measures[0], _TEXT_MAX)
        if sort not in (*group_by, *measures):
            raise BadRequest("the member sort must be one of the groups or measures of the report")
        document = {
            "name": body.get_text("name", "", _TEXT_MAX),
            "interval": _parse_interval(body.document.get("interval", {"last": "7d"})),
            "filters": _parse_filters(body.document.get("filters", {})),
            "groupBy": list(group_by),
            "measures": list(measures),
            "sort": sort,
            "order": body.get_choice("order", ("asc", "desc"), "desc" if sort in measures else "asc"),
            "limit": body.get_number("limit", 100, LIMIT_MAX, 1),
            "schedule": _parse_schedule(body.get_text("schedule", "", _TEXT_MAX)),
        }
        return cls(document)

    def get_interval_ms(self, now_ms: int) -> tuple[int, int]:
        """Return the interval: the first time, and the one after the last."""
        interval = self.document["interval"]
        if "last" in interval:
            match = _LAST.fullmatch(interval["last"])
            assert match is not None  # noqa: S101  it was validated
            # A run that starts now belongs to it.
            return now_ms + 1 - int(match[1]) * _LAST_MS[match[2]], now_ms + 1
        return _parse_time_ms("from", interval["from"]), _parse_time_ms("to", interval["to"])

    def matches_labels(self, row: Mapping[str, Any]) -> bool:
        """Return whether a run, or a summary of runs, passes the filters by namespace, program and type."""
        return all(
            any(row[field] in values for field in _LABELS[name])
            for name, values in self.document["filters"].items()
            if name in _LABELS
        )

    def includes_user(self, user: str) -> bool:
        """Return whether runs of a user pass the filter of users."""
        users = self.document["filters"].get("users")
        return users is None or user in users

    def includes_status(self, status: str) -> bool:
        """Return whether runs with a status pass the filter of statuses."""
        statuses = self.document["filters"].get("statuses")
        return statuses is None or status in statuses


def _parse_interval(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or value.keys() not in ({"last"}, {"from", "to"}):
        raise BadRequest('the interval must be {"last": "7d"}, or {"from": …, "to": …} with times in ISO 8601')
    if "last" in value:
        last = value["last"]
        match = _LAST.fullmatch(last) if isinstance(last, str) else None
        if match is None or int(match[1]) * _LAST_MS[match[2]] > _INTERVAL_MAX_MS:
            raise BadRequest(
                "the member last must be a number of hours, days or weeks such as 12h, 7d or 4w, up to ten years"
            )
        return {"last": last}
    start, end = (_parse_time_ms(name, value[name]) for name in ("from", "to"))
    if not 0 < end - start <= _INTERVAL_MAX_MS:
        raise BadRequest("the interval must end after its beginning, and at most ten years later")
    return {"from": value["from"], "to": value["to"]}


def _parse_time_ms(name: str, text: Any) -> int:
    try:
        time = datetime.fromisoformat(text)
        return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp() * 1_000)
    except (TypeError, ValueError, OverflowError):
        raise BadRequest(f"the member {name} must be a time in ISO 8601, such as 2026-11-27T06:00:00Z") from None


def _parse_filters(value: Any) -> dict[str, list[str]]:
    if not isinstance(value, dict):
        raise BadRequest("the member filters must be a JSON object")
    if unknown := sorted(value.keys() - {*FILTERS}):
        raise BadRequest(f"unknown filter {unknown[0][:80]!r}; known: {', '.join(FILTERS)}")
    for name, texts in value.items():
        if not isinstance(texts, list) or len(texts) > _VALUES_MAX or not all(isinstance(text, str) for text in texts):
            raise BadRequest(f"the filter {name} must be a list of at most {_VALUES_MAX} texts")
    if statuses := [text for text in value.get("statuses", ()) if text not in STATUSES]:
        raise BadRequest(f"unknown status {statuses[0][:80]!r}; known: {', '.join(STATUSES)}")
    return {name: texts for name, texts in value.items() if texts}


def _parse_schedule(spec: str) -> str:
    try:
        if spec:
            find_next_due_ms(spec, 0)
    except (ValueError, OverflowError) as error:
        raise BadRequest(f"the schedule must be an interval such as P1D or a cron expression: {error}") from None
    return spec


def _get_choices(body: Body, name: str, choices: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
    value = body.document.get(name, [*default])
    if not isinstance(value, list) or any(item not in choices for item in value) or len({*value}) != len(value):
        raise BadRequest(f"the member {name} must be a list of {', '.join(choices)}, each at most once")
    return tuple(value)
