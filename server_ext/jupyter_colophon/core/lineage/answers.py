"""What else is asked of lineage than a part of its graph: the ways between two nodes, what a change would reach, what changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import EVER, Direction, LineageEdge, Node, Window

DAY_MS = 86_400_000


@dataclass(frozen=True, slots=True)
class PathQuestion:
    """The shortest ways on which data flows from one node to another."""

    source: Urn
    target: Urn
    window: Window = EVER
    as_of: int | None = None


@dataclass(frozen=True, slots=True)
class Paths:
    """All nodes and edges on any of the shortest ways; `paths` are the first of them, `count` how many there are.

    `levels` is how long each is; None where none was found. `truncated` says that not everything was looked at, and
    no way was found, or that something of the edges was left out.
    """

    levels: int | None
    count: int
    paths: tuple[tuple[str, ...], ...]
    nodes: tuple[Node, ...]
    edges: tuple[LineageEdge, ...]
    truncated: bool


@dataclass(frozen=True, slots=True)
class Impact:
    """How much is downstream, by what it is; the owner is "" where nobody is named."""

    total: int
    by_type: Mapping[str, int]
    by_owner: Mapping[str, int]
    by_namespace: Mapping[str, int]
    truncated: bool


@dataclass(frozen=True, slots=True)
class DiffQuestion:
    """Which edges were added and removed between two times: an edge exists at a time if a run accessed the data in the `window` before it."""

    urn: Urn
    source: int
    target: int
    window: int = 7 * DAY_MS
    direction: Direction = "both"
    levels: int = 1
    limit: int = 2_000


@dataclass(frozen=True, slots=True)
class LineageDiff:
    """Edges that exist only at the second time (`added`) and only at the first (`removed`)."""

    added: tuple[LineageEdge, ...]
    removed: tuple[LineageEdge, ...]
    nodes: tuple[Node, ...]
    truncated: bool
