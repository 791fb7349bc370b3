"""Queries of lineage besides its graph: paths between two nodes, impact, and differences over time."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import ALL_TIME, Direction, LineageEdge, LineageNode, TimeWindow
from jupyter_colophon.core.time_format import DAY_MS

#: What differs between an edge at two times: how the program accesses the data, in which statements, the columns that
#: are derived, or the code of the program.
EdgeChange = Literal["access", "columns", "program", "statements"]


@dataclass(frozen=True, slots=True)
class PathRequest:
    """A query for the shortest paths on which data flows from one node to another."""

    source: Urn
    target: Urn
    window: TimeWindow = ALL_TIME
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class Paths:
    """All nodes and edges on any shortest path; `paths` are the first of the paths, `count` is their number.

    `levels` is the length of each, None if there is no path. `truncated` is true if the search stopped early without a
    path, or if edges were left out.
    """

    levels: int | None
    count: int
    paths: tuple[tuple[str, ...], ...]
    nodes: tuple[LineageNode, ...]
    edges: tuple[LineageEdge, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Impact:
    """The number of downstream entities by type, owner and namespace; the owner is "" for entities without one."""

    total: int
    by_type: Mapping[str, int]
    by_owner: Mapping[str, int]
    by_namespace: Mapping[str, int]
    truncated: bool


@dataclass(frozen=True, slots=True)
class NodeLabels:
    """The tags and the first owner of a node."""

    urn: str
    tags: tuple[str, ...]
    owner: str | None


@dataclass(frozen=True, slots=True)
class LineageDiffRequest:
    """A query for the edges added, removed and changed between two times.

    An edge exists at a time if a run accessed the data in the `window` before it.
    """

    urn: Urn
    source: int
    target: int
    window: int = 7 * DAY_MS
    direction: Direction = "both"
    levels: int = 1
    limit: int = 2_000


@dataclass(frozen=True, slots=True)
class ChangedEdge:
    """An edge that exists at two times and differs, as it is at the second one."""

    edge: LineageEdge
    changes: tuple[EdgeChange, ...]


@dataclass(frozen=True, slots=True)
class LineageDiff:
    """Edges that exist only at the second time (`added`), only at the first (`removed`), or at both and differ."""

    added: tuple[LineageEdge, ...]
    removed: tuple[LineageEdge, ...]
    changed: tuple[ChangedEdge, ...]
    nodes: tuple[LineageNode, ...]
    truncated: bool
