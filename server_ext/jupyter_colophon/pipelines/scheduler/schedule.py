"""The definition of a schedule: an instance of the schemaspace `pipelines`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.schedule_times import calculate_next_due_ms, find_schedule_time_problems, parse_duration_ms

_MAX_PAUSE_MS: Final = 3_600_000
_CHANGES: Final = ("create", "update", "delete")


@dataclass(frozen=True, slots=True)
class PipelineSchedule:
    """When a pipeline is started. An empty `on_change`, as left by a form, means no change starts it."""

    name: str
    namespace: str
    pipeline: str
    enabled: bool = True
    every: str = ""
    cron: str = ""
    on_change: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    retries: int = 0
    retry_after: str = "PT1M"
    overlap: bool = False

    @classmethod
    def from_instance(cls, instance: Instance) -> "PipelineSchedule":
        """Create a schedule from a valid instance."""
        settings: dict[str, Any] = {key: value for key, value in instance.metadata.items() if key != "description"}
        return cls(instance.name, **settings)

    @property
    def spec(self) -> str:
        """Return what determines its times; if it changes, the next time is computed again."""
        return encode_canonical_json([self.pipeline, self.enabled, self.every, self.cron])

    def find_problem(self) -> str:
        """Return why the schedule is invalid; empty if it is valid."""
        settings = {
            "every": self.every,
            "cron": self.cron,
            "on_change": self.on_change,
            "retry_after": self.retry_after,
        }
        return next((why for _, why in find_schedule_time_problems(settings)), "")

    def compute_due_after(self, time_ms: int, last: int | None) -> int | None:
        """Return when it is due next (ms); None if it has no times. Raises ValueError."""
        if not (self.every or self.cron):
            return None
        return calculate_next_due_ms(self.every, self.cron, time_ms, last)

    def compute_pause_ms(self, attempt: int) -> int:
        """Return the pause before the retry after this attempt."""
        return min(parse_duration_ms(self.retry_after) << min(attempt - 1, 30), _MAX_PAUSE_MS)

    def matches_change(self, change: Change) -> bool:
        """Return whether a change starts it."""
        filters = self.on_change
        if not filters or change.namespace != self.namespace or change.operation not in _CHANGES:
            return False
        if "aspect" in filters and change.aspect != filters["aspect"]:
            return False
        names = (change.name, f"{change.namespace}.{change.name}", change.urn)
        if not any(fnmatchcase(name, filters.get("entity", "*")) for name in names):
            return False
        return "tag" not in filters or filters["tag"] in _read_tags(change.value) - _read_tags(change.previous)


def _read_tags(value: Mapping[str, Any] | None) -> set[str]:
    tags = (value or {}).get("tags", ())
    return {tag for tag in tags if isinstance(tag, str)} if isinstance(tags, list | tuple) else set()
