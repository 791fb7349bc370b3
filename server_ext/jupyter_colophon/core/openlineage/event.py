"""Parse OpenLineage events: the state of a run, or the description of a job or a dataset."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final, Literal
from uuid import UUID

from jupyter_colophon.core.errors import InvalidInstance, InvalidName, Problem
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.identity.openlineage_names import (
    Symlink,
    make_openlineage_dataset_urn,
    make_openlineage_job_urn,
)
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.core.openlineage.columns import Columns, parse_column_lineage_facet

EventType = Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]
Mode = Literal["read", "write"]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
SUBJECT: Final = "the event"


@dataclass(frozen=True, slots=True, order=True)
class OriginalName:
    """OpenLineage's name of a job or a dataset."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class EventDataset:
    """A dataset in an event. `mode` is None if nothing reads or writes it; `input_output_facets` has its input or output facets.

    `location_urn` is the URN for its name alone; `urn` differs from it if a symlink names a table.
    """

    urn: Urn
    location_urn: Urn
    original_name: OriginalName
    mode: Mode | None
    facets: Mapping[str, Any]
    input_output_facets: Mapping[str, Any]
    columns: Columns


@dataclass(frozen=True)
class Event:
    """A valid event. `time` is in µs since 1970; `run` is empty for events of jobs and datasets."""

    time: int
    type: EventType
    run: str
    job: OriginalName | None
    run_facets: Mapping[str, Any]
    job_facets: Mapping[str, Any]
    data: tuple[EventDataset, ...]
    producer: str

    @property
    def urns(self) -> tuple[Urn, ...]:
        """Return the job and the datasets of the event."""
        return (*([self.make_program_urn()] if self.job else ()), *(dataset.urn for dataset in self.data))

    @property
    def engine(self) -> str | None:
        """Return the name of the engine that executes the run, None if the event does not name it."""
        name: str | None = (self.run_facets.get("processing_engine") or {}).get("name")
        return name

    def make_program_urn(self, engine: str | None = None) -> Urn:
        """Return the URN of the job (spec ID-17). Raises LookupError for an event without a job."""
        if self.job is None:
            raise LookupError("the event has no job")
        return make_openlineage_job_urn(self.job.namespace, self.job.name, engine)

    @cached_property
    def columns(self) -> tuple[ColumnEdge, ...]:
        """Return the edges between columns, each once."""
        urns = {(item.original_name.namespace, item.original_name.name): item.urn for item in self.data}
        return tuple(
            ColumnEdge(urns.get(source) or origin, field, dataset.urn, target, how)
            for dataset in self.data
            for (source, origin, field, target), how in sorted(
                dataset.columns.items(), key=lambda item: (item[0][0], item[0][2:], item[1])
            )
        )


def parse_openlineage_event(document: Mapping[str, Any], identity: IdentityRules) -> Event:
    """Parse a document that its schema accepts. Raises InvalidInstance with a pointer for each problem."""
    reading = _EventParser(identity)
    run, job = document.get("run"), document.get("job")
    dataset = [("/dataset", document["dataset"], None)] if "dataset" in document and job is None else []
    event = Event(
        time=reading.parse_time_to_us(document["eventTime"]),
        type=document.get("eventType") or "OTHER",
        run="" if run is None else reading.parse_run_id(run["runId"]),
        job=None if job is None else OriginalName(job["namespace"], job["name"]),
        run_facets=(run or {}).get("facets") or {},
        job_facets=(job or {}).get("facets") or {},
        data=tuple(reading.parse_datasets([*dataset, *_list_dataset_entries(document)])),
        producer=document.get("producer") or "",
    )
    if job is not None:
        reading.parse_job(event)
    if reading.problems:
        raise InvalidInstance(SUBJECT, tuple(reading.problems))
    return event


def _list_dataset_entries(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Mode]]:
    sides: tuple[tuple[str, Mode], ...] = (("inputs", "read"), ("outputs", "write"))
    for side, mode in sides:
        for at, item in enumerate(document.get(side) or ()):
            yield f"/{side}/{at}", item, mode


class _EventParser:
    """Read the parts of an event and collect their problems."""

    def __init__(self, identity: IdentityRules) -> None:
        self.identity = identity
        self.problems: list[Problem] = []
        #: Columns refer to the same few datasets repeatedly.
        self._sources: dict[tuple[str, str], Urn] = {}

    def parse_time_to_us(self, text: str) -> int:
        try:
            parsed = datetime.fromisoformat(text)
            since = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)) - _EPOCH
        except (ValueError, OverflowError):
            since = -_MICROSECOND
        if since < timedelta(0) or "T" not in text.upper():
            self.problems.append(Problem("/eventTime", "must be an ISO 8601 date and time since 1970"))
        return since // _MICROSECOND

    def parse_run_id(self, text: str) -> str:
        try:
            return str(UUID(text))
        except ValueError:
            self.problems.append(Problem("/run/runId", "must be a UUID"))
            return text

    def parse_job(self, event: Event) -> None:
        engine = (event.run_facets.get("processing_engine") or {}).get("name")
        try:
            event.make_program_urn(engine)
        except InvalidName as error:
            self.problems.append(Problem("/job", error.detail))

    def parse_datasets(self, entries: Iterable[tuple[str, Mapping[str, Any], Mode | None]]) -> Iterator[EventDataset]:
        for pointer, item, mode in entries:
            facets = item.get("facets") or {}
            own = item.get("inputFacets" if mode == "read" else "outputFacets") or {}
            try:
                urn = make_openlineage_dataset_urn(
                    item["namespace"], item["name"], self.identity, _parse_symlinks_facet(facets)
                )
                place = self._make_input_dataset_urn(item["namespace"], item["name"]) if "symlinks" in facets else urn
                columns = parse_column_lineage_facet(facets.get("columnLineage"), self._make_input_dataset_urn)
            except InvalidName as error:
                self.problems.append(Problem(pointer, error.detail))
                continue
            yield EventDataset(urn, place, OriginalName(item["namespace"], item["name"]), mode, facets, own, columns)

    def _make_input_dataset_urn(self, namespace: str, name: str) -> Urn:
        source = self._sources.get((namespace, name))
        if source is None:
            source = self._sources[namespace, name] = make_openlineage_dataset_urn(namespace, name, self.identity)
        return source


def _parse_symlinks_facet(facets: Mapping[str, Any]) -> list[Symlink]:
    identifiers = (facets.get("symlinks") or {}).get("identifiers") or ()
    return [
        Symlink(identifier["namespace"], identifier["name"], identifier.get("type") or "TABLE")
        for identifier in identifiers
    ]
