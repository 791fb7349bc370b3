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

from jupyter_colophon.core.lineage.graph import MAX_RELATIONS, LineageQuestion
from jupyter_colophon.storage.lineage.edges_as_of import Edges, Side
from jupyter_colophon.storage.lineage.run_accesses import Triple
from jupyter_colophon.storage.lineage.statements import (
    FLOW_READ,
    FLOW_WRITE,
    PROGRAM_READ,
    PROGRAM_WRITE,
    program_mode,
    program_of_flow,
    statement_of_flow,
)

#: The time limit of a walk, in seconds (spec LINEAGE-8).
MAX_SECONDS = 2.0
Way = Literal["upstream", "downstream", "undirected"]
Modes = Mapping[tuple[Side, Way], tuple[str, ...]]
_READ, _WRITE, _ANY = ("read", "both", "unknown"), ("write", "both", "unknown"), ("read", "write", "both", "unknown")
#: The modes in which a program as a whole reads and writes.
READ, WRITE = (*_READ, PROGRAM_READ), (*_WRITE, PROGRAM_WRITE)
#: The modes of what a walk visits: flows, and programs for accesses without a statement.
WALKED_READ, WALKED_WRITE = (*_READ, FLOW_READ), (*_WRITE, FLOW_WRITE)


def _modes(read: tuple[str, ...], write: tuple[str, ...], any_: tuple[str, ...]) -> Modes:
    """Return the modes over which data or a program is left in each direction."""
    return {
        ("data", "upstream"): write,
        ("data", "downstream"): read,
        ("data", "undirected"): any_,
        ("program", "upstream"): read,
        ("program", "downstream"): write,
        ("program", "undirected"): any_,
    }


MODES = _modes(READ, WRITE, (*_ANY, PROGRAM_READ, PROGRAM_WRITE))
WALKED = _modes(WALKED_READ, WALKED_WRITE, (*_ANY, FLOW_READ, FLOW_WRITE))


def keep_all(urns: set[str]) -> set[str]:
    """Return all nodes: the default filter, which hides nothing."""
    return urns


@dataclass(slots=True)
class Walk:
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
    met: set[Triple] = field(default_factory=set)

    def fold(self) -> "Walk":
        """Return the walk with flows replaced by their programs."""
        triples = {fold_triple(triple) for triple in self.triples}
        fully_expanded = {(key, side) for key, side in self.fully_expanded if not statement_of_flow(key)}
        queried = {(program_of_flow(key), side) for key, side in self.queried}
        cut = {(program_of_flow(key), side) for key, side in self.cut}
        return Walk(self.levels, triples, fully_expanded, queried - cut, cut, self.truncated, self.triples)

    def statements(self) -> Mapping[Triple, set[str]]:
        """Return the statements of each relation of the folded walk, for relations found through flows."""
        found: dict[Triple, set[str]] = defaultdict(set)
        for triple in self.triples:
            if statement := statement_of_flow(triple[1]):
                found[fold_triple(triple)].add(statement)
        return found


def fold_triple(triple: Triple) -> Triple:
    """Return the program's relation for a relation of one of its flows; others are returned unchanged."""
    data, program, mode = triple
    return data, program_of_flow(program), program_mode(mode)


@dataclass(frozen=True, slots=True)
class Walker:
    """Walks over these edges to visible nodes. `clock` returns monotonic seconds."""

    edges: Edges
    clock: Callable[[], float]
    shown: Callable[[set[str]], set[str]] = keep_all

    def walk(self, question: LineageQuestion, until: str = "") -> Walk:
        """Walk in the requested directions, up to the limits of relations and time, or until a node is found."""
        begin = question.frontier or (str(question.urn),)
        question = replace(question, visited=self._skippable(question))
        shown = self.shown(set(begin))
        walked = Walk({urn: 0 for urn in begin if urn in shown})
        deadline = self.clock() + MAX_SECONDS
        both: tuple[Way, ...] = ("upstream", "downstream")
        ways = both if question.direction == "both" else (question.direction,)
        begin = tuple(walked.levels)
        for way in ways:
            self._expand(
                question, walked, way, begin, lambda: until in walked.levels or self._is_out_of_time(walked, deadline)
            )
        return walked

    def _skippable(self, question: LineageQuestion) -> frozenset[str]:
        """Return the visited nodes that must not be entered again: all except programs with statements."""
        programs = sorted(urn for urn in question.visited if not is_data(urn))
        if not programs:
            return question.visited
        # Beyond the limit, all programs are entered again, which is harmless.
        modes = (PROGRAM_READ, PROGRAM_WRITE)
        found = self.edges.around("program", programs, modes, question.window, MAX_RELATIONS)
        with_statements = {program for _, program, _ in found} if len(found) < MAX_RELATIONS else set(programs)
        return question.visited - with_statements

    def _is_out_of_time(self, walked: Walk, deadline: float) -> bool:
        walked.truncated = walked.truncated or self.clock() > deadline
        return walked.truncated

    def _expand(
        self, question: LineageQuestion, walked: Walk, way: Way, begin: Iterable[str], stop: Callable[[], bool]
    ) -> None:
        sign = -1 if way == "upstream" else 1
        data = {urn for urn in begin if is_data(urn)}
        # A walk that starts at a program continues from all its statements.
        asked = set(begin) - data
        # Directions are independent: a node both upstream and downstream lies on a cycle and is visited by both.
        seen = data | asked | question.visited
        for level in range(1, question.levels + 1):
            if not (data or asked) or stop():
                return
            programs = self._neighbours(question, walked, "data", data, way, WALKED) - seen
            seen |= programs
            data = self._neighbours(question, walked, "program", programs, way, WALKED)
            data = (data | self._neighbours(question, walked, "program", asked, way, MODES)) - seen
            seen |= data
            # Sorted, so that the response does not depend on the process.
            for urn in (*sorted({program_of_flow(urn) for urn in asked | programs}), *sorted(data)):
                walked.levels.setdefault(urn, sign * level)
            asked = set()

    def _neighbours(
        self, question: LineageQuestion, walked: Walk, side: Side, keys: Iterable[str], way: Way, modes: Modes
    ) -> set[str]:
        """Return the neighbours of these keys in a direction; every edge found is added to the relations."""
        wanted = sorted(keys)
        sides = ("upstream", "downstream") if way == "undirected" else (way,)
        if not wanted or walked.truncated:
            walked.cut.update((key, one) for key in wanted for one in sides)
            return set()
        known, at = len(walked.triples), 1 if side == "data" else 0
        # Known edges are found again from the other side, so query one more than the limit.
        found = self.edges.around(side, wanted, modes[side, way], question.window, question.limit + 1)
        shown = self.shown({program_of_flow(triple[at]) for triple in found})
        met = [
            triple
            for triple in found
            if program_of_flow(triple[at]) in shown and not _is_known(question, side, way, triple)
        ]
        fresh = [triple for triple in met if triple not in walked.triples]
        if known + len(fresh) > question.limit or len(found) > question.limit:
            walked.truncated = True
            del fresh[question.limit - known :]
            walked.cut.update((key, one) for key in wanted for one in sides)
        else:
            hidden = {triple[1 - at] for triple in found if program_of_flow(triple[at]) not in shown}
            for one in sides:
                walked.queried.update((key, one) for key in wanted)
                walked.fully_expanded.update((key, one) for key in wanted if key not in hidden)
        walked.triples.update(fresh)
        kept = met if not walked.truncated else [triple for triple in met if triple in walked.triples]
        return {triple[at] for triple in kept}


def is_data(urn: str) -> bool:
    """Return whether a node is data; otherwise it is a program."""
    return urn.startswith("urn:li:dataset:")


def _is_known(question: LineageQuestion, side: Side, way: Way, triple: Triple) -> bool:
    """Return whether a continued walk already has a relation, from when its program was left."""
    return side == "data" and triple[1] in question.visited and triple[2] in MODES["program", way]
