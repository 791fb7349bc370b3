"""A part of the lineage graph, as readers see it. Times are milliseconds since 1970."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Literal

from jupyter_colophon.core.documents.members import HIDDEN, OMIT_DEFAULT, Time
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import AccessMode, Transformation

#: `both` is upstream and downstream, each on its own; `undirected` goes on from whatever a program touched (spec LINEAGE-4).
Direction = Literal["both", "upstream", "downstream", "undirected"]
EdgeAccess = AccessMode | Literal["declared"]


@dataclass(frozen=True, slots=True)
class Window:
    """A time window in ms: a run is in it when `run.start < end and (running or run.stop >= start)`."""

    start: int | None = None
    end: int | None = None

    @property
    def unbounded(self) -> bool:
        """Whether everything is in it."""
        return self.start is None and self.end is None


#: Bounds of an answer (spec LINEAGE-8).
MAX_LEVELS, MAX_RELATIONS, DEFAULT_RELATIONS = 20, 10_000, 2_000
#: How many components of an edge are in an answer.
COMPONENTS_MAX = 20
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

    A declared node is not a program: it represents the author of declared lineage (spec LINEAGE-7).
    `title` is the name that its author gave a program, empty if none was given. With `hidden_at_least` the hidden
    neighbours were not counted to the end.
    """

    urn: str
    type: str
    namespace: str
    name: str
    platform: str | None
    level: int
    deleted: bool
    hidden_upstream: Annotated[int, HIDDEN]
    hidden_downstream: Annotated[int, HIDDEN]
    declared: Annotated[bool, HIDDEN] = False
    title: Annotated[str, OMIT_DEFAULT] = ""
    hidden_at_least: Annotated[bool, HIDDEN] = False


@dataclass(frozen=True, slots=True)
class LineageEdge:
    """A read goes from data to program, a write from program to data; what is declared goes from data to data.

    `reported_by` is who recorded the newest run. `statements` are those of the program over which the edge was met: data flows
    from an edge into a program to one out of it only where both have none, or one in common.
    """

    source: str
    target: str
    access: EdgeAccess
    runs: tuple[str, ...]
    run_count: int
    start: Time
    end: Time | None
    components: tuple[str, ...]
    reported_by: str
    declared: bool
    statements: tuple[str, ...] = ()


def flows_on(into: Collection[str], out_of: Collection[str]) -> bool:
    """Return whether data flows from an edge into a program to one out of it, by the statements of both."""
    return not {*(into or ("",))}.isdisjoint(out_of or ("",))


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """A column made from another one, by a program; None where that is declared and names none."""

    source: str
    source_field: str
    target: str
    target_field: str
    program: str | None
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
