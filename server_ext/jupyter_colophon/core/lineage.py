"""A part of the lineage graph, as readers see it. Times are milliseconds since 1970."""

from dataclasses import dataclass
from typing import Literal

from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.run import AccessMode, Transformation

#: `both` is upstream and downstream, each on its own; `undirected` goes on from whatever a program touched (catalog.md 5.4).
Direction = Literal["both", "upstream", "downstream", "undirected"]


@dataclass(frozen=True, slots=True)
class Window:
    """A time window in ms: a run is in it when `run.start < end and (running or run.stop >= start)`."""

    start: int | None = None
    end: int | None = None

    @property
    def unbounded(self) -> bool:
        """Whether everything is in it."""
        return self.start is None and self.end is None


#: Bounds of an answer (native.md).
MAX_LEVELS, MAX_RELATIONS, DEFAULT_RELATIONS = 20, 10_000, 2_000
#: Everything that ever happened.
EVER = Window()


@dataclass(frozen=True, slots=True)
class LineageQuestion:
    """What part of the graph is asked for.

    `window` says when things ran, `as_of` what the catalog knew then. A walk goes on from `frontier` where there is
    one, and enters nothing that is in `visited`.
    """

    urn: Urn
    direction: Direction = "both"
    levels: int = 1
    window: Window = EVER
    limit: int = DEFAULT_RELATIONS
    columns: bool = False
    as_of: int | None = None
    frontier: tuple[str, ...] = ()
    visited: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Node:
    """Data or a program. `level` counts from the focus, negative upstream; hidden neighbours are not shown.

    An asserted one is no program: it stands for somebody who says what data is made of (catalog.md 5.5).
    `title` is what a program is called by who wrote it, empty where nobody said.
    """

    urn: str
    type: str
    namespace: str
    name: str
    platform: str | None
    level: int
    deleted: bool
    hidden_upstream: int
    hidden_downstream: int
    asserted: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class LineageEdge:
    """A read goes from data to program, a write from program to data. `said_by` is who recorded the newest run."""

    source: str
    target: str
    access: AccessMode
    runs: tuple[str, ...]
    run_count: int
    start: int
    end: int | None
    components: tuple[str, ...]
    said_by: str
    asserted: bool


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """A column made from another one, by a program."""

    source: str
    source_field: str
    target: str
    target_field: str
    program: str
    transformation: Transformation


@dataclass(frozen=True, slots=True)
class Lineage:
    """A bounded answer; `frontier` holds the nodes at its rim from which a walk can go on."""

    nodes: tuple[Node, ...]
    edges: tuple[LineageEdge, ...]
    columns: tuple[ColumnLineage, ...]
    truncated: bool
    frontier: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunListing:
    """Which runs to list: of a program, or that touched data, or all; in a window; with a status."""

    program: str = ""
    data: str = ""
    window: Window = EVER
    status: str = ""
    limit: int = 50
    cursor: str = ""
