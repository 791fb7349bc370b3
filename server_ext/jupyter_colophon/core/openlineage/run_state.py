"""What is known of a run from the events that came of it, in whatever order (spec OL-1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.openlineage_names import openlineage_job
from jupyter_colophon.core.identity.urn import simple
from jupyter_colophon.core.lineage.run import RUNNING, FactValue, RunStatus
from jupyter_colophon.core.openlineage.event import Event, Spelling
from jupyter_colophon.core.openlineage.facets import merged

_ENDS: Final[Mapping[str, RunStatus]] = {"COMPLETE": "succeeded", "ABORT": "killed", "FAIL": "failed"}
_RANK: Final = ("COMPLETE", "ABORT", "FAIL")
_FACT_CHARACTERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class RunState:
    """All that counts of a run's events. `begin` is the earliest time, `ends` the latest of each way to end, in µs."""

    job: Spelling
    begin: int
    ends: Mapping[str, int] = field(default_factory=dict)
    facets: Mapping[str, Any] = field(default_factory=dict)
    stamps: Mapping[str, int] = field(default_factory=dict)
    producer: tuple[int, str] = (0, "")

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> "RunState":
        """The state that `document` told."""
        lists = {"job": Spelling(*document["job"]), "producer": tuple(document["producer"])}
        return cls(**(dict(document) | lists))

    @property
    def document(self) -> dict[str, Any]:
        """The state as JSON."""
        return {
            "job": [self.job.namespace, self.job.name],
            "begin": self.begin,
            "ends": self.ends,
            "facets": self.facets,
            "stamps": self.stamps,
            "producer": list(self.producer),
        }

    def after(self, event: Event) -> "RunState":
        """The state once this event has come, too."""
        ends = dict(self.ends)
        if event.type in _ENDS:
            ends[event.type] = max(event.time, ends.get(event.type, 0))
        facets, stamps = merged(self.facets, self.stamps, event.run_facets, event.time)
        producer = max(self.producer, (event.time, event.producer))
        return RunState(self.job, min(self.begin, event.time), ends, facets, stamps, producer)

    @property
    def program(self) -> Urn:
        """The job as ours: with the engine that some event named."""
        return openlineage_job(self.job.namespace, self.job.name, self._said("processing_engine").get("name"))

    @property
    def status(self) -> RunStatus:
        """How it stands. A run that has failed in some event stays failed, and one that has ended does not go on."""
        return _ENDS[self._end] if self.ends else RUNNING

    @property
    def start(self) -> int:
        """When it began, in ms."""
        return self.begin // 1_000

    @property
    def stop(self) -> int | None:
        """When it ended, in ms."""
        return self.ends[self._end] // 1_000 if self.ends else None

    @property
    def parent(self) -> str | None:
        """The URN of the run that it is a part of, whether that is known yet or not."""
        told = (self._said("parent").get("run") or {}).get("runId")
        try:
            return None if told is None else str(simple("dataProcessInstance", str(UUID(told))))
        except ValueError:
            return None

    @property
    def parent_job(self) -> Spelling | None:
        """The job of the run that it is a part of, where the facet names one."""
        told = self._said("parent").get("job") or {}
        namespace, name = told.get("namespace"), told.get("name")
        return Spelling(namespace, name) if isinstance(namespace, str) and isinstance(name, str) else None

    @property
    def facts(self) -> dict[str, FactValue]:
        """What is told of it in short, for those who know no facets."""
        engine, nominal = self._said("processing_engine"), self._said("nominalTime")
        told = {
            "producer": self.producer[1],
            "engine": " ".join(str(engine[key]) for key in ("name", "version") if engine.get(key)),
            "nominal-start": nominal.get("nominalStartTime"),
            "nominal-end": nominal.get("nominalEndTime"),
            "error": self._said("errorMessage").get("message"),
        }
        return {name: str(value)[:_FACT_CHARACTERS] for name, value in told.items() if value}

    @property
    def _end(self) -> str:
        """Which end counts: a failure; else the latest, and of two at one time the worse."""
        if "FAIL" in self.ends:
            return "FAIL"
        return max(self.ends, key=lambda end: (self.ends[end], _RANK.index(end)))

    def _said(self, facet: str) -> Mapping[str, Any]:
        told: Mapping[str, Any] = self.facets.get(facet) or {}
        return {} if told.get("_deleted") is True else told


def first_state(event: Event) -> RunState:
    """What is known of a run from one event of it. Raises LookupError for an event without a job."""
    if event.job is None:
        raise LookupError("the event has no job")
    return RunState(event.job, event.time).after(event)
