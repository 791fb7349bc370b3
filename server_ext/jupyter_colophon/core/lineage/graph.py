"""A part of the lineage graph as readers see it. Times are milliseconds since 1970."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Literal

from jupyter_colophon.core.documents.members import HIDDEN, OMIT_DEFAULT, Time
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import AccessMode, Transformation

#: `both` is upstream and downstream separately; `undirected` follows all accesses of a program (spec LINEAGE-4).
Direction = Literal["both", "upstream", "downstream", "undirected"]
EdgeAccess = AccessMode | Literal["declared"]


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """A time window in ms: it includes a run if `run.start < end and (running or run.stop >= start)`."""

    start: int | None = None
    end: int | None = None

    @property
    def is_unbounded(self) -> bool:
        """Return whether the window includes all runs."""
        return self.start is None and self.end is None


#: Limits of an answer (spec LINEAGE-8).
MAX_LEVELS, MAX_RELATIONS, DEFAULT_RELATIONS = 20, 10_000, 2_000
#: The most components of an edge in an answer.
COMPONENTS_MAX = 20
#: The window that includes all runs.
ALL_TIME = TimeWindow()


@dataclass(frozen=True, slots=True)
class LineageRequest:
    """A query for a part of the graph.

    `window` selects runs by time; `as_of` returns what the catalog knew at that time. The traversal continues from
    `frontier` if it is not empty, and does not enter nodes in `visited`.
    """

    urn: Urn
    direction: Direction = "both"
    levels: int = 1
    window: TimeWindow = ALL_TIME
    limit: int = DEFAULT_RELATIONS
    columns: bool = False
    as_of: int | None = None
    frontier: tuple[str, ...] = ()
    visited: frozenset[str] = frozenset()


# Not frozen: creating a frozen dataclass takes three times longer, and a graph has thousands of nodes and edges.
@dataclass(slots=True, unsafe_hash=True)
class LineageNode:
    """A dataset or a program. `level` counts from the focus and is negative upstream; hidden neighbours are not shown.

    A declared node is not a program: it represents the author of declared lineage (spec LINEAGE-7). `title` is the name
    that its author gave a program, empty if there is none. With `hidden_at_least` the counts of hidden neighbours are
    lower bounds.
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


@dataclass(slots=True, unsafe_hash=True)
class LineageEdge:
    """An edge: a read goes from data to program, a write from program to data, declared lineage from data to data.

    `reported_by` is the reporter of the newest run. `statements` are the program's statements in which the edge was
    recorded: data flows from an edge into a program to one out of it only if both have none, or one in common.
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
    #: The versions of the table that the newest runs read or wrote, newest run first.
    table_versions: Annotated[tuple[str, ...], OMIT_DEFAULT] = ()


def has_data_flow(statements_into: Collection[str], statements_out_of: Collection[str]) -> bool:
    """Return whether data flows from an edge into a program to an edge out of it, by the statements of both."""
    return not {*(statements_into or ("",))}.isdisjoint(statements_out_of or ("",))


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """A column derived from another one by a program; None for declared lineage without a program."""

    source: str
    source_field: str
    target: str
    target_field: str
    program: str | None
    transformation: Transformation


@dataclass(frozen=True, slots=True)
class Lineage:
    """A limited part of the graph; `frontier` holds the nodes from which a traversal can continue."""

    nodes: tuple[LineageNode, ...]
    edges: tuple[LineageEdge, ...]
    columns: tuple[ColumnLineage, ...]
    truncated: bool
    frontier: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunListing:
    """The parameters of a list of runs: of a program, with access to a dataset, or all; in a time window; with a
    status.
    """

    program: str = ""
    data: str = ""
    window: TimeWindow = ALL_TIME
    status: str = ""
    limit: int = 50
    cursor: str = ""
