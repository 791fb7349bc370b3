"""The aspect `openLineage` of a dataset or a job: how OpenLineage calls it, its facets, and what lineage it has without a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.identity.openlineage_names import NO_ENGINE
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.core.openlineage.event import Event, Spelling
from jupyter_colophon.core.openlineage.facets import Facets, merged

ASPECT: Final = "openLineage"
EMPTY: Final[Mapping[str, Any]] = {"names": [], "facets": {}}
_NAMES_MOST: Final = 20
_LINEAGE: Final = "lineage"
_ALONE: Final = "alone"


@dataclass(frozen=True, slots=True)
class Telling:
    """What one event says of a dataset or a job. `lineage` is None where that is said of a run, or not at all."""

    spelling: Spelling
    facets: Facets
    time: int
    lineage: Mapping[str, Any] | None = None
    #: Whether no run is needed for it.
    alone: bool = False


def after(old: Mapping[str, Any], stamps: Mapping[str, Any], told: Telling) -> tuple[dict[str, Any], dict[str, Any]]:
    """The aspect's value, and when its parts were said, once this has come, too."""
    facets, times = merged(old["facets"], stamps.get("facets", {}), told.facets, told.time)
    names = {Spelling(**one) for one in old["names"]} | {told.spelling}
    shown = [{"namespace": one.namespace, "name": one.name} for one in sorted(names)[:_NAMES_MOST]]
    new, when = {"names": shown, "facets": facets}, {"facets": times, _ALONE: told.alone or is_alone(stamps)}
    known = (stamps.get(_LINEAGE, -1), compact(old.get(_LINEAGE)))
    if told.lineage is not None and (told.time, compact(told.lineage)) > known:
        return new | {_LINEAGE: dict(told.lineage)}, when | {_LINEAGE: told.time}
    kept = {_LINEAGE: old[_LINEAGE]} if _LINEAGE in old else {}
    return new | kept, when | ({_LINEAGE: stamps[_LINEAGE]} if _LINEAGE in stamps else {})


def is_alone(stamps: Mapping[str, Any]) -> bool:
    """Whether something was said of it that is about no run."""
    return bool(stamps.get(_ALONE))


def job_lineage(event: Event) -> Mapping[str, Any] | None:
    """What a JobEvent says that its job reads and writes; None where it says nothing of that."""
    if event.run or not event.data:
        return None
    return {
        "inputs": _urns(event, "read"),
        "outputs": _urns(event, "write"),
        "columns": [_column(edge) for edge in event.columns],
    }


def data_lineage(event: Event) -> Mapping[str, Any] | None:
    """What a DatasetEvent says that the columns of its dataset are made of; None where it says nothing of that."""
    if event.run or event.job is not None or not event.columns:
        return None
    return {"columns": [_column(edge) for edge in event.columns]}


def is_better(urn: Urn, than: Urn, identity: Identity) -> bool:
    """Whether of two things that OpenLineage calls the same this one is meant: a table rather than its files, a job of
    an engine that is known."""
    return _rank(urn, identity) < _rank(than, identity)


def _rank(urn: Urn, identity: Identity) -> tuple[bool, str]:
    if urn.type == "dataset":
        return not identity.is_home(urn), str(urn)
    return urn.nested(0).parts[0] == NO_ENGINE, str(urn)


def _urns(event: Event, mode: str) -> Sequence[str]:
    return sorted({str(one.urn) for one in event.data if one.mode == mode})


def _column(edge: ColumnEdge) -> dict[str, str]:
    return {
        "source": str(edge.source),
        "sourceField": edge.source_field,
        "target": str(edge.target),
        "targetField": edge.target_field,
        "transformation": edge.transformation,
    }
