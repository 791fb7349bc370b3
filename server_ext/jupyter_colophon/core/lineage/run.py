"""Runs and what they touched. Times are milliseconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from jupyter_colophon.core.documents.members import HIDDEN, Member, Time
from jupyter_colophon.core.identity.names import Urn

RunStatus = Literal["running", "succeeded", "failed", "killed"]
AccessMode = Literal["read", "write", "both", "unknown"]
#: What an entity is to a run.
Role = Literal["program", "application", "data"]
FactValue = str | int | float | bool
#: How a column was made of another: what flowed is one of the first three, the others only steered what came out.
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
    """How a run went on; what is None stays."""

    status: RunStatus | None = None
    end: Time | None = None
    facts: Mapping[str, FactValue] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)
    #: Data that statements which failed would have written; added to what is known.
    intended: Annotated[tuple[Urn, ...], _INTENDED] = ()


@dataclass(frozen=True, slots=True)
class Said:
    """Properties and tags of one scope, as they were when a run touched something first."""

    properties: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The metadata of an entity when a run first accessed something; SYSTEM metadata only if configured."""

    user: Said = field(default_factory=Said)
    system: Said | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """A run touches data."""

    data: Urn
    mode: AccessMode
    component: str = ""
    time: Time | None = None
    #: The metadata of the dataset at that time, if the caller knows them; the catalog's otherwise.
    snapshot: Annotated[Snapshot | None, HIDDEN] = None
    #: The namespace that the data have to be in; "" where the caller names none.
    namespace: Annotated[str, HIDDEN] = ""
    #: The statement that it belongs to, by its number within one call; None where it belongs to none.
    statement: int | None = None


@dataclass(frozen=True, slots=True)
class Recording:
    """A report about a run in one call: a new run starts, a known one continues.

    Its program, in this namespace ("" where the caller names none), and the data have to be there. What is None stays.
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


@dataclass(frozen=True, slots=True)
class Source:
    """Somebody outside who writes into streams, on a UTC day: the day, with its first and last ms, is the run."""

    urn: Urn
    day: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ColumnEdge:
    """A column made from another one."""

    source: Urn
    source_field: str
    target: Urn
    target_field: str
    transformation: Transformation


@dataclass(frozen=True, slots=True)
class RecordedAccess:
    """An access as it stands in the catalog, with the statements of the run that it belongs to."""

    data: str
    mode: AccessMode
    component: str
    first: Time
    last: Time
    statements: tuple[str, ...] = ()


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
    #: URNs of data that statements which failed would have written: no access, and no part of lineage.
    intended: Annotated[tuple[str, ...], _INTENDED] = ()
    accesses: tuple[RecordedAccess, ...] = ()


@dataclass(frozen=True, slots=True)
class Touched:
    """A run's relation to an entity, with its metadata at that time. Program and application have no mode."""

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
    snapshot: Snapshot
