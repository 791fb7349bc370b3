"""Lineage without a run: what an aspect says that data, and columns, are made of (spec LINEAGE-7).

Where the aspect names the job, the edges are that job's. Where it names none, they are shown through a program `-` of
the data's namespace that is named for who says so. Each data has one of its own for each source: one for all would make
everything that a source speaks of upstream of everything else.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast, get_args

from jupyter_colophon.core.errors import InvalidName, Problem
from jupyter_colophon.core.identity.names import APPLICATION_ORCHESTRATOR, Urn, data_flow, data_job, program_of
from jupyter_colophon.core.identity.urn import PREFIX, decoded
from jupyter_colophon.core.lineage.run import Transformation

ASPECT: Final = "upstreamLineage"
JOB_ASPECT: Final = "dataJobInputOutput"
OPENLINEAGE_ASPECT: Final = "openLineage"
#: Those that say what lineage is.
ASPECTS: Final = (ASPECT, JOB_ASPECT, OPENLINEAGE_ASPECT)
#: The application of such programs, which lineage keys show (`job.<namespace>.-.<source>`).
APPLICATION: Final = "-"
#: Of more edges between columns an aspect is refused.
COLUMNS_MOST: Final = 200_000
_TYPE: Final = "jobs"
_SOURCE_CHARACTERS: Final = 120
_MARK: Final = "asserted:"
_FIELD: Final = f"{PREFIX}schemaField:("
#: Target, its field, source, its field.
Column = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Told:
    """What one value of an aspect says: data that is read, data that is made, and columns with how they are made."""

    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()
    columns: Mapping[Column, Transformation] | None = None

    @property
    def touched(self) -> set[tuple[str, str]]:
        """Data, and the kind of access to it."""
        return {(urn, "read") for urn in self.reads} | {(urn, "write") for urn in self.writes}

    def renamed(self, names: Mapping[str, str]) -> "Told":
        """Return the same of entities that have other names now."""
        columns = {
            (names.get(target, target), made, names.get(source, source), field): how
            for (target, made, source, field), how in (self.columns or {}).items()
        }
        reads, writes = (frozenset(names.get(urn, urn) for urn in urns) for urns in (self.reads, self.writes))
        return Told(reads, writes, columns)


def told(aspect: str, urn: str, value: Mapping[str, Any] | None) -> Told:
    """What a value of the aspect of an entity says; nothing where it is no value, or not that of data or of a job."""
    kind = urn.removeprefix(PREFIX).partition(":")[0]
    if value is None or (aspect, kind) not in _READERS:
        return Told()
    return _READERS[aspect, kind](urn, value)


def asserting(kind: str) -> list[str]:
    """The aspects of entities of this type that say what lineage is."""
    return [aspect for aspect, type_ in _READERS if type_ == kind]


def carrier(urn: str, namespace: str, actor: str) -> str:
    """Through what the edges go that an actor asserts with an aspect of this entity: a job is its own."""
    return urn if urn.startswith(f"{PREFIX}dataJob:") else str(program(namespace, actor, urn))


def program(namespace: str, source: str, data: str) -> Urn:
    """What stands for the program, where `source` says what this data is made of."""
    shown = "".join(character if character.isprintable() else "?" for character in source)[:_SOURCE_CHARACTERS] or "?"
    which = hashlib.sha256(data.encode()).hexdigest()[:16]
    return data_job(data_flow(APPLICATION_ORCHESTRATOR, APPLICATION, namespace), f"{_TYPE}.{shown}#{which}")


def source_of(urn: Urn) -> str | None:
    """Who says so, of what `program` made; None for every other URN."""
    found = program_of(urn)
    if found is None or found[1:3] != (APPLICATION, _TYPE):
        return None
    source, hash_, _ = found[3].rpartition("#")
    return source if hash_ else None


def while_in_force(urn: str, version: int, aspect: str = ASPECT) -> str:
    """What stands for a run: the time during which a version of an aspect is in force."""
    return f"{_MARK}{version}:{urn}" if aspect == ASPECT else f"{_MARK}{aspect}/{version}:{urn}"


def in_force(run: str) -> tuple[str, str, int] | None:
    """Entity, aspect and version, of what `while_in_force` made; None for a run."""
    if not run.startswith(_MARK):
        return None
    which, _, urn = run.removeprefix(_MARK).partition(":")
    aspect, slash, version = which.partition("/")
    return (urn, aspect, int(version)) if slash else (urn, ASPECT, int(which))


def problems(aspect: str, value: Mapping[str, Any]) -> Sequence[Problem]:
    """What is wrong with a value that its schema takes."""
    wrong = [Problem(pointer, told) for pointer, one in _data(aspect, value) if (told := _wrong(one))]
    wrong += [Problem(pointer, told) for pointer, one in _field_urns(value) if (told := _wrong_end(one))]
    if not wrong and sum(len(a) * len(b) for a, b, _ in _fine_grained(value)) > COLUMNS_MOST:
        wrong.append(Problem("/fineGrainedLineages", f"makes more than {COLUMNS_MOST} edges between columns"))
    return wrong


def _wrong(urn: str) -> str:
    try:
        return "" if Urn.parse(urn).type == "dataset" else "is no dataset"
    except InvalidName as error:
        return error.detail


def _wrong_end(urn: str) -> str:
    """What is wrong with the end of fine-grained lineage: a field, or data as a whole."""
    try:
        return "" if _field(urn)[1] is not None or Urn.parse(urn).type == "dataset" else "is no field and no dataset"
    except InvalidName as error:
        return error.detail


def _field(urn: str) -> tuple[str, str | None]:
    """Data and path of a field; of anything else no path. Raises InvalidName."""
    if not urn.startswith(_FIELD) or not urn.endswith(")"):
        return urn, None
    data, _, path = urn[len(_FIELD) : -1].rpartition(",")
    found = _dataset(data)
    if found is None or not path:
        return urn, None
    return found, decoded(path) if "%" in path else path


@lru_cache(maxsize=1024)
def _dataset(text: str) -> str | None:
    """The dataset whose URN this is, as it is written; None for anything else. Thousands of fields are of a few."""
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
#: Lists of an aspect, with the access that their members are and the member of each that names the data.
_FIELDS: Final[Mapping[str, str]] = {"inputDatasetFields": "read", "outputDatasetFields": "write"}


def _data(aspect: str, value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if aspect == OPENLINEAGE_ASPECT:
        yield from _data_of_openlineage(value.get("lineage") or {})
    for name, (_, member) in _DATA.get(aspect, {}).items():
        for at, one in enumerate(value.get(name) or ()):
            yield (f"/{name}/{at}", one) if member is None else (f"/{name}/{at}/{member}", one[member])


def _data_of_openlineage(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for side in ("inputs", "outputs"):
        for at, one in enumerate(told.get(side) or ()):
            yield f"/lineage/{side}/{at}", one
    for at, column in enumerate(told.get("columns") or ()):
        for end in ("source", "target"):
            yield f"/lineage/columns/{at}/{end}", column[end]


def _field_urns(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name in _FIELDS:
        for at, one in enumerate(value.get(name) or ()):
            yield f"/{name}/{at}", one
    for at, one in enumerate(value.get("fineGrainedLineages") or ()):
        for side in ("upstreams", "downstreams"):
            for number, urn in enumerate(one.get(side) or ()):
                yield f"/fineGrainedLineages/{at}/{side}/{number}", urn


def _of_aspect(aspect: str, value: Mapping[str, Any]) -> tuple[set[str], set[str], dict[Column, Transformation]]:
    """What is read, made, and the columns, of one of DataHub's aspects."""
    touched: dict[str, set[str]] = {"read": set(), "write": set()}
    for name, (mode, member) in _DATA[aspect].items():
        touched[mode].update(str(Urn.parse(one if member is None else one[member])) for one in value.get(name) or ())
    for name, mode in _FIELDS.items():
        touched[mode].update(_field(one)[0] for one in value.get(name) or ())
    columns: dict[Column, Transformation] = {}
    for sources, targets, how in _fine_grained(value):
        for source, field in sources:
            touched["read"].add(source)
            for target, made in targets if field is not None else ():
                if made is not None:
                    columns[target, made, source, field or ""] = how
    return touched["read"], touched["write"], columns


_End = tuple[str, str | None]


def _fine_grained(value: Mapping[str, Any]) -> Iterator[tuple[list[_End], list[_End], Transformation]]:
    for one in value.get("fineGrainedLineages") or ():
        ends = [[_field(end) for end in one.get(side) or ()] for side in ("upstreams", "downstreams")]
        yield ends[0], ends[1], _how(one.get("transformOperation") or "")


def _how(operation: str) -> Transformation:
    """DataHub takes any word for an operation."""
    if not operation:
        return "transformation"
    word = operation.lower()
    if word in get_args(Transformation):
        return cast("Transformation", word)
    return "identity" if word in ("copy", "none") else "aggregation" if word.startswith("agg") else "transformation"


def _of_data(urn: str, value: Mapping[str, Any]) -> Told:
    reads, _, columns = _of_aspect(ASPECT, value)
    writes = {urn} if reads else set()
    return Told(frozenset(reads), frozenset(writes), columns)


def _of_job(urn: str, value: Mapping[str, Any]) -> Told:
    reads, writes, columns = _of_aspect(JOB_ASPECT, value)
    writes |= {column[0] for column in columns}
    return Told(frozenset(reads), frozenset(writes), columns)


def _of_openlineage(urn: str, value: Mapping[str, Any]) -> Told:
    """The lineage of OpenLineage's events that tell of no run."""
    said = value.get("lineage") or {}
    columns = {
        (one["target"], one["targetField"], one["source"], one["sourceField"]): one["transformation"]
        for one in said.get("columns") or ()
    }
    reads, writes = set(said.get("inputs") or ()), set(said.get("outputs") or ())
    reads |= {column[2] for column in columns}
    writes |= {column[0] for column in columns}
    return Told(frozenset(reads), frozenset(writes), columns)


_READERS: Final[Mapping[tuple[str, str], Callable[[str, Mapping[str, Any]], Told]]] = {
    (ASPECT, "dataset"): _of_data,
    (JOB_ASPECT, "dataJob"): _of_job,
    (OPENLINEAGE_ASPECT, "dataset"): _of_openlineage,
    (OPENLINEAGE_ASPECT, "dataJob"): _of_openlineage,
}
