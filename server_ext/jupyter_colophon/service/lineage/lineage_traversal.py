"""A bounded walk, level by level, of the graph of data and programs (spec LINEAGE-3).

One level is data, the programs that touched it, and their other data. Upstream a program is entered over what
it wrote and left over what it read, downstream the other way round; `both` is the two walks together. An undirected
walk goes on from whatever a program touched. A program that was entered over a statement is left over the same statement
alone: the walk meets its flow (storage/lineage/statements.py), and what is drawn is the program.
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

#: How long a walk may take, in seconds (spec LINEAGE-8).
MAX_SECONDS = 2.0
Way = Literal["upstream", "downstream", "undirected"]
Modes = Mapping[tuple[Side, Way], tuple[str, ...]]
_READ, _WRITE, _ANY = ("read", "both", "unknown"), ("write", "both", "unknown"), ("read", "write", "both", "unknown")
#: The modes in which a program as a whole reads and writes.
READ, WRITE = (*_READ, PROGRAM_READ), (*_WRITE, PROGRAM_WRITE)
#: Those in which what a walk meets does: flows, and programs as far as their accesses belong to no statement.
WALKED_READ, WALKED_WRITE = (*_READ, FLOW_READ), (*_WRITE, FLOW_WRITE)


def _modes(read: tuple[str, ...], write: tuple[str, ...], any_: tuple[str, ...]) -> Modes:
    """Return the modes over which data or a program is left on a way."""
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


def all_of(urns: set[str]) -> set[str]:
    """Those of these nodes that may be shown, where nothing is hidden."""
    return urns


@dataclass(slots=True)
class Walk:
    """How far a walk has come: the level of each data and program, and the relations met, those of flows among them.

    `whole` holds the nodes and sides (`upstream` or `downstream`) all of whose neighbours were met, `asked` those
    that were asked for all of them: some may not be shown. `cut` holds those where the walk was truncated.
    """

    levels: dict[str, int]
    triples: set[Triple] = field(default_factory=set)
    whole: set[tuple[str, str]] = field(default_factory=set)
    asked: set[tuple[str, str]] = field(default_factory=set)
    cut: set[tuple[str, str]] = field(default_factory=set)
    truncated: bool = False
    #: Of a folded walk, the relations as they were met.
    met: set[Triple] = field(default_factory=set)

    def fold(self) -> "Walk":
        """Return the walk as it is drawn: programs in the place of their flows."""
        triples = {fold_triple(triple) for triple in self.triples}
        whole = {(key, side) for key, side in self.whole if not statement_of_flow(key)}
        asked = {(program_of_flow(key), side) for key, side in self.asked}
        cut = {(program_of_flow(key), side) for key, side in self.cut}
        return Walk(self.levels, triples, whole, asked - cut, cut, self.truncated, self.triples)

    def statements(self) -> Mapping[Triple, set[str]]:
        """Return the statements over which each relation of the folded walk was met, of those that were met so."""
        found: dict[Triple, set[str]] = defaultdict(set)
        for triple in self.triples:
            if statement := statement_of_flow(triple[1]):
                found[fold_triple(triple)].add(statement)
        return found


def fold_triple(triple: Triple) -> Triple:
    """Return the relation of a program for that of one of its flows; any other is returned unchanged."""
    data, program, mode = triple
    return data, program_of_flow(program), program_mode(mode)


@dataclass(frozen=True, slots=True)
class Walker:
    """Walks over these edges to nodes that may be shown. `clock` gives seconds that never go back."""

    edges: Edges
    clock: Callable[[], float]
    shown: Callable[[set[str]], set[str]] = all_of

    def walk(self, question: LineageQuestion, until: str = "") -> Walk:
        """Walk in the directions asked for, until the relations or the time run out, or a node is met."""
        begin = question.frontier or (str(question.urn),)
        question = replace(question, visited=self._left_alone(question))
        shown = self.shown(set(begin))
        walked = Walk({urn: 0 for urn in begin if urn in shown})
        deadline = self.clock() + MAX_SECONDS
        both: tuple[Way, ...] = ("upstream", "downstream")
        ways = both if question.direction == "both" else (question.direction,)
        begin = tuple(walked.levels)
        for way in ways:
            self._go(question, walked, way, begin, lambda: until in walked.levels or self._late(walked, deadline))
        return walked

    def _left_alone(self, question: LineageQuestion) -> frozenset[str]:
        """What was visited and is not entered again: of a program with statements nobody knows which of them were."""
        programs = sorted(urn for urn in question.visited if not is_data(urn))
        if not programs:
            return question.visited
        # More than these need not be looked at: each program that is left out is entered again, and that does no harm.
        modes = (PROGRAM_READ, PROGRAM_WRITE)
        found = self.edges.around("program", programs, modes, question.window, MAX_RELATIONS)
        with_statements = {program for _, program, _ in found} if len(found) < MAX_RELATIONS else set(programs)
        return question.visited - with_statements

    def _late(self, walked: Walk, deadline: float) -> bool:
        walked.truncated = walked.truncated or self.clock() > deadline
        return walked.truncated

    def _go(
        self, question: LineageQuestion, walked: Walk, way: Way, begin: Iterable[str], stop: Callable[[], bool]
    ) -> None:
        sign = -1 if way == "upstream" else 1
        data = {urn for urn in begin if is_data(urn)}
        # Where a walk begins at a program, it goes on from all its statements.
        asked = set(begin) - data
        # Each direction visits on its own: what is both up and down stream lies on a cycle and is walked from both.
        seen = data | asked | question.visited
        for level in range(1, question.levels + 1):
            if not (data or asked) or stop():
                return
            programs = self._others(question, walked, "data", data, way, WALKED) - seen
            seen |= programs
            data = self._others(question, walked, "program", programs, way, WALKED)
            data = (data | self._others(question, walked, "program", asked, way, MODES)) - seen
            seen |= data
            # Sorted: the same question has the same answer, whatever process is asked.
            for urn in (*sorted({program_of_flow(urn) for urn in asked | programs}), *sorted(data)):
                walked.levels.setdefault(urn, sign * level)
            asked = set()

    def _others(
        self, question: LineageQuestion, walked: Walk, side: Side, keys: Iterable[str], way: Way, modes: Modes
    ) -> set[str]:
        """The partners of these keys on their way; every edge met is a relation of the answer."""
        wanted = sorted(keys)
        sides = ("upstream", "downstream") if way == "undirected" else (way,)
        if not wanted or walked.truncated:
            walked.cut.update((key, one) for key in wanted for one in sides)
            return set()
        known, at = len(walked.triples), 1 if side == "data" else 0
        # Known edges are met again from the other side, so ask for more than there is room for.
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
                walked.asked.update((key, one) for key in wanted)
                walked.whole.update((key, one) for key in wanted if key not in hidden)
        walked.triples.update(fresh)
        kept = met if not walked.truncated else [triple for triple in met if triple in walked.triples]
        return {triple[at] for triple in kept}


def is_data(urn: str) -> bool:
    """Whether a node is data; else it is a program."""
    return urn.startswith("urn:li:dataset:")


def _is_known(question: LineageQuestion, side: Side, way: Way, triple: Triple) -> bool:
    """Whether whoever goes on with a walk has met a relation: it was met when its program was left."""
    return side == "data" and triple[1] in question.visited and triple[2] in MODES["program", way]
