"""Runs and their accesses. Times are milliseconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from jupyter_colophon.core.documents.members import HIDDEN, OMIT_DEFAULT, Member, Time
from jupyter_colophon.core.identity.names import Urn

RunStatus = Literal["running", "succeeded", "failed", "killed"]
AccessMode = Literal["read", "write", "both", "unknown"]
#: The role of an entity in a run.
Role = Literal["program", "application", "data"]
FactValue = str | int | float | bool
#: How a column was derived from another: in the first three its values flowed, in the others they only affected the
#: result.
Transformation = Literal[
    "identity",
    "transformation",
    "aggregation",
    "join",
    "group_by",
    "filter",
    "sort",
    "window",
    "conditional",
    "indirect",
]

#: The transformations in which values flow from one column into the other.
VALUE_TRANSFORMATIONS: Final[frozenset[Transformation]] = frozenset({"identity", "transformation", "aggregation"})

#: The status of a run that has not ended.
RUNNING: Literal["running"] = "running"
_INTENDED: Final = Member("intendedOutputs")


@dataclass(frozen=True, slots=True)
class RunStart:
    """A run to record; (program, run_id) is its key."""

    program: Urn
    run_id: str
    start: Time
    end: Time | None = None
    status: RunStatus = "running"
    parent: str | None = None
    facts: Mapping[str, FactValue] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunChange:
    """A change of a run; None leaves a member unchanged."""

    status: RunStatus | None = None
    end: Time | None = None
    facts: Mapping[str, FactValue] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    #: The datasets that failed statements would have written; added to the known ones.
    intended: Annotated[tuple[Urn, ...], _INTENDED] = ()


@dataclass(frozen=True, slots=True)
class ScopeSnapshot:
    """Properties and tags of one scope at the first access of a run."""

    properties: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EntitySnapshot:
    """The metadata of an entity when a run first accessed something; SYSTEM metadata only if configured."""

    user: ScopeSnapshot = field(default_factory=ScopeSnapshot)
    system: ScopeSnapshot | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """An access of a run to a dataset."""

    data: Urn
    mode: AccessMode
    component: str = ""
    time: Time | None = None
    #: The metadata of the dataset at that time, if the caller knows it; otherwise that of the catalog is used.
    snapshot: Annotated[EntitySnapshot | None, HIDDEN] = None
    #: The namespace that must contain the dataset; "" for any.
    namespace: Annotated[str, HIDDEN] = ""
    #: The number of its statement within one call; None if it belongs to none.
    statement: int | None = None
    #: The version of a Delta or Iceberg table that was read or written; "" if unknown.
    table_version: str = ""


@dataclass(frozen=True, slots=True)
class RunUpsert:
    """A report about a run: a new run is started, a known one updated.

    Its program, in this namespace ("" for any), and the data must exist. None leaves a member unchanged.
    """

    program: Urn
    run_id: str
    namespace: str = ""
    start: int | None = None
    end: int | None = None
    status: RunStatus | None = None
    parent: str | None = None
    facts: Mapping[str, FactValue] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    accesses: tuple[Access, ...] = ()
    columns: tuple["ColumnEdge", ...] = ()


@dataclass(frozen=True, slots=True)
class StreamWriter:
    """An external client that writes into streams on a UTC day: the day, with its first and last ms, is the run."""

    urn: Urn
    day: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """A column derived from another one."""

    source: Urn
    source_field: str
    target: Urn
    target_field: str
    transformation: Transformation


@dataclass(frozen=True, slots=True)
class RecordedAccess:
    """A recorded access, with the statements of the run that it belongs to."""

    data: str
    mode: AccessMode
    component: str
    first: Time
    last: Time
    statements: tuple[str, ...] = ()
    #: The versions of a table that were read or written, in the order in which they were recorded.
    table_versions: Annotated[tuple[str, ...], OMIT_DEFAULT] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """A run as readers see it."""

    urn: str
    run_id: str
    program: str
    name: str
    status: RunStatus
    start: Time
    end: Time | None
    parent: str | None
    actor: str
    via: str | None
    facts: Mapping[str, FactValue]
    arguments: Mapping[str, str] = field(default_factory=dict)
    #: URNs of datasets that failed statements would have written; they are not accesses and not part of lineage.
    intended: Annotated[tuple[str, ...], _INTENDED] = ()
    accesses: tuple[RecordedAccess, ...] = ()
    #: The present title of the program, empty if it has none.
    title: Annotated[str, OMIT_DEFAULT] = ""


@dataclass(frozen=True, slots=True)
class RunEntity:
    """A run's relation to an entity, with the entity's metadata at that time. Programs and applications have no mode."""

    urn: str
    role: Role
    type: str
    namespace: str
    name: str
    deleted: bool
    mode: AccessMode | None
    component: str
    first: Time
    last: Time
    snapshot: EntitySnapshot
    table_versions: Annotated[tuple[str, ...], OMIT_DEFAULT] = ()
