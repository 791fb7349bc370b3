"""Answers about lineage: a part of the graph, the ways between two nodes, what a change would reach, what changed."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.descriptors_of import describe_entity
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.answers import DiffQuestion, Impact, LineageDiff, PathQuestion, Paths
from jupyter_colophon.core.lineage.graph import MAX_LEVELS, MAX_RELATIONS, Lineage, LineageEdge, LineageQuestion, Window
from jupyter_colophon.core.model.registry import EntityType, Registry
from jupyter_colophon.core.model.vocabulary import may_describe
from jupyter_colophon.service.lineage.lineage_nodes import Nodes
from jupyter_colophon.service.lineage.lineage_response import Drawing
from jupyter_colophon.service.lineage.lineage_traversal import MODES, Walk, Walker, fold_triple
from jupyter_colophon.service.lineage.path_steps import Steps, is_stand_in, shown_nodes
from jupyter_colophon.service.lineage.shortest_paths import Ways
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.retention import require_kept
from jupyter_colophon.storage.lineage.edges_as_of import Side, edges_at
from jupyter_colophon.storage.lineage.renames import absent_entity, is_left_behind
from jupyter_colophon.storage.spi import Range, Row, StorageProvider, TableContext

T = TypeVar("T")
_PATHS_SHOWN = 100
#: What is data, a program, or somebody outside who writes into streams.
_WALKED = ("dataset", "dataJob", "custom")


@dataclass(frozen=True, slots=True)
class Asking:
    """One question in its transaction: the edges as of its time, and the nodes that it has met."""

    tx: TableContext
    registry: Registry
    nodes: Nodes
    clock: Callable[[], float]
    as_of: int | None

    def walk(self, question: LineageQuestion, until: str = "") -> Walk:
        """Walk to what the principal may see. Raises InvalidQuery for a frontier of what has no lineage."""
        for one in map(Urn.parse, question.frontier):
            if one.type not in _WALKED:
                raise InvalidQuery(f"holds {one}, which has no lineage", "frontier")
        return Walker(edges_at(self.tx, self.as_of), self.clock, self.nodes.shown).walk(question, until)

    @property
    def drawing(self) -> Drawing:
        """What draws the answer."""
        return Drawing(self.tx, edges_at(self.tx, self.as_of), self.nodes)


@dataclass(frozen=True, slots=True)
class LineageReader:
    """Answers lineage questions. `clock` gives seconds that never go back."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    clock: Callable[[], float]

    def lineage(self, question: LineageQuestion, principal: Principal) -> Lineage:
        """The graph around data or a program. Raises NotFound when the catalog never knew it, or not yet."""

        def answer(asking: Asking) -> Lineage:
            return asking.drawing.drawn(question, asking.walk(question))

        return self.ask(question.urn, principal, question.as_of, answer)

    def paths(self, question: PathQuestion, principal: Principal) -> Paths:
        """All shortest ways on which data flows from one node to another. Raises NotFound for either."""
        self._require(question.target, principal)
        walking = LineageQuestion(
            question.source, "downstream", MAX_LEVELS, question.window, MAX_RELATIONS, as_of=question.as_of
        )

        def answer(asking: Asking) -> Paths:
            _require_known(asking, question.target)
            return _paths(asking, walking, str(question.target))

        return self.ask(question.source, principal, question.as_of, answer)

    def impact(self, question: LineageQuestion, principal: Principal) -> Impact:
        """How much is downstream of data or a program. Raises NotFound."""

        def answer(asking: Asking) -> Impact:
            return _impact(asking, question, asking.walk(question))

        return self.ask(question.urn, principal, question.as_of, answer)

    def diff(self, question: DiffQuestion, principal: Principal) -> LineageDiff:
        """The edges that came and went between two times. Raises NotFound."""
        return self.ask(question.urn, principal, None, lambda asking: _diff(asking, question))

    def ask(self, urn: Urn, principal: Principal, as_of: int | None, answer: Callable[[Asking], T]) -> T:
        """Answer about a node in one transaction. Raises NotFound when the catalog never knew it, or not yet."""
        self._require(urn, principal)

        def work(tx: TableContext) -> T:
            require_kept(tx, as_of)
            asking = Asking(tx, self.registry, Nodes(tx, self.gate, principal), self.clock, as_of)
            _require_known(asking, urn)
            return answer(asking)

        return self.provider.tx_runner.run(work, read_only=True)

    def require_in(self, urn: Urn, namespace: str, principal: Principal) -> None:
        """Raise NotFound where the namespace of an entity, living or not, is another one; with "" any will do."""
        self._require(urn, principal)
        row = self.provider.tx_runner.run(lambda tx: tx.table("entities").read((str(urn),)), read_only=True)
        own = self.gate.identity.namespace_of(urn) if row is None else row["namespace"]
        if namespace not in ("", own):
            raise NotFound("entity", str(urn))

    def _require(self, urn: Urn, principal: Principal) -> None:
        if urn.type not in ("dataset", "dataJob"):
            raise InvalidQuery("lineage is that of data and of programs", "urn")
        self.gate.require(principal, urn)


def _require_known(asking: Asking, urn: Urn) -> None:
    """Raise NotFound for what neither is, or was, an entity, nor has any history."""
    text, tx = str(urn), asking.tx
    if _was_there(tx, urn, asking.as_of):
        return
    side: Side = "data" if urn.type == "dataset" else "program"
    if not edges_at(tx, asking.as_of).around(side, [text], MODES[side, "undirected"], Window(), 1):
        raise absent_entity(tx, text)


def _was_there(tx: TableContext, urn: Urn, time: int | None) -> bool:
    if time is None:
        row = tx.table("entities").read((str(urn),))
        return row is not None and not is_left_behind(tx, row)
    versions = tx.table("aspect_versions").scan(Range.prefix(str(urn), f"{urn.type}Key"))
    first = next((row for row in versions if row["value"] is not None), None)
    return first is not None and int(first["time"]) <= time


def _paths(asking: Asking, question: LineageQuestion, target: str) -> Paths:
    walked = asking.walk(question, until=target)
    source = str(question.urn)
    steps = Steps(walked.triples, (source, target))
    ways = Ways(source, target, steps.arrows())
    on_way = ways.arrows()
    behind = steps.behind(on_way)
    triples = {fold_triple(triple) for triple in behind}
    shown = {shown_nodes(arrow) for arrow in on_way}
    met = {end for arrow in shown for end in arrow} | ({target} if ways.found else set())
    kept = Walk({urn: level for urn, level in walked.levels.items() if urn in met}, triples)
    drawing = asking.drawing
    arrows, has_all = drawing.arrows(triples, question.window, Walk({}, behind).statements())
    return Paths(
        levels=walked.levels[target] if ways.found else None,
        count=ways.count(),
        paths=tuple(shown_nodes(path) for path in ways.some(_PATHS_SHOWN)),
        nodes=drawing.nodes(question, kept),
        edges=tuple(edge for edge in arrows if edge.access == "declared" or (edge.source, edge.target) in shown),
        truncated=(walked.truncated and not ways.found) or not has_all,
    )


def _impact(asking: Asking, question: LineageQuestion, walked: Walk) -> Impact:
    downstream = [urn for urn, level in walked.levels.items() if level > 0]
    rows = [row for row in asking.nodes.rows(downstream).values() if not row.get("declared")]
    return Impact(
        total=len(rows),
        by_type=_counted(row["type"] for row in rows),
        by_owner=_counted(_owners(asking, rows)),
        by_namespace=_counted(row["namespace"] for row in rows),
        truncated=walked.truncated,
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    """How often each, the most frequent first."""
    return dict(sorted(Counter(words).items(), key=lambda one: (-one[1], one[0])))


def _owners(asking: Asking, rows: Iterable[Row]) -> list[str]:
    """Return the first owner of each, of those that people named before those of machines; "" where there is none."""
    kinds = {row["urn"]: asking.registry.stored_type(row["type"]) for row in rows}
    keys = [
        (urn, spec.name)
        for urn, kind in kinds.items()
        for spec in kind.aspects
        if may_describe("owner", spec.name, spec.contributes)
    ]
    values: dict[str, dict[str, Aspect]] = defaultdict(dict)
    for urn, aspect in aspects.some(asking.tx, asking.registry, keys):
        values[urn][aspect.name] = aspect
    return [next(_owners_of(kind, values[urn]), "") for urn, kind in kinds.items()]


def _owners_of(kind: EntityType, values: Mapping[str, Aspect]) -> Iterator[str]:
    return (one.text for one in describe_entity(kind, values) if one.kind == "owner" and not one.column)


def _diff(asking: Asking, question: DiffQuestion) -> LineageDiff:
    windows = [Window(max(0, time - question.window), time + 1) for time in (question.source, question.target)]
    asked = [
        LineageQuestion(question.urn, question.direction, question.levels, window, question.limit) for window in windows
    ]
    before, after = (asking.walk(one).fold() for one in asked)
    (added, has_all_added), (removed, has_all_removed) = (
        _edges_of_change(asking, *walks) for walks in ((before, after, windows[1]), (after, before, windows[0]))
    )
    ends = {end for edge in (*added, *removed) for end in (edge.source, edge.target)} | {str(question.urn)}
    levels = {urn: level for urn, level in (after.levels | before.levels).items() if urn in ends}
    both = LineageQuestion(question.urn, question.direction, question.levels, Window(windows[0].start, windows[1].end))
    return LineageDiff(
        added=added,
        removed=removed,
        nodes=asking.drawing.nodes(both, Walk(levels, after.triples ^ before.triples)),
        truncated=before.truncated or after.truncated or not (has_all_added and has_all_removed),
    )


def _edges_of_change(
    asking: Asking, without: Walk, within: Walk, window: Window
) -> tuple[tuple[LineageEdge, ...], bool]:
    """Return the edges that one walk met and another did not, and whether nothing of them was left out."""
    fresh = within.triples - without.triples
    programs = {program for _, program, _ in fresh}
    # Of what is declared both ends belong to an edge, also where one of them is not new.
    declared = {triple for triple in within.triples if triple[1] in programs and is_stand_in(triple[1])}
    return asking.drawing.arrows(fresh | declared, window)
