"""What Marquez's readers ask: the graph around a node, and lists of what OpenLineage told of (datahub.md D)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import Absent, IllegalName, IllegalQuery
from jupyter_colophon.core.lineage import MAX_LEVELS, ColumnLineage, LineageEdge, LineageQuestion
from jupyter_colophon.core.names import Urn, fits_run_id
from jupyter_colophon.core.openlineage.event import Spelling
from jupyter_colophon.core.search import SearchQuestion
from jupyter_colophon.core.urn import PREFIX
from jupyter_colophon.service.gate import Gate
from jupyter_colophon.service.lineage import Asking, LineageReader
from jupyter_colophon.service.openlineage.things import (
    Thing,
    ToldRun,
    named,
    run_of_id,
    spellings,
    things,
    told_run,
)
from jupyter_colophon.service.search import Searcher
from jupyter_colophon.storage import runs as stored_runs
from jupyter_colophon.storage.spi import Range, StorageProvider, TableContext

T = TypeVar("T")
#: Marquez's kinds of nodes, and our types.
KINDS = {"dataset": "dataset", "job": "dataJob"}
_COLONS_MOST = 64
#: A word with one of these says more by itself (catalog.md 4.3).
_SAID = frozenset('*?"')


@dataclass(frozen=True, slots=True)
class Graph:
    """Jobs and datasets around a node, and what flows between them; of columns, where they were asked for."""

    things: dict[str, Thing]
    edges: tuple[LineageEdge, ...]
    columns: tuple[ColumnLineage, ...]


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace of OpenLineage. `first` is when it was first told of, in ms."""

    name: str
    first: int


@dataclass(frozen=True, slots=True)
class MarquezReader:
    """Answers Marquez's questions. What the principal may not read is not there."""

    provider: StorageProvider
    gate: Gate
    lineage: LineageReader
    searcher: Searcher

    def graph(self, node: str, depth: int, principal: Principal, *, columns: bool = False) -> Graph:
        """The graph around a node, in any direction. Raises Absent, IllegalQuery."""
        urn = self._read(lambda tx: _node(tx, node))
        levels = max(1, min(depth, MAX_LEVELS))
        question = LineageQuestion(urn, "undirected", levels, columns=columns)

        def answer(asking: Asking) -> Graph:
            drawn = asking.drawing.drawn(question, asking.walk(question))
            rows = list(asking.nodes.rows([one.urn for one in drawn.nodes]).values())
            found = {one.urn: one for one in things(asking.tx, rows, runs=True)}
            return Graph(found, drawn.edges, drawn.columns)

        return self.lineage.ask(urn, principal, None, answer)

    def namespaces(self, limit: int, offset: int) -> list[Space]:
        """Namespaces of OpenLineage by name."""

        def work(tx: TableContext) -> list[Space]:
            rows = list(tx.table("openlineage_names").scan(Range.prefix("namespace"), limit + offset))
            return [Space(row["namespace"], row["first"]) for row in rows[offset:]]

        return self._read(work)

    def namespace(self, name: str) -> Space:
        """One of them. Raises Absent."""
        row = self._read(lambda tx: tx.table("openlineage_names").read(("namespace", name, "")))
        if row is None:
            raise Absent("namespace", name)
        return Space(name, row["first"])

    def page(
        self, kind: str, namespace: str | None, limit: int, offset: int, principal: Principal
    ) -> tuple[list[Thing], int]:
        """Jobs or datasets of a namespace or of all, and how many there are."""

        def work(tx: TableContext) -> tuple[list[Thing], int]:
            rows, total = named(tx, KINDS[kind], namespace, limit, offset)
            shown = [row for row in rows if not row["deleted"] and self.gate.may_read(principal, row["namespace"])]
            return things(tx, shown, runs=True), total

        return self._read(work)

    def one(self, kind: str, spelling: Spelling, principal: Principal) -> Thing:
        """A job or a dataset. Raises Absent."""

        def work(tx: TableContext) -> Thing | None:
            urn = _urn(tx, kind, spelling)
            row = None if urn is None else tx.table("entities").read((str(urn),))
            if row is None or row["deleted"] or not self.gate.may_read(principal, row["namespace"]):
                return None
            return things(tx, [row], runs=True)[0]

        found = self._read(work)
        if found is None:
            raise Absent(kind, spelling.name)
        return found

    def runs(self, job: Thing, limit: int, offset: int) -> list[ToldRun]:
        """The runs of a job, newest first."""

        def work(tx: TableContext) -> list[ToldRun]:
            places = stored_runs.by_time(tx, job.urn, None, limit + offset)[offset:]
            found = (stored_runs.run(tx, urn) for _, urn in places)
            return [told_run(tx, run, job.spelling) for run in found if run is not None]

        return self._read(work)

    def run(self, run_id: str, principal: Principal) -> ToldRun:
        """A run by its id. Raises Absent."""

        def work(tx: TableContext) -> ToldRun | None:
            run = run_of_id(tx, run_id) if fits_run_id(run_id) else None
            return None if run is None else told_run(tx, run)

        found = self._read(work)
        if found is None:
            raise Absent("run", run_id)
        self.gate.require(principal, Urn.parse(found.run.program), "run")
        return found

    def search(
        self, text: str, kinds: Sequence[str], namespace: str, limit: int, principal: Principal
    ) -> list[tuple[Thing, int]]:
        """Jobs and datasets that a text fits, best first, each with when it changed last (ms)."""
        found = []
        # Marquez finds what a text is a part of; we find words, and parts of a path, that begin so.
        asked = " ".join(word if set(word) & _SAID else f"{word}*" for word in text.split())
        for kind in kinds:
            question = SearchQuestion(asked, (("type", KINDS[kind]),), limit, facets=())
            found += [hit.summary.urn for hit in self.searcher.search(question, principal).hits]

        def work(tx: TableContext) -> list[Thing]:
            rows = {row["urn"]: row for row in tx.table("entities").multi_read([(urn,) for urn in found])}
            return things(tx, [rows[urn] for urn in found if urn in rows], runs=False)

        told = [one for one in self._read(work) if namespace in ("", one.spelling.namespace)]
        return [(one, one.updated) for one in told[:limit]]

    def spelt(self, urns: Sequence[str]) -> dict[str, Spelling]:
        """What OpenLineage calls these."""
        return self._read(lambda tx: spellings(tx, urns))

    def _read(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work, read_only=True)


def _node(tx: TableContext, node: str) -> Urn:
    """The job or dataset of a nodeId. Namespaces hold `:` as well, so what is known decides. Raises IllegalQuery, Absent."""
    kind, _, rest = node.partition(":")
    if kind == "datasetField":
        kind, rest = "dataset", rest.rpartition(":")[0]
    if kind not in KINDS or ":" not in rest or rest.count(":") > _COLONS_MOST:
        raise IllegalQuery("is dataset:<namespace>:<name> or job:<namespace>:<name>", "nodeId")
    for spelling in _spelt(rest):
        if (urn := _urn(tx, kind, spelling)) is not None:
            return urn
    raise Absent("node", node)


def _spelt(text: str) -> Iterator[Spelling]:
    """Every way in which a text can be a namespace and a name, the longest namespace first."""
    at = text.find(f":{PREFIX}")
    if at > 0:
        yield Spelling(text[:at], text[at + 1 :])
    for place in reversed([place for place, character in enumerate(text) if character == ":"]):
        if 0 < place < len(text) - 1:
            yield Spelling(text[:place], text[place + 1 :])


def _urn(tx: TableContext, kind: str, spelling: Spelling) -> Urn | None:
    """What OpenLineage calls so; what it never told of is called by its URN."""
    if spelling.name.startswith(PREFIX):
        try:
            urn = Urn.parse(spelling.name)
        except IllegalName:
            return None
        return urn if urn.type == KINDS[kind] else None
    row = tx.table("openlineage_names").read((KINDS[kind], spelling.namespace, spelling.name))
    return None if row is None else Urn.parse(row["urn"])
