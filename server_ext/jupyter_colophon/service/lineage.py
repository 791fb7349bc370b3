"""Lineage: a bounded walk, level by level, of the graph of data and programs (catalog.md 5.3, 5.4).

One level is data, the programs that touched it, and their other data. Upstream a program is entered over what
it wrote and left over what it read, downstream the other way round; `both` is the two walks together.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import Absent, IllegalQuery
from jupyter_colophon.core.lineage import (
    MAX_RELATIONS,
    ColumnLineage,
    Direction,
    Lineage,
    LineageEdge,
    LineageQuestion,
    Node,
    Window,
)
from jupyter_colophon.service.gate import Gate
from jupyter_colophon.storage import runs as stored_runs
from jupyter_colophon.storage.ending import ending
from jupyter_colophon.storage.spi import Edge, Row, StorageProvider, TableContext

#: How long a walk may take (native.md).
MAX_SECONDS = 2.0
_RUNS_SHOWN = 10
_HIDDEN_CAP = 1_000
_READ, _WRITE = ("read", "both", "unknown"), ("write", "both", "unknown")
Triple = tuple[str, str, str]
Side = Literal["data", "program"]
Way = Literal["upstream", "downstream"]
#: The kinds of access over which data or a program is left on a way.
_MODES: Mapping[tuple[Side, Way], tuple[str, ...]] = {
    ("data", "upstream"): _WRITE,
    ("data", "downstream"): _READ,
    ("program", "upstream"): _READ,
    ("program", "downstream"): _WRITE,
}


@dataclass(slots=True)
class Walk:
    """How far a walk has come: the level of each node, and the relations met.

    `whole` holds the nodes and sides (`upstream` or `downstream`) all of whose neighbours were met.
    """

    levels: dict[str, int]
    triples: set[Triple] = field(default_factory=set)
    whole: set[tuple[str, str]] = field(default_factory=set)
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class LineageReader:
    """Answers lineage questions. `clock` gives seconds that never go back."""

    provider: StorageProvider
    gate: Gate
    clock: Callable[[], float]

    def lineage(self, question: LineageQuestion, principal: Principal) -> Lineage:
        """The graph around data or a program. Raises Absent when the catalog never knew it."""
        if question.urn.type not in ("dataset", "dataJob"):
            raise IllegalQuery("lineage is that of data and of programs", "urn")
        self.gate.require(principal, question.urn)
        return self.provider.tx_runner.run(lambda tx: self._answer(tx, question), read_only=True)

    def _answer(self, tx: TableContext, question: LineageQuestion) -> Lineage:
        focus = str(question.urn)
        if tx.table("entities").read((focus,)) is None:
            raise Absent("entity", focus)
        return _drawn(tx, question, walk(tx, question, self.clock))


def walk(tx: TableContext, question: LineageQuestion, clock: Callable[[], float]) -> Walk:
    """Walk from the focus in the directions asked for, until the relations or the time run out."""
    walked = Walk({str(question.urn): 0})
    deadline = clock() + MAX_SECONDS
    ways: tuple[Way, ...] = ("upstream", "downstream")
    for way in ways:
        if question.direction in (way, "both"):
            _walk(tx, question, walked, way, lambda: clock() > deadline)
    return walked


def _walk(tx: TableContext, question: LineageQuestion, walked: Walk, way: Way, late: Callable[[], bool]) -> None:
    sign = -1 if way == "upstream" else 1
    focus = str(question.urn)
    data, programs = ({focus}, set[str]()) if question.urn.type == "dataset" else (set[str](), {focus})
    # Each direction visits on its own: what is both up and down stream lies on a cycle and is walked from both.
    seen = {focus}
    for level in range(1, question.levels + 1):
        if not (data or programs):
            return
        if walked.truncated or late():
            walked.truncated = True
            return
        programs |= _others(tx, question, walked, "data", data, way) - seen
        seen |= programs
        data = _others(tx, question, walked, "program", programs, way) - seen
        seen |= data
        for urn in (*programs, *data):
            walked.levels.setdefault(urn, sign * level)
        programs = set()


def _others(
    tx: TableContext, question: LineageQuestion, walked: Walk, side: Side, keys: Iterable[str], way: Way
) -> set[str]:
    """The partners of these keys on their way; every edge met is a relation of the answer."""
    wanted = sorted(keys)
    if not wanted or walked.truncated:
        return set()
    known = len(walked.triples)
    # Known edges are met again from the other side, so ask for more than there is room for.
    found = tx.edges.around(side, wanted, _MODES[side, way], question.window, question.limit + 1)
    fresh = [triple for triple in found if triple not in walked.triples]
    if known + len(fresh) > question.limit or len(found) > question.limit:
        walked.truncated = True
        del fresh[question.limit - known :]
    else:
        walked.whole.update((key, way) for key in wanted)
    walked.triples.update(fresh)
    kept = found if not walked.truncated else [triple for triple in found if triple in walked.triples]
    return {program for _, program, _ in kept} if side == "data" else {data for data, _, _ in kept}


def _drawn(tx: TableContext, question: LineageQuestion, walked: Walk) -> Lineage:
    triples = sorted(walked.triples)
    rows = {row["urn"]: row for row in tx.table("entities").multi_read([(urn,) for urn in walked.levels])}
    hidden = _hidden(tx, question.window, rows, walked)
    ends = ending(tx)
    nodes = tuple(_node(rows[urn], level, hidden[urn], ends) for urn, level in walked.levels.items() if urn in rows)
    return Lineage(
        nodes=nodes,
        edges=tuple(edge for one in tx.edges.details(triples, question.window, _RUNS_SHOWN) for edge in _edges(one)),
        columns=_columns(tx, walked.levels) if question.columns else (),
        truncated=walked.truncated,
        frontier=tuple(node.urn for node in nodes if node.type == "dataset" and _at_rim(node, question.direction)),
    )


def _partners(triples: Iterable[Triple]) -> dict[tuple[str, str], set[str]]:
    """The shown neighbours of every node, by (URN, side)."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for data, program, mode in triples:
        if mode in _READ:
            found[data, "downstream"].add(program)
            found[program, "upstream"].add(data)
        if mode in _WRITE:
            found[data, "upstream"].add(program)
            found[program, "downstream"].add(data)
    return found


def _hidden(tx: TableContext, window: Window, rows: Mapping[str, Row], walked: Walk) -> dict[str, tuple[int, int]]:
    """How many neighbours of each node are not shown, upstream and downstream, by URN."""
    partners = _partners(walked.triples)
    most = _HIDDEN_CAP + max(map(len, partners.values()), default=0)
    counts: dict[tuple[str, Way], int] = {}
    for side, way in _MODES:
        urns = [urn for urn, row in rows.items() if (row["type"] == "dataset") == (side == "data")]
        urns = [urn for urn in urns if (urn, way) not in walked.whole]
        for urn, there in tx.edges.degrees(side, urns, _MODES[side, way], window, most).items():
            counts[urn, way] = min(_HIDDEN_CAP, max(0, there - len(partners.get((urn, way), ()))))
    return {urn: (counts.get((urn, "upstream"), 0), counts.get((urn, "downstream"), 0)) for urn in rows}


def _at_rim(node: Node, direction: Direction) -> bool:
    up = node.hidden_upstream > 0 and direction != "downstream" and node.level <= 0
    down = node.hidden_downstream > 0 and direction != "upstream" and node.level >= 0
    return up or down


def _node(row: Row, level: int, hidden: tuple[int, int], ends: frozenset[str]) -> Node:
    return Node(
        urn=row["urn"],
        type=row["type"],
        namespace=row["namespace"],
        name=row["name"],
        platform=row["platform"],
        level=level,
        deleted=row["deleted"] or row["namespace"] in ends,
        hidden_upstream=hidden[0],
        hidden_downstream=hidden[1],
    )


def _edges(edge: Edge) -> Iterable[LineageEdge]:
    """A read goes from data to program, a write back; `both` is drawn as the two."""
    ends = []
    if edge.mode != "write":
        ends.append((edge.data, edge.program))
    if edge.mode in ("write", "both"):
        ends.append((edge.program, edge.data))
    for source, target in ends:
        yield LineageEdge(
            source=source,
            target=target,
            access=edge.mode,  # type: ignore[arg-type]  # the store holds only modes that were checked
            runs=edge.runs,
            run_count=edge.run_count,
            start=edge.start,
            end=edge.stop,
            components=edge.components,
        )


def _columns(tx: TableContext, shown: dict[str, int]) -> tuple[ColumnLineage, ...]:
    rows = stored_runs.columns_into(tx, sorted(shown), MAX_RELATIONS)
    return tuple(
        ColumnLineage(
            row["source"],
            row["source_field"],
            row["target"],
            row["target_field"],
            row["program"],
            row["transformation"],
        )
        for row in rows
        if row["source"] in shown
    )
