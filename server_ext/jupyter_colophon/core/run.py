"""Runs and what they touched. Times are milliseconds since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from jupyter_colophon.core.names import Urn

RunStatus = Literal["running", "succeeded", "failed", "killed"]
AccessMode = Literal["read", "write", "both", "unknown"]
FactValue = str | int | float | bool
Transformation = Literal["identity", "transformation", "aggregation"]


@dataclass(frozen=True, slots=True)
class RunStart:
    """A run to record; (program, run_id) is its key."""

    program: Urn
    run_id: str
    start: int
    end: int | None = None
    status: RunStatus = "running"
    parent: str | None = None
    facts: Mapping[str, FactValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunChange:
    """How a run went on; what is None stays."""

    status: RunStatus | None = None
    end: int | None = None
    facts: Mapping[str, FactValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Access:
    """A run touches data."""

    data: Urn
    mode: AccessMode
    component: str = ""
    time: int | None = None


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
    """An access as it stands in the catalog."""

    data: str
    mode: AccessMode
    component: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Run:
    """A run as readers see it."""

    urn: str
    run_id: str
    program: str
    name: str
    status: RunStatus
    start: int
    end: int | None
    parent: str | None
    actor: str
    via: str | None
    facts: Mapping[str, FactValue]
    accesses: tuple[RecordedAccess, ...]
