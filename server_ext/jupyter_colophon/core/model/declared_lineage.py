"""Read lineage that is declared by aspects, without a run: the sources of datasets and columns (spec LINEAGE-7).

If the aspect belongs to a job, the edges are that job's. Otherwise they go through a placeholder program with the
application `-` in the namespace of the dataset, named after the source of the declaration. Each dataset has its own
placeholder for each source: a shared one would make everything that a source declares upstream of everything else.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast, get_args

from jupyter_colophon.core.errors import InvalidName, Problem
from jupyter_colophon.core.identity.names import (
    APPLICATION_ORCHESTRATOR,
    Urn,
    is_valid_namespace_name,
    make_data_flow_urn,
    make_data_job_urn,
)
from jupyter_colophon.core.identity.urn import PREFIX, decode_urn_text
from jupyter_colophon.core.lineage.run import Transformation

ASPECT: Final = "upstreamLineage"
JOB_ASPECT: Final = "dataJobInputOutput"
OPENLINEAGE_ASPECT: Final = "openLineage"
#: The aspects that declare lineage.
ASPECTS: Final = (ASPECT, JOB_ASPECT, OPENLINEAGE_ASPECT)
#: The application of such programs, which lineage keys show (`job.<namespace>.-.<source>`).
APPLICATION: Final = "-"
#: The most edges between columns that one aspect may declare.
COLUMNS_MOST: Final = 200_000
_TYPE: Final = "jobs"
_SOURCE_CHARACTERS: Final = 120
_MARK: Final = "asserted:"
#: What the URNs of placeholder programs begin with, before the namespace.
_PLACEHOLDER: Final = f"{PREFIX}dataJob:({PREFIX}dataFlow:({APPLICATION_ORCHESTRATOR},{APPLICATION},"
_FIELD: Final = f"{PREFIX}schemaField:("
#: Target, its field, source, its field.
Column = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class DeclaredLineage:
    """The lineage in one value of an aspect: datasets read, datasets written, and column edges with their
    transformation.
    """

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    columns: Mapping[Column, Transformation] | None = None

    @property
    def datasets(self) -> set[tuple[str, str]]:
        """Return each dataset with its kind of access."""
        return {(urn, "read") for urn in self.reads} | {(urn, "write") for urn in self.writes}

    def rename_entities(self, names: Mapping[str, str]) -> "DeclaredLineage":
        """Return the same lineage with entities renamed by `names`, old URN to new."""
        columns = {
            (names.get(target, target), target_field, names.get(source, source), source_field): how
            for (target, target_field, source, source_field), how in (self.columns or {}).items()
        }
        reads, writes = (frozenset(names.get(urn, urn) for urn in urns) for urns in (self.reads, self.writes))
        return DeclaredLineage(reads, writes, columns)


def parse_declared_lineage(aspect: str, urn: str, value: Mapping[str, Any] | None) -> DeclaredLineage:
    """Return the lineage in an aspect's value; empty if there is no value or the aspect cannot declare lineage."""
    kind = urn.removeprefix(PREFIX).partition(":")[0]
    if value is None or (aspect, kind) not in _READERS:
        return DeclaredLineage()
    return _READERS[aspect, kind](urn, value)


@lru_cache(maxsize=256)
def list_declaring_aspects(kind: str) -> tuple[str, ...]:
    """Return the aspects that declare lineage for entities of this type."""
    return tuple(aspect for aspect, type_ in _READERS if type_ == kind)


def get_program_urn_of_declared_edges(urn: str, namespace: str, actor: str) -> str:
    """Return the URN of the program that carries the edges an actor declares on this entity; a job carries its own."""
    return urn if urn.startswith(f"{PREFIX}dataJob:") else str(make_placeholder_program_urn(namespace, actor, urn))


def make_placeholder_program_urn(namespace: str, source: str, data: str) -> Urn:
    """Return the URN of the placeholder program for what `source` declares about a dataset."""
    printable = (
        "".join(character if character.isprintable() else "?" for character in source)[:_SOURCE_CHARACTERS] or "?"
    )
    digest = hashlib.sha256(data.encode()).hexdigest()[:16]
    return make_data_job_urn(
        make_data_flow_urn(APPLICATION_ORCHESTRATOR, APPLICATION, namespace), f"{_TYPE}.{printable}#{digest}"
    )


class Placeholder(NamedTuple):
    """What the URN of a placeholder program contains."""

    namespace: str
    source: str


def parse_placeholder(urn: str) -> Placeholder | None:
    """Parse a URN made by `make_placeholder_program_urn`; None for every other URN.

    It parses the canonical text itself, since a graph may have thousands of placeholders.
    """
    if not urn.startswith(_PLACEHOLDER):
        return None
    namespace, _, name = urn.removeprefix(_PLACEHOLDER).removesuffix(")").partition("),")
    source, hash_, _ = name.removeprefix(f"{_TYPE}.").rpartition("#")
    if not hash_ or not name.startswith(f"{_TYPE}.") or not is_valid_namespace_name(namespace):
        return None
    return Placeholder(namespace, decode_urn_text(source))


def parse_placeholder_source(urn: str) -> str | None:
    """Return the source in a URN made by `make_placeholder_program_urn`, None for every other URN."""
    placeholder = parse_placeholder(urn)
    return None if placeholder is None else placeholder.source


def format_version_mark(urn: str, version: int, aspect: str = ASPECT) -> str:
    """Return the text that stands for a run: the period during which a version of an aspect is in force."""
    return f"{_MARK}{version}:{urn}" if aspect == ASPECT else f"{_MARK}{aspect}/{version}:{urn}"


def has_version_marks(list_runs_after: Callable[[str, int], Sequence[str]]) -> bool:
    """Return whether any lineage is declared; `list_runs_after` returns the runs after a text, in their order."""
    return any(map(is_version_mark, list_runs_after(_MARK, 1)))


def is_version_mark(run: str) -> bool:
    """Return whether a text was made by `format_version_mark`; otherwise it is a run."""
    return run.startswith(_MARK)


def parse_version_mark(run: str) -> tuple[str, str, int] | None:
    """Return entity, aspect and version of a text made by `format_version_mark`, None for a run."""
    if not run.startswith(_MARK):
        return None
    aspect_version, _, urn = run.removeprefix(_MARK).partition(":")
    aspect, slash, version = aspect_version.partition("/")
    return (urn, aspect, int(version)) if slash else (urn, ASPECT, int(aspect_version))


def find_declared_lineage_problems(aspect: str, value: Mapping[str, Any]) -> Sequence[Problem]:
    """Return the problems of a value that satisfies its schema."""
    wrong = [
        Problem(pointer, message)
        for pointer, urn in _list_declared_dataset_urns(aspect, value)
        if (message := _describe_dataset_urn_problem(urn))
    ]
    wrong += [
        Problem(pointer, message)
        for pointer, urn in _list_fine_grained_urns(value)
        if (message := _describe_lineage_end_problem(urn))
    ]
    if not wrong and sum(len(a) * len(b) for a, b, _ in _parse_fine_grained_lineages(value)) > COLUMNS_MOST:
        wrong.append(Problem("/fineGrainedLineages", f"declares more than {COLUMNS_MOST} edges between columns"))
    return wrong


def _describe_dataset_urn_problem(urn: str) -> str:
    try:
        return "" if Urn.parse(urn).type == "dataset" else "is not a dataset"
    except InvalidName as error:
        return error.detail


def _describe_lineage_end_problem(urn: str) -> str:
    """Return the problem of an end of fine-grained lineage, which is a field or a dataset; empty if there is none."""
    try:
        return (
            ""
            if _split_field_urn(urn)[1] is not None or Urn.parse(urn).type == "dataset"
            else "is neither a field nor a dataset"
        )
    except InvalidName as error:
        return error.detail


def _split_field_urn(urn: str) -> tuple[str, str | None]:
    """Return dataset and path of a field; for anything else the URN and None. Raises InvalidName."""
    if not urn.startswith(_FIELD) or not urn.endswith(")"):
        return urn, None
    data, _, path = urn[len(_FIELD) : -1].rpartition(",")
    dataset = _canonicalize_dataset_urn(data)
    if dataset is None or not path:
        return urn, None
    return dataset, decode_urn_text(path) if "%" in path else path


@lru_cache(maxsize=1024)
def _canonicalize_dataset_urn(text: str) -> str | None:
    """Return a dataset's URN in canonical form, None for anything else; cached, since thousands of fields share a few."""
    urn = Urn.parse(text)
    return str(urn) if urn.type == "dataset" else None


_DATA: Final[Mapping[str, Mapping[str, tuple[str, str | None]]]] = {
    ASPECT: {"upstreams": ("read", "dataset")},
    JOB_ASPECT: {
        "inputDatasets": ("read", None),
        "inputDatasetEdges": ("read", "destinationUrn"),
        "outputDatasets": ("write", None),
        "outputDatasetEdges": ("write", "destinationUrn"),
    },
}
#: Lists of an aspect that hold fields, with the kind of access they stand for.
_FIELDS: Final[Mapping[str, str]] = {"inputDatasetFields": "read", "outputDatasetFields": "write"}


def _list_declared_dataset_urns(aspect: str, value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if aspect == OPENLINEAGE_ASPECT:
        yield from _list_openlineage_dataset_urns(value.get("lineage") or {})
    for name, (_, member) in _DATA.get(aspect, {}).items():
        for at, item in enumerate(value.get(name) or ()):
            yield (f"/{name}/{at}", item) if member is None else (f"/{name}/{at}/{member}", item[member])


def _list_openlineage_dataset_urns(lineage: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for side in ("inputs", "outputs"):
        for at, item in enumerate(lineage.get(side) or ()):
            yield f"/lineage/{side}/{at}", item
    for at, column in enumerate(lineage.get("columns") or ()):
        for end in ("source", "target"):
            yield f"/lineage/columns/{at}/{end}", column[end]


def _list_fine_grained_urns(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in _FIELDS:
        for at, item in enumerate(value.get(name) or ()):
            yield f"/{name}/{at}", item
    for at, item in enumerate(value.get("fineGrainedLineages") or ()):
        for side in ("upstreams", "downstreams"):
            for number, urn in enumerate(item.get(side) or ()):
                yield f"/fineGrainedLineages/{at}/{side}/{number}", urn


def _parse_datahub_lineage_aspect(
    aspect: str, value: Mapping[str, Any]
) -> tuple[set[str], set[str], dict[Column, Transformation]]:
    """Return the datasets read, the datasets written and the column edges in one of DataHub's aspects."""
    touched: dict[str, set[str]] = {"read": set(), "write": set()}
    for name, (mode, member) in _DATA[aspect].items():
        touched[mode].update(str(Urn.parse(item if member is None else item[member])) for item in value.get(name) or ())
    for name, mode in _FIELDS.items():
        touched[mode].update(_split_field_urn(item)[0] for item in value.get(name) or ())
    columns: dict[Column, Transformation] = {}
    for sources, targets, how in _parse_fine_grained_lineages(value):
        for source, field in sources:
            touched["read"].add(source)
            for target, target_field in targets if field is not None else ():
                if target_field is not None:
                    columns[target, target_field, source, field or ""] = how
    return touched["read"], touched["write"], columns


_End = tuple[str, str | None]


def _parse_fine_grained_lineages(value: Mapping[str, Any]) -> Iterator[tuple[list[_End], list[_End], Transformation]]:
    for item in value.get("fineGrainedLineages") or ():
        ends = [[_split_field_urn(end) for end in item.get(side) or ()] for side in ("upstreams", "downstreams")]
        yield ends[0], ends[1], _map_operation_to_transformation(item.get("transformOperation") or "")


def _map_operation_to_transformation(operation: str) -> Transformation:
    """Map DataHub's operation, any text, to a transformation."""
    if not operation:
        return "transformation"
    word = operation.lower()
    if word in get_args(Transformation):
        return cast("Transformation", word)
    return "identity" if word in ("copy", "none") else "aggregation" if word.startswith("agg") else "transformation"


def _parse_dataset_lineage(urn: str, value: Mapping[str, Any]) -> DeclaredLineage:
    reads, _, columns = _parse_datahub_lineage_aspect(ASPECT, value)
    writes = {urn} if reads else set()
    return DeclaredLineage(frozenset(reads), frozenset(writes), columns)


def _parse_job_lineage(urn: str, value: Mapping[str, Any]) -> DeclaredLineage:
    reads, writes, columns = _parse_datahub_lineage_aspect(JOB_ASPECT, value)
    writes |= {column[0] for column in columns}
    return DeclaredLineage(frozenset(reads), frozenset(writes), columns)


def _parse_openlineage_aspect(urn: str, value: Mapping[str, Any]) -> DeclaredLineage:
    """Return the lineage of OpenLineage events that belong to no run."""
    lineage = value.get("lineage") or {}
    columns = {
        (edge["target"], edge["targetField"], edge["source"], edge["sourceField"]): edge["transformation"]
        for edge in lineage.get("columns") or ()
    }
    reads, writes = set(lineage.get("inputs") or ()), set(lineage.get("outputs") or ())
    reads |= {column[2] for column in columns}
    writes |= {column[0] for column in columns}
    return DeclaredLineage(frozenset(reads), frozenset(writes), columns)


_READERS: Final[Mapping[tuple[str, str], Callable[[str, Mapping[str, Any]], DeclaredLineage]]] = {
    (ASPECT, "dataset"): _parse_dataset_lineage,
    (JOB_ASPECT, "dataJob"): _parse_job_lineage,
    (OPENLINEAGE_ASPECT, "dataset"): _parse_openlineage_aspect,
    (OPENLINEAGE_ASPECT, "dataJob"): _parse_openlineage_aspect,
}
