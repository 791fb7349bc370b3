"""A bounded walk, level by level, of the graph of data and programs (catalog.md 5.3, 5.4).

One level is data, the programs that touched it, and their other data. Upstream a program is entered over what
it wrote and left over what it read, downstream the other way round; `both` is the two walks together. An undirected
walk goes on from whatever a program touched.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from jupyter_colophon.core.lineage import LineageQuestion
from jupyter_colophon.storage.known_edges import Edges, Side
from jupyter_colophon.storage.touches import Triple

#: How long a walk may take, in seconds (native.md).
MAX_SECONDS = 2.0
Way = Literal["upstream", "downstream", "undirected"]
READ, WRITE = ("read", "both", "unknown"), ("write", "both", "unknown")
_ANY = ("read", "write", "both", "unknown")
#: The kinds of access over which data or a program is left on a way.
MODES: Mapping[tuple[Side, Way], tuple[str, ...]] = {
    ("data", "upstream"): WRITE,
    ("data", "downstream"): READ,
    ("data", "undirected"): _ANY,
    ("program", "upstream"): READ,
    ("program", "downstream"): WRITE,
    ("program", "undirected"): _ANY,
}


def all_of(urns: set[str]) -> set[str]:
    """Those of these nodes that may be shown, where nothing is hidden."""
    return urns


@dataclass(slots=True)
class Walk:
    """How far a walk has come: the level of each node, and the relations met.

    `whole` holds the nodes and sides (`upstream` or `downstream`) all of whose neighbours were met, `asked` those
    that were asked for all of them: some may not be shown.
    """

    levels: dict[str, int]
    triples: set[Triple] = field(default_factory=set)
    whole: set[tuple[str, str]] = field(default_factory=set)
    asked: set[tuple[str, str]] = field(default_factory=set)
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Walker:
    """Walks over these edges to nodes that may be shown. `clock` gives seconds that never go back."""

    edges: Edges
    clock: Callable[[], float]
    shown: Callable[[set[str]], set[str]] = all_of

    def walk(self, question: LineageQuestion, until: str = "") -> Walk:
        """Walk in the directions asked for, until the relations or the time run out, or a node is met."""
        begin = question.frontier or (str(question.urn),)
        shown = self.shown(set(begin))
        walked = Walk({urn: 0 for urn in begin if urn in shown})
        deadline = self.clock() + MAX_SECONDS
        both: tuple[Way, ...] = ("upstream", "downstream")
        ways = both if question.direction == "both" else (question.direction,)
        begin = tuple(walked.levels)
        for way in ways:
            self._go(question, walked, way, begin, lambda: until in walked.levels or self._late(walked, deadline))
        return walked

    def _late(self, walked: Walk, deadline: float) -> bool:
        walked.truncated = walked.truncated or self.clock() > deadline
        return walked.truncated

    def _go(
        self, question: LineageQuestion, walked: Walk, way: Way, begin: Iterable[str], stop: Callable[[], bool]
    ) -> None:
        sign = -1 if way == "upstream" else 1
        data = {urn for urn in begin if is_data(urn)}
        programs = set(begin) - data
        # Each direction visits on its own: what is both up and down stream lies on a cycle and is walked from both.
        seen = data | programs | question.visited
        for level in range(1, question.levels + 1):
            if not (data or programs) or stop():
                return
            programs |= self._others(question, walked, "data", data, way) - seen
            seen |= programs
            data = self._others(question, walked, "program", programs, way) - seen
            seen |= data
            # Sorted: the same question has the same answer, whatever process is asked.
            for urn in (*sorted(programs), *sorted(data)):
                walked.levels.setdefault(urn, sign * level)
            programs = set()

    def _others(self, question: LineageQuestion, walked: Walk, side: Side, keys: Iterable[str], way: Way) -> set[str]:
        """The partners of these keys on their way; every edge met is a relation of the answer."""
        wanted = sorted(keys)
        if not wanted or walked.truncated:
            return set()
        known, at = len(walked.triples), 1 if side == "data" else 0
        # Known edges are met again from the other side, so ask for more than there is room for.
        found = self.edges.around(side, wanted, MODES[side, way], question.window, question.limit + 1)
        shown = self.shown({triple[at] for triple in found})
        met = [triple for triple in found if triple[at] in shown and not _is_known(question, side, way, triple)]
        fresh = [triple for triple in met if triple not in walked.triples]
        if known + len(fresh) > question.limit or len(found) > question.limit:
            walked.truncated = True
            del fresh[question.limit - known :]
        else:
            hidden = {triple[1 - at] for triple in found if triple[at] not in shown}
            for one in ("upstream", "downstream") if way == "undirected" else (way,):
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
