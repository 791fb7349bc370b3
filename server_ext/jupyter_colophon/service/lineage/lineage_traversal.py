"""Bounded breadth-first traversal of the graph of data and programs (spec LINEAGE-3).

One level is data, the programs that accessed it, and their other data. Upstream, a program is entered over its writes
and left over its reads; downstream, the other way round; `both` combines the two walks. An undirected walk continues
from all data of a program. A program that was entered over a statement is left over the same statement only: the walk
visits the statement's flow (storage/lineage/statements.py), which the response replaces by the program.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from jupyter_colophon.core.identity.names import is_data_urn_text
from jupyter_colophon.core.lineage.graph import MAX_RELATIONS, LineageRequest
from jupyter_colophon.storage.lineage.edges_as_of import LineageEdges, Side
from jupyter_colophon.storage.lineage.run_accesses import Triple
from jupyter_colophon.storage.lineage.statements import (
    FLOW_MODES,
    FLOW_READ,
    FLOW_WRITE,
    PROGRAM_READ,
    PROGRAM_WRITE,
    get_program_of_node,
    get_statement_of_node,
    to_program_mode_of_flow,
)

#: The time limit of a walk, in seconds (spec LINEAGE-8).
MAX_SECONDS = 2.0
WalkDirection = Literal["upstream", "downstream", "undirected"]
#: Whether a node is data; otherwise it is a program.
is_data_node = is_data_urn_text
Modes = Mapping[tuple[Side, WalkDirection], tuple[str, ...]]
_READ, _WRITE, _ANY = ("read", "both", "unknown"), ("write", "both", "unknown"), ("read", "write", "both", "unknown")
#: The modes in which a program as a whole reads and writes.
READ, WRITE = (*_READ, PROGRAM_READ), (*_WRITE, PROGRAM_WRITE)
#: The modes of what a walk visits: flows, and programs for accesses without a statement.
WALKED_READ, WALKED_WRITE = (*_READ, FLOW_READ), (*_WRITE, FLOW_WRITE)


def _create_mode_table(read: tuple[str, ...], write: tuple[str, ...], any_: tuple[str, ...]) -> Modes:
    """Return the modes over which data or a program is left in each direction."""
    return {
        ("data", "upstream"): write,
        ("data", "downstream"): read,
        ("data", "undirected"): any_,
        ("program", "upstream"): read,
        ("program", "downstream"): write,
        ("program", "undirected"): any_,
    }


MODES = _create_mode_table(READ, WRITE, (*_ANY, PROGRAM_READ, PROGRAM_WRITE))
WALKED = _create_mode_table(WALKED_READ, WALKED_WRITE, (*_ANY, FLOW_READ, FLOW_WRITE))


def filter_nothing(urns: set[str]) -> set[str]:
    """Return all nodes: the default filter, which hides nothing."""
    return urns


@dataclass(slots=True)
class LineageWalk:
    """The state of a walk: the level of each node, and the relations found, including those of flows.

    `fully_expanded` holds (node, side), side being `upstream` or `downstream`, all of whose neighbours were visited;
    `queried` those whose neighbours were all queried, though some are hidden; `cut` those where the walk was truncated.
    """

    levels: dict[str, int]
    triples: set[Triple] = field(default_factory=set)
    fully_expanded: set[tuple[str, str]] = field(default_factory=set)
    queried: set[tuple[str, str]] = field(default_factory=set)
    cut: set[tuple[str, str]] = field(default_factory=set)
    truncated: bool = False
    #: The original relations of a folded walk.
    unfolded: set[Triple] = field(default_factory=set)

    def to_walk_without_flows(self) -> "LineageWalk":
        """Return the walk with flows replaced by their programs."""
        if not self._has_flows():
            return replace(self, queried=self.queried - self.cut, unfolded=self.triples)
        triples = {get_program_triple(triple) for triple in self.triples}
        fully_expanded = {(key, side) for key, side in self.fully_expanded if not get_statement_of_node(key)}
        queried = {(get_program_of_node(key), side) for key, side in self.queried}
        cut = {(get_program_of_node(key), side) for key, side in self.cut}
        return LineageWalk(self.levels, triples, fully_expanded, queried - cut, cut, self.truncated, self.triples)

    def _has_flows(self) -> bool:
        return not FLOW_MODES.isdisjoint(mode for _, _, mode in self.triples)

    def group_statements_by_relation(self) -> Mapping[Triple, set[str]]:
        """Return the statements of each relation of the folded walk, for relations found through flows."""
        statements_by_triple: dict[Triple, set[str]] = defaultdict(set)
        for triple in self.triples if self._has_flows() else ():
            if statement := get_statement_of_node(triple[1]):
                statements_by_triple[get_program_triple(triple)].add(statement)
        return statements_by_triple


def get_program_triple(triple: Triple) -> Triple:
    """Return the program's relation for a relation of one of its flows; others are returned unchanged."""
    data, node, mode = triple
    program = get_program_of_node(node)
    return triple if program is node else (data, program, to_program_mode_of_flow(mode))


@dataclass(frozen=True, slots=True)
class LineageWalker:
    """Walks over these edges to visible nodes. `clock` returns monotonic seconds."""

    edges: LineageEdges
    clock: Callable[[], float]
    shown: Callable[[set[str]], set[str]] = filter_nothing

    def walk_graph(self, request: LineageRequest, until: str = "") -> LineageWalk:
        """Walk in the requested directions, up to the limits of relations and time, or until a node is found."""
        begin = request.frontier or (str(request.urn),)
        request = replace(request, visited=self._find_nodes_not_to_reenter(request))
        visible_urns = self.shown(set(begin))
        walked = LineageWalk({urn: 0 for urn in begin if urn in visible_urns})
        deadline = self.clock() + MAX_SECONDS
        both: tuple[WalkDirection, ...] = ("upstream", "downstream")
        ways = both if request.direction == "both" else (request.direction,)
        begin = tuple(walked.levels)
        for way in ways:
            self._expand_in_direction(
                request,
                walked,
                way,
                begin,
                lambda: until in walked.levels or self._mark_truncated_if_out_of_time(walked, deadline),
            )
        return walked

    def _find_nodes_not_to_reenter(self, request: LineageRequest) -> frozenset[str]:
        """Return the visited nodes that must not be entered again: all except programs with statements."""
        programs = sorted(urn for urn in request.visited if not is_data_node(urn))
        if not programs:
            return request.visited
        # Beyond the limit, all programs are entered again, which is harmless.
        modes = (PROGRAM_READ, PROGRAM_WRITE)
        triples = self.edges.find_neighbours("program", programs, modes, request.window, MAX_RELATIONS)
        with_statements = {program for _, program, _ in triples} if len(triples) < MAX_RELATIONS else set(programs)
        return request.visited - with_statements

    def _mark_truncated_if_out_of_time(self, walk: LineageWalk, deadline: float) -> bool:
        walk.truncated = walk.truncated or self.clock() > deadline
        return walk.truncated

    def _expand_in_direction(
        self,
        request: LineageRequest,
        walk: LineageWalk,
        direction: WalkDirection,
        begin: Iterable[str],
        stop: Callable[[], bool],
    ) -> None:
        sign = -1 if direction == "upstream" else 1
        data = {urn for urn in begin if is_data_node(urn)}
        # A walk that starts at a program continues from all its statements.
        start_programs = set(begin) - data
        # Directions are independent: a node both upstream and downstream lies on a cycle and is visited by both.
        visited = data | start_programs | request.visited
        for level in range(1, request.levels + 1):
            if not (data or start_programs) or stop():
                return
            programs = self._read_neighbours(request, walk, "data", data, direction, WALKED) - visited
            visited |= programs
            data = self._read_neighbours(request, walk, "program", programs, direction, WALKED)
            data = (data | self._read_neighbours(request, walk, "program", start_programs, direction, MODES)) - visited
            visited |= data
            # Sorted, so that the response does not depend on the process.
            for urn in (*sorted({get_program_of_node(urn) for urn in start_programs | programs}), *sorted(data)):
                walk.levels.setdefault(urn, sign * level)
            start_programs = set()

    def _read_neighbours(
        self,
        request: LineageRequest,
        walk: LineageWalk,
        side: Side,
        keys: Iterable[str],
        way: WalkDirection,
        modes: Modes,
    ) -> set[str]:
        """Return the neighbours of these keys in a direction; every edge found is added to the relations."""
        sorted_keys = sorted(keys)
        sides = ("upstream", "downstream") if way == "undirected" else (way,)
        if not sorted_keys or walk.truncated:
            walk.cut.update((key, direction) for key in sorted_keys for direction in sides)
            return set()
        relation_count, at = len(walk.triples), 1 if side == "data" else 0
        # Known edges are found again from the other side, so query one more than the limit.
        triples = self.edges.find_neighbours(side, sorted_keys, modes[side, way], request.window, request.limit + 1)
        programs = {end: get_program_of_node(end) for end in {triple[at] for triple in triples}}
        visible_programs = self.shown(set(programs.values()))
        visible_ends = {end for end, program in programs.items() if program in visible_programs}
        met = [triple for triple in triples if triple[at] in visible_ends]
        if request.visited:
            met = [triple for triple in met if not _is_known_relation(request, side, way, triple)]
        fresh = [triple for triple in met if triple not in walk.triples]
        if relation_count + len(fresh) > request.limit or len(triples) > request.limit:
            walk.truncated = True
            del fresh[request.limit - relation_count :]
            walk.cut.update((key, direction) for key in sorted_keys for direction in sides)
        else:
            hidden = {triple[1 - at] for triple in triples if triple[at] not in visible_ends}
            for direction in sides:
                walk.queried.update((key, direction) for key in sorted_keys)
                walk.fully_expanded.update((key, direction) for key in sorted_keys if key not in hidden)
        walk.triples.update(fresh)
        accepted_triples = met if not walk.truncated else [triple for triple in met if triple in walk.triples]
        return {triple[at] for triple in accepted_triples}


def _is_known_relation(request: LineageRequest, side: Side, direction: WalkDirection, triple: Triple) -> bool:
    """Return whether a continued walk already has a relation, from when its program was left."""
    return side == "data" and triple[1] in request.visited and triple[2] in MODES["program", direction]
