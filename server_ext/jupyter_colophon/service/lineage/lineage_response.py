"""What a walk met, as readers see it: nodes with what they hide, edges with their runs, edges between columns."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import NamedTuple

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import (
    COMPONENTS_MAX,
    MAX_RELATIONS,
    ColumnLineage,
    Direction,
    Lineage,
    LineageEdge,
    LineageQuestion,
    Node,
    Window,
)
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, take_page
from jupyter_colophon.service.lineage.declared_edges import hand_over_frontier, hand_over_hidden, join_declared
from jupyter_colophon.service.lineage.lineage_nodes import Nodes
from jupyter_colophon.service.lineage.lineage_traversal import MODES, READ, WALKED, WRITE, Walk, Way, is_data
from jupyter_colophon.storage.entities.deleting_namespaces import ending
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.lineage.assertions import declaring_actors
from jupyter_colophon.storage.lineage.edges_as_of import Edges, Side
from jupyter_colophon.storage.lineage.run_accesses import Triple, runs_named
from jupyter_colophon.storage.lineage.statements import PROGRAM_READ, PROGRAM_WRITE, access_mode, statements_of_accesses
from jupyter_colophon.storage.spi import Edge, Row, TableContext

_RUNS_SHOWN = 10
#: About what the members of an edge take beside its texts.
_EDGE_BYTES = 200
#: Hidden neighbours of every node are counted this far; those of a few hubs on each side ten times further.
_HIDDEN_CAP, _HUB_CAP, _HUBS_MAX = 1_000, 10_000, 20
#: Of so many runs in all the statements are looked up, where a walk did not meet them.
_STATEMENTS_LOOKED_AT = 2_000
#: Of so many edges between columns it is looked at whether both ends are shown.
_COLUMNS_LOOKED_AT = 2 * MAX_RELATIONS
_SIDES: tuple[tuple[Side, str], ...] = tuple((side, way) for side, way in MODES if way != "undirected")


class Hidden(NamedTuple):
    """How many neighbours of nodes are not shown, by URN and side; of a `capped` node there are at least as many."""

    counts: dict[tuple[str, str], int]
    capped: set[str]


@dataclass(frozen=True, slots=True)
class Drawing:
    """Draws what was met over these edges."""

    tx: TableContext
    edges: Edges
    known: Nodes

    def drawn(self, question: LineageQuestion, met: Walk) -> Lineage:
        """The whole answer: programs in the place of their flows, and what is declared from data to data."""
        walked = met.fold()
        nodes = self.nodes(question, walked)
        stand_ins = frozenset(node.urn for node in nodes if node.declared)
        edges, has_all = self._edges(walked.triples, question.window, met.statements())
        rim = hand_over_frontier(self.frontier(nodes, question, walked), edges, stand_ins)
        shown = hand_over_hidden(nodes, edges)
        columns, are_all = self._columns(walked.levels, stand_ins) if question.columns else ([], True)
        return Lineage(
            nodes=shown,
            edges=join_declared(edges, stand_ins),
            columns=tuple(columns),
            truncated=walked.truncated or not (are_all and has_all),
            frontier=tuple(node.urn for node in shown if node.urn in rim),
        )

    def nodes(self, question: LineageQuestion, walked: Walk) -> tuple[Node, ...]:
        """The nodes that were met, from the focus on."""
        rows = self.known.rows(walked.levels)
        hidden = self._hidden(question.window, rows, walked)
        ends, time, titles = ending(self.tx), question.as_of, self.known.titles(walked.levels)
        found = ((urn, _node(rows[urn], level, hidden, ends, time)) for urn, level in walked.levels.items())
        return tuple(replace(node, title=titles[urn]) if urn in titles else node for urn, node in found)

    def arrows(
        self, triples: Iterable[Triple], window: Window, statements: Mapping[Triple, set[str]] = MappingProxyType({})
    ) -> tuple[tuple[LineageEdge, ...], bool]:
        """Return the edges of these triples with their newest runs, and whether nothing of them was left out.

        What is declared goes from data to data.
        """
        edges, has_all = self._edges(triples, window, statements)
        ends = {end for edge in edges for end in (edge.source, edge.target)}
        stand_ins = frozenset(urn for urn in ends if declared_lineage.source_of(Urn.parse(urn)) is not None)
        return join_declared(edges, stand_ins), has_all

    def _edges(
        self, triples: Iterable[Triple], window: Window, statements: Mapping[Triple, set[str]]
    ) -> tuple[tuple[LineageEdge, ...], bool]:
        """Return the edges, and whether all of their runs were counted and all of their components are there."""
        found = self.edges.details(sorted(triples), window, _RUNS_SHOWN)
        newest = [one.runs[0] for one in found if one.runs]
        actors = {urn: row["actor"] for urn, row in runs_named(self.tx, newest).items()} | declaring_actors(
            self.tx, newest
        )
        known = {**self._statements_of_runs(found, statements), **statements}
        drawn: dict[tuple[str, str, str], LineageEdge] = {}
        for one in found:
            for edge in _arrows(one, actors, known.get((one.data, one.program, one.mode), ())):
                key = (edge.source, edge.target, edge.access)
                drawn[key] = _unite(drawn[key], edge) if key in drawn else edge
        edges, has_all = _cut_edges(drawn.values())
        return edges, has_all and all(one.complete for one in found)

    def _statements_of_runs(self, edges: Sequence[Edge], known: Mapping[Triple, set[str]]) -> Mapping[Triple, set[str]]:
        """The statements of the newest runs, for edges of programs from which the walk began."""
        asked = [
            edge
            for edge in edges
            if edge.mode in (PROGRAM_READ, PROGRAM_WRITE) and (edge.data, edge.program, edge.mode) not in known
        ]
        most = max(1, _STATEMENTS_LOOKED_AT // max(1, len(asked)))
        return {
            (edge.data, edge.program, edge.mode): statements_of_accesses(
                self.tx, [(run, edge.data, access_mode(edge.mode)) for run in edge.runs[:most]]
            )
            for edge in asked
        }

    def frontier(self, nodes: Sequence[Node], question: LineageQuestion, walked: Walk) -> tuple[str, ...]:
        """The nodes from which a walk can go on: to neighbours, or over more edges to those that are shown."""
        rims = list(_rims(nodes, question.direction, walked))
        found = {node.urn for node, _, hidden in rims if hidden > 0}
        # Over these a program was entered and left at once, or over one statement of several, so data may have an edge
        # to it that was not asked for.
        one_way = ("read", "write")
        twofold = {data for data, _, mode in walked.triples if mode not in one_way}
        sides: tuple[Way, ...] = ("upstream", "downstream")
        for side in sides:
            urns = sorted(twofold.intersection(node.urn for node, way, hidden in rims if way == side and not hidden))
            if urns:
                more = self.edges.around("data", urns, WALKED["data", side], question.window, question.limit + 1)
                found |= {triple[0] for triple in more if triple not in walked.met}
        return tuple(node.urn for node in nodes if node.urn in found)

    def _hidden(self, window: Window, rows: Mapping[str, Row], walked: Walk) -> Hidden:
        """Count the neighbours of each node that are not shown, upstream and downstream."""
        partners = _partners(walked.triples)
        most_shown = max(map(len, partners.values()), default=0)
        hidden = Hidden({}, set())
        whole = {key for key in walked.whole if is_data(key[0])} | self._whole_programs(window, walked)
        for side, way in _SIDES:
            urns = [urn for urn in rows if is_data(urn) == (side == "data") and (urn, way) not in whole]
            for urn, (there, is_capped) in self._degrees(side, way, urns, window, most_shown).items():
                hidden.counts[urn, way] = max(0, there - len(partners.get((urn, way), ())))
                if is_capped:
                    hidden.capped.add(urn)
        data = sorted(urn for urn, way in hidden.counts if way == "upstream" and is_data(urn))
        for urn, more, is_capped in self._hidden_declared(window, data, walked):
            hidden.counts[urn, "upstream"] += more
            if is_capped:
                hidden.capped.add(urn)
        return hidden

    def _degrees(
        self, side: Side, way: str, urns: Sequence[str], window: Window, shown: int
    ) -> dict[str, tuple[int, bool]]:
        """Return how many neighbours each node has on a side, and whether the count stopped at a cap."""
        modes = MODES[side, way]  # type: ignore[index]  # of _SIDES
        cap, hub_cap = _HIDDEN_CAP + shown, _HUB_CAP + shown
        found = {
            urn: (there, there >= cap) for urn, there in self.edges.degrees(side, urns, modes, window, cap).items()
        }
        hubs = [urn for urn, (_, is_capped) in found.items() if is_capped][:_HUBS_MAX]
        if hubs:
            counted = self.edges.degrees(side, hubs, modes, window, hub_cap)
            found |= {urn: (there, there >= hub_cap) for urn, there in counted.items()}
        return found

    def _whole_programs(self, window: Window, walked: Walk) -> set[tuple[str, str]]:
        """The programs and sides all of whose data were met: what was met without statements need not be all."""
        whole = {key for key in walked.whole if not is_data(key[0])}
        programs = sorted({urn for urn, _ in whole})
        modes = (PROGRAM_READ, PROGRAM_WRITE)
        found = self.edges.around("program", programs, modes, window, MAX_RELATIONS) if programs else []
        with_statements = {program for _, program, _ in found}
        return set() if len(found) == MAX_RELATIONS else {key for key in whole if key[0] not in with_statements}

    def _hidden_declared(self, window: Window, data: Sequence[str], walked: Walk) -> Iterator[tuple[str, int, bool]]:
        """How much more data hides that is declared to be made of several: a stand-in was counted as one."""
        found = self.edges.around("data", data, ("write",), window, _HUB_CAP) if data else []
        are_all = len(found) < _HUB_CAP
        stand_ins = {
            program: urn
            for urn, program, mode in found
            if (urn, program, mode) not in walked.triples and declared_lineage.source_of(Urn.parse(program)) is not None
        }
        reads = self.edges.degrees("program", sorted(stand_ins), ("read",), window, _HIDDEN_CAP) if stand_ins else {}
        return (
            (stand_ins[program], count - 1, count >= _HIDDEN_CAP or not are_all) for program, count in reads.items()
        )

    def _columns(self, shown: Mapping[str, int], stand_ins: frozenset[str]) -> tuple[list[ColumnLineage], bool]:
        """The edges between columns of what is shown, and whether these are all."""
        targets = sorted(urn for urn in shown if is_data(urn))
        rows = stored_runs.columns_into(self.tx, targets, _COLUMNS_LOOKED_AT + 1)
        found = [_column(row, stand_ins) for row in rows[:_COLUMNS_LOOKED_AT] if row["source"] in shown]
        columns = list(take_page(found[:MAX_RELATIONS], _measure_column, LIST_BYTES_MAX))
        return columns, len(rows) <= _COLUMNS_LOOKED_AT and len(columns) == len(found)


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


def _node(row: Row, level: int, hidden: Hidden, ends: frozenset[str], time: int | None) -> Node:
    gone = row["deleted"] and (time is None or row["updated"] <= time)
    return Node(
        urn=row["urn"],
        type=row["type"],
        namespace=row["namespace"],
        name=row["name"],
        platform=row["platform"],
        level=level,
        deleted=gone or row["namespace"] in ends,
        hidden_upstream=hidden.counts.get((row["urn"], "upstream"), 0),
        hidden_downstream=hidden.counts.get((row["urn"], "downstream"), 0),
        hidden_at_least=row["urn"] in hidden.capped,
        declared=row.get("declared", False),
    )


def _column(row: Row, stand_ins: frozenset[str]) -> ColumnLineage:
    return ColumnLineage(
        row["source"],
        row["source_field"],
        row["target"],
        row["target_field"],
        None if row["program"] in stand_ins else row["program"],
        row["transformation"],
    )


def _unite(first: LineageEdge, second: LineageEdge) -> LineageEdge:
    """One edge for accesses that belong to a statement and for those that belong to none."""
    newer, older = (first, second) if first.statements else (second, first)
    ends = [first.end, second.end]
    return replace(
        newer,
        runs=tuple(dict.fromkeys((*newer.runs, *older.runs)))[:_RUNS_SHOWN],
        run_count=first.run_count + second.run_count,
        start=min(first.start, second.start),
        end=None if None in ends else max(end for end in ends if end is not None),
        components=tuple(sorted({*first.components, *second.components})),
        declared=first.declared and second.declared,
        statements=tuple(sorted({*(first.statements or ("",)), *(second.statements or ("",))})),
    )


def _cut_edges(edges: Collection[LineageEdge]) -> tuple[tuple[LineageEdge, ...], bool]:
    """Return as many edges as an answer has, each with as many components, and whether these are all."""
    has_all = all(len(edge.components) <= COMPONENTS_MAX for edge in edges)
    cut = (replace(edge, components=edge.components[:COMPONENTS_MAX]) for edge in edges)
    shown = tuple(take_page(cut, _measure_edge, LIST_BYTES_MAX))
    return shown, has_all and len(shown) == len(edges)


def _measure_edge(edge: LineageEdge) -> int:
    """Return about how many bytes an edge takes in an answer."""
    texts = (edge.source, edge.target, *edge.runs, *edge.components, *edge.statements)
    return _EDGE_BYTES + sum(map(len, texts))


def _measure_column(edge: ColumnLineage) -> int:
    """Return about how many bytes an edge between columns takes in an answer."""
    texts = (edge.source, edge.source_field, edge.target, edge.target_field, edge.program or "")
    return _EDGE_BYTES + sum(map(len, texts))


def _arrows(edge: Edge, actors: Mapping[str, str], statements: Collection[str]) -> Iterable[LineageEdge]:
    """A read goes from data to program, a write back; `both` is drawn as the two."""
    told = [run for run in edge.runs if declared_lineage.parse_version_mark(run) is None]
    is_declared = not told and bool(edge.runs)
    source = declared_lineage.source_of(Urn.parse(edge.program)) or actors.get(edge.runs[0] if edge.runs else "", "")
    ends, mode = [], access_mode(edge.mode)
    if mode != "write":
        ends.append((edge.data, edge.program))
    if mode in ("write", "both"):
        ends.append((edge.program, edge.data))
    for start, target in ends:
        yield LineageEdge(
            source=start,
            target=target,
            access=mode,  # type: ignore[arg-type]  # the store holds only modes that were checked
            runs=tuple(told),
            run_count=0 if is_declared else edge.run_count,
            start=edge.start,
            end=edge.stop,
            components=edge.components,
            reported_by=source or "",
            declared=is_declared,
            statements=tuple(sorted(statements)),
        )
