"""Maintain the aspect `openLineage` of a dataset or a job: its OpenLineage names, its facets, and its lineage without
a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.identity.openlineage_names import NO_ENGINE
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.core.openlineage.event import Event, OriginalName
from jupyter_colophon.core.openlineage.facets import Facets, merge_facets_and_times

ASPECT: Final = "openLineage"
EMPTY: Final[Mapping[str, Any]] = {"names": [], "facets": {}}
_NAMES_MAX: Final = 20
_LINEAGE: Final = "lineage"
_ALONE: Final = "alone"


@dataclass(frozen=True, slots=True)
class ReportedDescription:
    """The description of a dataset or a job in one event. `lineage` is None if it belongs to a run or is not reported."""

    original_name: OriginalName
    facets: Facets
    time: int
    lineage: Mapping[str, Any] | None = None
    #: Whether the event belongs to no run.
    alone: bool = False


def merge_report_into_description(
    old: Mapping[str, Any], stamps: Mapping[str, Any], report: ReportedDescription
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the aspect's value, and the times of its parts, after applying a report."""
    facets, times = merge_facets_and_times(old["facets"], stamps.get("facets", {}), report.facets, report.time)
    names = {OriginalName(**name) for name in old["names"]} | {report.original_name}
    listed = [{"namespace": name.namespace, "name": name.name} for name in sorted(names)[:_NAMES_MAX]]
    new, when = (
        {"names": listed, "facets": facets},
        {"facets": times, _ALONE: report.alone or is_described_without_run(stamps)},
    )
    if report.lineage is not None and (report.time, encode_canonical_json(report.lineage)) > (
        stamps.get(_LINEAGE, -1),
        encode_canonical_json(old.get(_LINEAGE)),
    ):
        return new | {_LINEAGE: dict(report.lineage)}, when | {_LINEAGE: report.time}
    old_lineage = {_LINEAGE: old[_LINEAGE]} if _LINEAGE in old else {}
    return new | old_lineage, when | ({_LINEAGE: stamps[_LINEAGE]} if _LINEAGE in stamps else {})


def is_described_without_run(stamps: Mapping[str, Any]) -> bool:
    """Return whether an event without a run described it."""
    return bool(stamps.get(_ALONE))


def build_job_lineage(event: Event) -> Mapping[str, Any] | None:
    """Return the inputs and outputs in a JobEvent, None if it has none."""
    if event.run or not event.data:
        return None
    return {
        "inputs": _list_dataset_urns_of_mode(event, "read"),
        "outputs": _list_dataset_urns_of_mode(event, "write"),
        "columns": [_build_column_edge_document(edge) for edge in event.columns],
    }


def build_data_lineage(event: Event) -> Mapping[str, Any] | None:
    """Return the column lineage in a DatasetEvent, None if it has none."""
    if event.run or event.job is not None or not event.columns:
        return None
    return {"columns": [_build_column_edge_document(edge) for edge in event.columns]}


def is_preferred_over(urn: Urn, other: Urn, identity: IdentityRules) -> bool:
    """Return whether an entity takes precedence over another with the same OpenLineage name.

    A table is preferred to its files, and a job with a known engine to one without.
    """
    return _rank_urn(urn, identity) < _rank_urn(other, identity)


def _rank_urn(urn: Urn, identity: IdentityRules) -> tuple[bool, str]:
    if urn.type == "dataset":
        return not identity.is_home_dataset(urn), str(urn)
    return urn.parse_part_as_urn(0).parts[0] == NO_ENGINE, str(urn)


def _list_dataset_urns_of_mode(event: Event, mode: str) -> Sequence[str]:
    return sorted({str(dataset.urn) for dataset in event.data if dataset.mode == mode})


def _build_column_edge_document(edge: ColumnEdge) -> dict[str, str]:
    return {
        "source": str(edge.source),
        "sourceField": edge.source_field,
        "target": str(edge.target),
        "targetField": edge.target_field,
        "transformation": edge.transformation,
    }
