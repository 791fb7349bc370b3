"""Merge the events of a run, in any order, into its state (spec OL-1)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_job_urn
from jupyter_colophon.core.identity.urn import make_single_key_urn
from jupyter_colophon.core.lineage.run import RUNNING, FactValue, RunStatus
from jupyter_colophon.core.openlineage.event import Event, OriginalName
from jupyter_colophon.core.openlineage.facets import merge_facets_and_times

_ENDS: Final[Mapping[str, RunStatus]] = {"COMPLETE": "succeeded", "ABORT": "killed", "FAIL": "failed"}
_RANK: Final = ("COMPLETE", "ABORT", "FAIL")
_FACT_CHARACTERS: Final = 10_000


@dataclass(frozen=True, slots=True)
class RunState:
    """The state of a run from its events. `begin` is the earliest time, `ends` the latest of each way to end, in µs."""

    job: OriginalName
    begin: int
    ends: Mapping[str, int] = field(default_factory=dict)
    facets: Mapping[str, Any] = field(default_factory=dict)
    stamps: Mapping[str, int] = field(default_factory=dict)
    producer: tuple[int, str] = (0, "")

    @classmethod
    def from_stored_document(cls, document: Mapping[str, Any]) -> "RunState":
        """Read the state from its JSON document."""
        lists = {"job": OriginalName(*document["job"]), "producer": tuple(document["producer"])}
        return cls(**(dict(document) | lists))

    @property
    def document(self) -> dict[str, Any]:
        """Return the state as a JSON document."""
        return {
            "job": [self.job.namespace, self.job.name],
            "begin": self.begin,
            "ends": self.ends,
            "facets": self.facets,
            "stamps": self.stamps,
            "producer": list(self.producer),
        }

    def with_event(self, event: Event) -> "RunState":
        """Return the state after another event."""
        ends = dict(self.ends)
        if event.type in _ENDS:
            ends[event.type] = max(event.time, ends.get(event.type, 0))
        facets, stamps = merge_facets_and_times(self.facets, self.stamps, event.run_facets, event.time)
        producer = max(self.producer, (event.time, event.producer))
        return RunState(self.job, min(self.begin, event.time), ends, facets, stamps, producer)

    @property
    def program(self) -> Urn:
        """Return the URN of the job, with the engine that some event named."""
        return make_openlineage_job_urn(
            self.job.namespace, self.job.name, self._get_run_facet("processing_engine").get("name")
        )

    @property
    def status(self) -> RunStatus:
        """Return the status: a failed run stays failed, and a run that has ended does not run again."""
        return _ENDS[self._end] if self.ends else RUNNING

    @property
    def start(self) -> int:
        """Return the start time in ms."""
        return self.begin // 1_000

    @property
    def stop(self) -> int | None:
        """Return the end time in ms, None while the run is running."""
        return self.ends[self._end] // 1_000 if self.ends else None

    @property
    def parent(self) -> str | None:
        """Return the URN of the parent run, which may be unknown."""
        run_id = (self._get_run_facet("parent").get("run") or {}).get("runId")
        try:
            return None if run_id is None else str(make_single_key_urn("dataProcessInstance", str(UUID(run_id))))
        except ValueError:
            return None

    @property
    def parent_job(self) -> OriginalName | None:
        """Return the job of the parent run, if the facet names one."""
        job = self._get_run_facet("parent").get("job") or {}
        namespace, name = job.get("namespace"), job.get("name")
        return OriginalName(namespace, name) if isinstance(namespace, str) and isinstance(name, str) else None

    @property
    def facts(self) -> dict[str, FactValue]:
        """Return a summary of the facets for clients that do not read facets."""
        engine, nominal = self._get_run_facet("processing_engine"), self._get_run_facet("nominalTime")
        facts = {
            "producer": self.producer[1],
            "engine": " ".join(str(engine[key]) for key in ("name", "version") if engine.get(key)),
            "nominal-start": nominal.get("nominalStartTime"),
            "nominal-end": nominal.get("nominalEndTime"),
            "error": self._get_run_facet("errorMessage").get("message"),
        }
        return {name: str(value)[:_FACT_CHARACTERS] for name, value in facts.items() if value}

    @property
    def _end(self) -> str:
        """Return the effective end: a failure, else the latest; of two at the same time the worse."""
        if "FAIL" in self.ends:
            return "FAIL"
        return max(self.ends, key=lambda end: (self.ends[end], _RANK.index(end)))

    def _get_run_facet(self, name: str) -> Mapping[str, Any]:
        value: Mapping[str, Any] = self.facets.get(name) or {}
        return {} if value.get("_deleted") is True else value


def create_state_of_first_event(event: Event) -> RunState:
    """Return the state of a run after its first event. Raises LookupError for an event without a job."""
    if event.job is None:
        raise LookupError("the event has no job")
    return RunState(event.job, event.time).with_event(event)
