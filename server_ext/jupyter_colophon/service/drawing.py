"""What a walk met, as readers see it: nodes with what they hide, edges with their runs, edges between columns."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core import asserted
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
from jupyter_colophon.core.names import Urn
from jupyter_colophon.service.nodes import Nodes
from jupyter_colophon.service.walking import MODES, READ, WRITE, Walk, Way, is_data
from jupyter_colophon.storage import runs as stored_runs
from jupyter_colophon.storage.assertions import speakers
from jupyter_colophon.storage.ending import ending
from jupyter_colophon.storage.known_edges import Edges, Side
from jupyter_colophon.storage.spi import Edge, Row, TableContext
from jupyter_colophon.storage.touches import Triple, runs_named

_RUNS_SHOWN = 10
_HIDDEN_CAP = 1_000
_SIDES: tuple[tuple[Side, str], ...] = tuple((side, way) for side, way in MODES if way != "undirected")


@dataclass(frozen=True, slots=True)
class Drawing:
    """Draws what was met over these edges."""

    tx: TableContext
    edges: Edges
    known: Nodes

    def drawn(self, question: LineageQuestion, walked: Walk) -> Lineage:
        """The whole answer."""
        nodes = self.nodes(question, walked)
        return Lineage(
            nodes=nodes,
            edges=self.arrows(walked.triples, question.window),
            columns=self._columns(walked.levels) if question.columns else (),
            truncated=walked.truncated,
            frontier=self.frontier(nodes, question, walked),
        )

    def nodes(self, question: LineageQuestion, walked: Walk) -> tuple[Node, ...]:
        """The nodes that were met, from the focus on."""
        rows = self.known.rows(walked.levels)
        hidden = self._hidden(question.window, rows, walked)
        ends, time, titles = ending(self.tx), question.as_of, self.known.titles(walked.levels)
        found = ((urn, _node(rows[urn], level, hidden[urn], ends, time)) for urn, level in walked.levels.items())
        return tuple(replace(node, title=titles[urn]) if urn in titles else node for urn, node in found)

    def arrows(self, triples: Iterable[Triple], window: Window) -> tuple[LineageEdge, ...]:
        """The edges of these triples, with their newest runs."""
        found = self.edges.details(sorted(triples), window, _RUNS_SHOWN)
        newest = [one.runs[0] for one in found if one.runs]
        actors = {urn: row["actor"] for urn, row in runs_named(self.tx, newest).items()} | speakers(self.tx, newest)
        return tuple(edge for one in found for edge in _arrows(one, actors))

    def frontier(self, nodes: Sequence[Node], question: LineageQuestion, walked: Walk) -> tuple[str, ...]:
        """The nodes from which a walk can go on: to neighbours, or over more edges to those that are shown."""
        rims = list(_rims(nodes, question.direction, walked))
        found = {node.urn for node, _, hidden in rims if hidden > 0}
        # Over these a program was entered and left at once, so data may have an edge to it that was not asked for.
        twofold = {data for data, _, mode in walked.triples if mode in ("both", "unknown")}
        sides: tuple[Way, ...] = ("upstream", "downstream")
        for side in sides:
            urns = sorted(twofold.intersection(node.urn for node, way, hidden in rims if way == side and not hidden))
            if urns:
                more = self.edges.around("data", urns, MODES["data", side], question.window, question.limit + 1)
                found |= {triple[0] for triple in more if triple not in walked.triples}
        return tuple(node.urn for node in nodes if node.urn in found)

    def _hidden(self, window: Window, rows: Mapping[str, Row], walked: Walk) -> dict[str, tuple[int, int]]:
        """How many neighbours of each node are not shown, upstream and downstream, by URN."""
        partners = _partners(walked.triples)
        most = _HIDDEN_CAP + max(map(len, partners.values()), default=0)
        counts: dict[tuple[str, str], int] = {}
        for side, way in _SIDES:
            urns = [urn for urn in rows if is_data(urn) == (side == "data") and (urn, way) not in walked.whole]
            for urn, there in self.edges.degrees(side, urns, MODES[side, way], window, most).items():  # type: ignore[index]  # of _SIDES
                counts[urn, way] = min(_HIDDEN_CAP, max(0, there - len(partners.get((urn, way), ()))))
        return {urn: (counts.get((urn, "upstream"), 0), counts.get((urn, "downstream"), 0)) for urn in rows}

    def _columns(self, shown: Mapping[str, int]) -> tuple[ColumnLineage, ...]:
        rows = stored_runs.columns_into(self.tx, sorted(urn for urn in shown if is_data(urn)), MAX_RELATIONS)
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


def _partners(triples: Iterable[Triple]) -> dict[tuple[str, str], set[str]]:
    """The shown neighbours of every node, by (URN, side)."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for data, program, mode in triples:
        if mode in READ:
            found[data, "downstream"].add(program)
            found[program, "upstream"].add(data)
        if mode in WRITE:
            found[data, "upstream"].add(program)
            found[program, "downstream"].add(data)
    return found


def _rims(nodes: Iterable[Node], direction: Direction, walked: Walk) -> Iterator[tuple[Node, Way, int]]:
    """Nodes and ways on which a walk has not gone on yet, with what is hidden there."""
    for node in nodes:
        for way, on_side, hidden in (
            ("upstream", node.level <= 0, node.hidden_upstream),
            ("downstream", node.level >= 0, node.hidden_downstream),
        ):
            # What was asked for all its neighbours hides only what may not be shown.
            if (node.urn, way) in walked.asked:
                continue
            if direction == "undirected" or (on_side and direction in (way, "both")):
                yield node, way, hidden  # type: ignore[misc]  # one of the two


def _node(row: Row, level: int, hidden: tuple[int, int], ends: frozenset[str], time: int | None) -> Node:
    gone = row["deleted"] and (time is None or row["updated"] <= time)
    return Node(
        urn=row["urn"],
        type=row["type"],
        namespace=row["namespace"],
        name=row["name"],
        platform=row["platform"],
        level=level,
        deleted=gone or row["namespace"] in ends,
        hidden_upstream=hidden[0],
        hidden_downstream=hidden[1],
        asserted=row.get("asserted", False),
    )


def _arrows(edge: Edge, actors: Mapping[str, str]) -> Iterable[LineageEdge]:
    """A read goes from data to program, a write back; `both` is drawn as the two."""
    told = [run for run in edge.runs if asserted.in_force(run) is None]
    is_asserted = not told and bool(edge.runs)
    source = asserted.source_of(Urn.parse(edge.program)) or actors.get(edge.runs[0] if edge.runs else "", "")
    ends = []
    if edge.mode != "write":
        ends.append((edge.data, edge.program))
    if edge.mode in ("write", "both"):
        ends.append((edge.program, edge.data))
    for start, target in ends:
        yield LineageEdge(
            source=start,
            target=target,
            access=edge.mode,  # type: ignore[arg-type]  # the store holds only modes that were checked
            runs=tuple(told),
            run_count=0 if is_asserted else edge.run_count,
            start=edge.start,
            end=edge.stop,
            components=edge.components,
            said_by=source or "",
            asserted=is_asserted,
        )
