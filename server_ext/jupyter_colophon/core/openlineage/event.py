"""Parse OpenLineage events: the state of a run, or the description of a job or a dataset."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any, Final, Literal
from uuid import UUID

from jupyter_colophon.core.errors import InvalidInstance, InvalidName, Problem
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.identity.openlineage_names import Symlink, openlineage_dataset, openlineage_job
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.core.openlineage.columns import Columns, columns_of

EventType = Literal["START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]
Mode = Literal["read", "write"]
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
SUBJECT: Final = "the event"


@dataclass(frozen=True, slots=True, order=True)
class Spelling:
    """OpenLineage's name of a job or a dataset."""

    namespace: str
    name: str


@dataclass(frozen=True, slots=True)
class EventDataset:
    """A dataset in an event. `mode` is None if nothing reads or writes it; `own` has its input or output facets.

    `place` is the URN for its name alone; `urn` differs from it if a symlink names a table.
    """

    urn: Urn
    place: Urn
    spelling: Spelling
    mode: Mode | None
    facets: Mapping[str, Any]
    own: Mapping[str, Any]
    columns: Columns


@dataclass(frozen=True)
class Event:
    """A valid event. `time` is in µs since 1970; `run` is empty for events of jobs and datasets."""

    time: int
    type: EventType
    run: str
    job: Spelling | None
    run_facets: Mapping[str, Any]
    job_facets: Mapping[str, Any]
    data: tuple[EventDataset, ...]
    producer: str

    @property
    def urns(self) -> tuple[Urn, ...]:
        """Return the job and the datasets of the event."""
        return (*([self.program()] if self.job else ()), *(one.urn for one in self.data))

    def program(self, engine: str | None = None) -> Urn:
        """Return the URN of the job (spec ID-17). Raises LookupError for an event without a job."""
        if self.job is None:
            raise LookupError("the event has no job")
        return openlineage_job(self.job.namespace, self.job.name, engine)

    @cached_property
    def columns(self) -> tuple[ColumnEdge, ...]:
        """Return the edges between columns, each once."""
        known = {one.spelling: one.urn for one in self.data}
        return tuple(
            ColumnEdge(known.get(Spelling(*source)) or origin, field, made.urn, target, how)
            for made in self.data
            for (source, origin, field, target), how in sorted(
                made.columns.items(), key=lambda one: (one[0][0], one[0][2:], one[1])
            )
        )


def parse_event(document: Mapping[str, Any], identity: Identity) -> Event:
    """Parse a document that its schema accepts. Raises InvalidInstance with a pointer for each problem."""
    reading = _EventReader(identity)
    run, job = document.get("run"), document.get("job")
    dataset = [("/dataset", document["dataset"], None)] if "dataset" in document and job is None else []
    event = Event(
        time=reading.time(document["eventTime"]),
        type=document.get("eventType") or "OTHER",
        run="" if run is None else reading.run_id(run["runId"]),
        job=None if job is None else Spelling(job["namespace"], job["name"]),
        run_facets=(run or {}).get("facets") or {},
        job_facets=(job or {}).get("facets") or {},
        data=tuple(reading.data([*dataset, *_datasets_of(document)])),
        producer=document.get("producer") or "",
    )
    if job is not None:
        reading.job(event)
    if reading.problems:
        raise InvalidInstance(SUBJECT, tuple(reading.problems))
    return event


def _datasets_of(document: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Mode]]:
    sides: tuple[tuple[str, Mode], ...] = (("inputs", "read"), ("outputs", "write"))
    for side, mode in sides:
        for at, one in enumerate(document.get(side) or ()):
            yield f"/{side}/{at}", one, mode


class _EventReader:
    """Read the parts of an event and collect their problems."""

    def __init__(self, identity: Identity) -> None:
        self.identity = identity
        self.problems: list[Problem] = []
        #: Columns refer to the same few datasets repeatedly.
        self._sources: dict[tuple[str, str], Urn] = {}

    def time(self, text: str) -> int:
        try:
            parsed = datetime.fromisoformat(text)
            since = (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)) - _EPOCH
        except (ValueError, OverflowError):
            since = -_MICROSECOND
        if since < timedelta(0) or "T" not in text.upper():
            self.problems.append(Problem("/eventTime", "must be an ISO 8601 date and time since 1970"))
        return since // _MICROSECOND

    def run_id(self, text: str) -> str:
        try:
            return str(UUID(text))
        except ValueError:
            self.problems.append(Problem("/run/runId", "must be a UUID"))
            return text

    def job(self, event: Event) -> None:
        engine = (event.run_facets.get("processing_engine") or {}).get("name")
        try:
            event.program(engine)
        except InvalidName as error:
            self.problems.append(Problem("/job", error.detail))

    def data(self, entries: Iterable[tuple[str, Mapping[str, Any], Mode | None]]) -> Iterator[EventDataset]:
        for pointer, one, mode in entries:
            facets = one.get("facets") or {}
            own = one.get("inputFacets" if mode == "read" else "outputFacets") or {}
            try:
                urn = openlineage_dataset(one["namespace"], one["name"], self.identity, _symlinks(facets))
                place = self._source(one["namespace"], one["name"]) if "symlinks" in facets else urn
                columns = columns_of(facets.get("columnLineage"), self._source)
            except InvalidName as error:
                self.problems.append(Problem(pointer, error.detail))
                continue
            yield EventDataset(urn, place, Spelling(one["namespace"], one["name"]), mode, facets, own, columns)

    def _source(self, namespace: str, name: str) -> Urn:
        found = self._sources.get((namespace, name))
        if found is None:
            found = self._sources[namespace, name] = openlineage_dataset(namespace, name, self.identity)
        return found


def _symlinks(facets: Mapping[str, Any]) -> list[Symlink]:
    identifiers = (facets.get("symlinks") or {}).get("identifiers") or ()
    return [Symlink(one["namespace"], one["name"], one.get("type") or "TABLE") for one in identifiers]
