"""Build events of OpenLineage from recorded runs (specification 2-0-2)."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from jupyter_colophon.core.lineage.run import RUNNING, RecordedAccess, Run, RunStatus, Transformation
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.core.time_format import format_ms_as_iso_time

Document = dict[str, Any]

PRODUCER: Final = "urn:jupyter-colophon:lineage"
_SPECIFICATION: Final = "https://openlineage.io/spec"
_EVENT_TYPES: Final[Mapping[RunStatus, str]] = {"succeeded": "COMPLETE", "failed": "FAIL", "killed": "ABORT"}
#: The modes in which data is an input, and an output: data of an unknown mode may be either.
_INPUT_MODES, _OUTPUT_MODES = ("read", "both", "unknown"), ("write", "both", "unknown")
_DIRECT: Final[tuple[Transformation, ...]] = ("identity", "transformation", "aggregation")


@dataclass(frozen=True, slots=True)
class RunColumn:
    """A column that a run derived from another one, by the URNs of the datasets."""

    source: str
    source_field: str
    target: str
    target_field: str
    transformation: Transformation


@dataclass(frozen=True, slots=True)
class ReportedRun:
    """A run with the names of its job and its data in OpenLineage, and with the facets that events recorded."""

    run: Run
    job: OriginalName
    names: Mapping[str, OriginalName]
    columns: Sequence[RunColumn]
    facets: Mapping[str, Any]


def build_run_events(reported: ReportedRun) -> list[Document]:
    """Return the events of a run: its start, and its end if it has ended.

    Data flows within a statement only, but OpenLineage has no statements: a run with several is the parent of a run for
    each of them.
    """
    statements = sorted({statement for access in reported.run.accesses for statement in access.statements or ("",)})
    run_id = reported.run.urn.rpartition(":")[2]
    facets = {name: facet for name, facet in reported.facets.items() if _is_valid_facet(facet)}
    if len(statements) <= 1:
        return list(_list_events(reported, run_id, facets))
    events = list(_list_events(_select_statement(reported, ""), run_id, facets))
    for statement in filter(None, statements):
        part = _select_statement(reported, statement)
        part_id = str(uuid.uuid5(uuid.UUID(run_id), statement))
        job = replace(reported.job, name=f"{reported.job.name}#{statement}")
        events += _list_events(replace(part, job=job), part_id, {"parent": _build_parent_facet(reported.job, run_id)})
    return events


def _select_statement(reported: ReportedRun, statement: str) -> ReportedRun:
    """Return the run with the accesses of one statement only, and the columns between these."""
    accesses = tuple(access for access in reported.run.accesses if statement in (access.statements or ("",)))
    return replace(reported, run=replace(reported.run, accesses=accesses))


def _list_events(reported: ReportedRun, run_id: str, run_facets: Mapping[str, Any]) -> Iterator[Document]:
    run = reported.run
    data = {
        "inputs": [_build_dataset(reported, urn) for urn in _list_data(run.accesses, _INPUT_MODES)],
        "outputs": [_build_output(reported, urn) for urn in _list_data(run.accesses, _OUTPUT_MODES)],
    }
    event = {
        "producer": PRODUCER,
        "schemaURL": f"{_SPECIFICATION}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id, "facets": dict(run_facets)},
        "job": {"namespace": reported.job.namespace, "name": reported.job.name, "facets": {}},
    }
    is_running = run.status == RUNNING
    start = {"eventType": "START", "eventTime": format_ms_as_iso_time(run.start)}
    yield start | event | (data if is_running else {"inputs": [], "outputs": []})
    if not is_running:
        end = run.start if run.end is None else run.end
        yield {"eventType": _EVENT_TYPES[run.status], "eventTime": format_ms_as_iso_time(end)} | event | data


def _list_data(accesses: Sequence[RecordedAccess], modes: Sequence[str]) -> list[str]:
    return sorted({access.data for access in accesses if access.mode in modes})


def _build_dataset(reported: ReportedRun, urn: str) -> Document:
    return {**_build_name(reported.names[urn]), "facets": {}}


def _build_output(reported: ReportedRun, urn: str) -> Document:
    """Return a written dataset, with the columns from which its own were derived."""
    sources = set(_list_data(reported.run.accesses, _INPUT_MODES))
    fields: dict[str, Document] = {}
    for column in reported.columns:
        if column.target == urn and column.source in sources:
            field = fields.setdefault(column.target_field, {"inputFields": []})
            name = _build_name(reported.names[column.source])
            step = _build_transformation(column.transformation)
            field["inputFields"].append({**name, "field": column.source_field, "transformations": [step]})
    facet = _build_facet("1-2-0", "ColumnLineageDatasetFacet") | {"fields": fields}
    return _build_dataset(reported, urn) | ({"facets": {"columnLineage": facet}} if fields else {})


def _build_name(name: OriginalName) -> Document:
    return {"namespace": name.namespace, "name": name.name}


def _build_transformation(transformation: Transformation) -> Document:
    if transformation == "indirect":
        return {"type": "INDIRECT"}
    return {"type": "DIRECT" if transformation in _DIRECT else "INDIRECT", "subtype": transformation.upper()}


def _build_parent_facet(job: OriginalName, run_id: str) -> Document:
    return _build_facet("1-2-0", "ParentRunFacet") | {"run": {"runId": run_id}, "job": _build_name(job)}


def _build_facet(version: str, name: str) -> Document:
    url = f"{_SPECIFICATION}/facets/{version}/{name}.json#/$defs/{name}"
    return {"_producer": PRODUCER, "_schemaURL": url}


def _is_valid_facet(facet: Any) -> bool:
    """Return whether a recorded facet has the members that every facet must have."""
    return isinstance(facet, Mapping) and all(isinstance(facet.get(name), str) for name in ("_producer", "_schemaURL"))
