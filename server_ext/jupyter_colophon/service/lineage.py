"""Answers about lineage: a part of the graph, the ways between two nodes, what a change would reach, what changed."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import Absent, IllegalQuery
from jupyter_colophon.core.jsontext import stored
from jupyter_colophon.core.lineage import MAX_LEVELS, MAX_RELATIONS, Lineage, LineageQuestion, Window
from jupyter_colophon.core.lineage_answers import DiffQuestion, Impact, LineageDiff, PathQuestion, Paths
from jupyter_colophon.core.names import Urn
from jupyter_colophon.service.drawing import Drawing
from jupyter_colophon.service.gate import Gate
from jupyter_colophon.service.nodes import Nodes
from jupyter_colophon.service.shortest import Ways
from jupyter_colophon.service.walking import READ, WRITE, Walk, Walker
from jupyter_colophon.storage.known_edges import edges_at
from jupyter_colophon.storage.retention import require_kept
from jupyter_colophon.storage.spi import Row, StorageProvider, TableContext
from jupyter_colophon.storage.touches import Triple

T = TypeVar("T")
_PATHS_SHOWN = 100
#: What is data, a program, or somebody outside who writes into streams.
_WALKED = ("dataset", "dataJob", "custom")
_MODES = ("read", "write", "both", "unknown")


@dataclass(frozen=True, slots=True)
class Asking:
    """One question in its transaction: the edges as of its time, and the nodes that it has met."""

    tx: TableContext
    nodes: Nodes
    clock: Callable[[], float]
    as_of: int | None

    def walk(self, question: LineageQuestion, until: str = "") -> Walk:
        """Walk to what the principal may see. Raises IllegalQuery for a frontier of what has no lineage."""
        for one in map(Urn.parse, question.frontier):
            if one.type not in _WALKED:
                raise IllegalQuery(f"holds {one}, which has no lineage", "frontier")
        return Walker(edges_at(self.tx, self.as_of), self.clock, self.nodes.shown).walk(question, until)

    @property
    def drawing(self) -> Drawing:
        """What draws the answer."""
        return Drawing(self.tx, edges_at(self.tx, self.as_of), self.nodes)


@dataclass(frozen=True, slots=True)
class LineageReader:
    """Answers lineage questions. `clock` gives seconds that never go back."""

    provider: StorageProvider
    gate: Gate
    clock: Callable[[], float]

    def lineage(self, question: LineageQuestion, principal: Principal) -> Lineage:
        """The graph around data or a program. Raises Absent when the catalog never knew it, or not yet."""

        def answer(asking: Asking) -> Lineage:
            return asking.drawing.drawn(question, asking.walk(question))

        return self.ask(question.urn, principal, question.as_of, answer)

    def paths(self, question: PathQuestion, principal: Principal) -> Paths:
        """All shortest ways on which data flows from one node to another. Raises Absent for either."""
        self._require(question.target, principal)
        walking = LineageQuestion(
            question.source, "downstream", MAX_LEVELS, question.window, MAX_RELATIONS, as_of=question.as_of
        )

        def answer(asking: Asking) -> Paths:
            _require_known(asking, question.target)
            return _paths(asking, walking, str(question.target))

        return self.ask(question.source, principal, question.as_of, answer)

    def impact(self, question: LineageQuestion, principal: Principal) -> Impact:
        """How much is downstream of data or a program. Raises Absent."""

        def answer(asking: Asking) -> Impact:
            return _impact(asking, question, asking.walk(question))

        return self.ask(question.urn, principal, question.as_of, answer)

    def diff(self, question: DiffQuestion, principal: Principal) -> LineageDiff:
        """The edges that came and went between two times. Raises Absent."""
        return self.ask(question.urn, principal, None, lambda asking: _diff(asking, question))

    def ask(self, urn: Urn, principal: Principal, as_of: int | None, answer: Callable[[Asking], T]) -> T:
        """Answer about a node in one transaction. Raises Absent when the catalog never knew it, or not yet."""
        self._require(urn, principal)

        def work(tx: TableContext) -> T:
            require_kept(tx, as_of)
            asking = Asking(tx, Nodes(tx, self.gate, principal), self.clock, as_of)
            _require_known(asking, urn)
            return answer(asking)

        return self.provider.tx_runner.run(work, read_only=True)

    def require_in(self, urn: Urn, namespace: str, principal: Principal) -> None:
        """Raise Absent where the namespace of an entity, living or not, is another one; with "" any will do."""
        self._require(urn, principal)
        row = self.provider.tx_runner.run(lambda tx: tx.table("entities").read((str(urn),)), read_only=True)
        own = self.gate.identity.namespace_of(urn) if row is None else row["namespace"]
        if namespace not in ("", own):
            raise Absent("entity", str(urn))

    def _require(self, urn: Urn, principal: Principal) -> None:
        if urn.type not in ("dataset", "dataJob"):
            raise IllegalQuery("lineage is that of data and of programs", "urn")
        self.gate.require(principal, urn)


def _require_known(asking: Asking, urn: Urn) -> None:
    """Raise Absent for what neither is, or was, an entity, nor has any history."""
    text, tx = str(urn), asking.tx
    if _was_there(tx, urn, asking.as_of):
        return
    side, edges = ("data" if urn.type == "dataset" else "program"), edges_at(tx, asking.as_of)
    if not edges.around(side, [text], _MODES, Window(), 1):  # type: ignore[arg-type]  # one of the two
        raise Absent("entity", text)


def _was_there(tx: TableContext, urn: Urn, time: int | None) -> bool:
    if time is None:
        return tx.table("entities").read((str(urn),)) is not None
    first = tx.table("aspect_versions").read((str(urn), f"{urn.type}Key", 1))
    return first is not None and int(first["time"]) <= time


def _paths(asking: Asking, question: LineageQuestion, target: str) -> Paths:
    walked = asking.walk(question, until=target)
    ways = Ways(str(question.urn), target, (arrow for triple in walked.triples for arrow in _arrows(triple)))
    on_way = ways.arrows()
    triples = {triple for triple in walked.triples if on_way.intersection(_arrows(triple))}
    met = {end for arrow in on_way for end in arrow} | ({target} if ways.found else set())
    kept = Walk({urn: level for urn, level in walked.levels.items() if urn in met}, triples)
    drawing = asking.drawing
    arrows = drawing.arrows(triples, question.window)
    return Paths(
        levels=walked.levels[target] if ways.found else None,
        count=ways.count(),
        paths=ways.some(_PATHS_SHOWN),
        nodes=drawing.nodes(question, kept),
        edges=tuple(edge for edge in arrows if (edge.source, edge.target) in on_way),
        truncated=walked.truncated and not ways.found,
    )


def _arrows(triple: Triple) -> list[tuple[str, str]]:
    """The ways on which data may flow over an edge: one of unknown kind may be either."""
    data, program, mode = triple
    return [(data, program)] * (mode in READ) + [(program, data)] * (mode in WRITE)


def _impact(asking: Asking, question: LineageQuestion, walked: Walk) -> Impact:
    downstream = [urn for urn, level in walked.levels.items() if level > 0]
    rows = [row for row in asking.nodes.rows(downstream).values() if not row.get("asserted")]
    return Impact(
        total=len(rows),
        by_type=_counted(row["type"] for row in rows),
        by_owner=_counted(_owners(asking.tx, rows)),
        by_namespace=_counted(row["namespace"] for row in rows),
        truncated=walked.truncated,
    )


def _counted(words: Iterable[str]) -> dict[str, int]:
    """How often each, the most frequent first."""
    return dict(sorted(Counter(words).items(), key=lambda one: (-one[1], one[0])))


def _owners(tx: TableContext, rows: Iterable[Row]) -> list[str]:
    """The owner that people named of each; "" where they named none."""
    urns = [row["urn"] for row in rows]
    said = {
        row["urn"]: stored(row["value"])["properties"].get("owner", "")
        for row in tx.table("aspects").multi_read([(urn, "businessMetadata") for urn in urns])
        if row["value"] is not None
    }
    return [said.get(urn, "") for urn in urns]


def _diff(asking: Asking, question: DiffQuestion) -> LineageDiff:
    windows = [Window(max(0, time - question.span), time + 1) for time in (question.source, question.target)]
    asked = [
        LineageQuestion(question.urn, question.direction, question.levels, window, question.limit) for window in windows
    ]
    before, after = (asking.walk(one) for one in asked)
    came, went = after.triples - before.triples, before.triples - after.triples
    drawing = asking.drawing
    ends = {end for data, program, _ in came | went for end in (data, program)} | {str(question.urn)}
    levels = {urn: level for urn, level in (after.levels | before.levels).items() if urn in ends}
    both = LineageQuestion(question.urn, question.direction, question.levels, Window(windows[0].start, windows[1].end))
    return LineageDiff(
        came=drawing.arrows(came, windows[1]),
        went=drawing.arrows(went, windows[0]),
        nodes=drawing.nodes(both, Walk(levels, came | went)),
        truncated=before.truncated or after.truncated,
    )
