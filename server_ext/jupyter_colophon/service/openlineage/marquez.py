"""Reads of Marquez's API: the graph around a node, lists, single entities, and search."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn, fits_run_id
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.lineage.graph import MAX_LEVELS, ColumnLineage, Lineage, LineageEdge, LineageQuestion
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.openlineage.event import Spelling
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, PAGE_BYTES_MAX, take_page
from jupyter_colophon.core.search.search import SearchQuestion
from jupyter_colophon.service.lineage.lineage import LineageQuery, LineageReader
from jupyter_colophon.service.openlineage.models import (
    RunWithFacets,
    Thing,
    measure_run,
    measure_thing,
    named,
    run_of_id,
    spellings,
    things,
    with_facets,
)
from jupyter_colophon.service.openlineage_redaction import OpenLineageRedaction
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.service.search.search import Searcher
from jupyter_colophon.storage.lineage import runs as stored_runs
from jupyter_colophon.storage.spi import Range, Row, StorageProvider, TableContext

T = TypeVar("T")
#: Marquez's kinds of nodes, and our types.
KINDS = {"dataset": "dataset", "job": "dataJob"}
_COLONS_MOST = 64
#: How many jobs or datasets have their facets read together.
_BATCH = 20
#: The suffix of a job's name in the graph for one of its statements.
_STATEMENT = re.compile(r"#[0-9a-f]{16}\Z")
#: How many jobs, and how many datasets, of a namespace are examined for a readable one.
_EXAMINED_MAX = 100
#: A word with one of these is search syntax and is not changed into a prefix (spec SEARCH-2).
_OPERATORS = frozenset('*?"')
#: How many pages of hits are filtered by namespace, and the size of each page.
_SEARCH_PAGES, _SEARCH_AT_ONCE = 20, 100


@dataclass(frozen=True, slots=True)
class Graph:
    """Jobs and datasets around a node with their edges, and the edges between columns where they were requested."""

    things: dict[str, Thing]
    edges: tuple[LineageEdge, ...]
    columns: tuple[ColumnLineage, ...]
    #: Whether anything is missing.
    truncated: bool


def statements_of_nodes(edges: Iterable[LineageEdge]) -> dict[str, set[str]]:
    """Return the statements of each end of these edges; "" stands for accesses without a statement."""
    found: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        for end in (edge.source, edge.target):
            found[end].update(edge.statements or ("",))
    return found


@dataclass(frozen=True, slots=True)
class Space:
    """A namespace of OpenLineage. `first` is the time of its first event, in ms."""

    name: str
    first: int


@dataclass(frozen=True, slots=True)
class ThingPage:
    """Jobs or datasets, their total number, and the offset to continue at if the page was cut by size."""

    things: list[Thing]
    total: int
    next_offset: int | None


@dataclass(frozen=True, slots=True)
class SearchPage:
    """Jobs and datasets that match, and their total number, a lower bound where the page is `truncated`."""

    things: list[Thing]
    total: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class MarquezReader:
    """Reads for Marquez's API. Entities that the principal may not read are treated as absent."""

    provider: StorageProvider
    gate: Gate
    lineage: LineageReader
    searcher: Searcher

    def graph(self, node: str, depth: int, principal: Principal, *, columns: bool = False) -> Graph:
        """Return the graph around a node, in both directions. Raises NotFound, InvalidQuery."""
        urn = self._read(lambda tx: _node(tx, node))
        levels = max(1, min(depth, MAX_LEVELS))
        question = LineageQuestion(urn, "undirected", levels, columns=columns)

        def answer(lineage_query: LineageQuery) -> Graph:
            built = lineage_query.builder.build(question, lineage_query.walk(question))
            rows = list(lineage_query.nodes.rows([one.urn for one in built.nodes]).values())
            found = self._things_of_graph(lineage_query.tx, rows, built, principal, with_facets=not columns)
            return Graph(
                found,
                tuple(one for one in built.edges if one.source in found and one.target in found),
                tuple(one for one in built.columns if one.source in found and one.target in found),
                built.truncated or len(found) < len(rows),
            )

        try:
            return self.lineage.ask(urn, principal, None, answer)
        except NotFound:
            # The same message as for a node that never existed.
            raise NotFound("node", node) from None

    def _things_of_graph(
        self, tx: TableContext, rows: Sequence[Row], built: Lineage, principal: Principal, *, with_facets: bool
    ) -> dict[str, Thing]:
        """Return the jobs and datasets of a graph, nearest to its node first, up to LIST_BYTES_MAX."""
        redaction = OpenLineageRedaction(tx, self.gate, principal)
        copies = statements_of_nodes(built.edges)

        def read() -> Iterator[Thing]:
            for at in range(0, len(rows), _BATCH):
                yield from map(redaction.thing, things(tx, rows[at : at + _BATCH], runs=True))

        def measure(one: Thing) -> int:
            # A job is in the answer once for each of its statements.
            return measure_thing(one) * max(1, len(copies.get(one.urn, ()))) if with_facets else 0

        return {one.urn: one for one in take_page(read(), measure, LIST_BYTES_MAX)}

    @audited("list")
    def namespaces(self, limit: int, offset: int, principal: Principal) -> list[Space]:
        """Return namespaces of OpenLineage by name; with a policy, those with a readable entity."""

        def work(tx: TableContext) -> list[Space]:
            rows = list(tx.table("openlineage_names").scan(Range.prefix("namespace"), limit + offset))
            shown = (row for row in rows[offset:] if self._has_visible(tx, row["namespace"], principal))
            return [Space(row["namespace"], row["first"]) for row in shown]

        return self._read(work)

    def namespace(self, name: str, principal: Principal) -> Space:
        """Return a namespace. Raises NotFound."""

        def work(tx: TableContext) -> Row | None:
            row = tx.table("openlineage_names").read(("namespace", name, ""))
            return row if row is not None and self._has_visible(tx, name, principal) else None

        row = self._read(work)
        if row is None:
            raise NotFound("namespace", name)
        return Space(name, row["first"])

    def _has_visible(self, tx: TableContext, namespace: str, principal: Principal) -> bool:
        """Return whether one of the first jobs or datasets of a namespace is readable."""
        if not self.gate.has_policy:
            return True
        kinds = (named(tx, type_, namespace, _EXAMINED_MAX, 0)[0] for type_ in KINDS.values())
        return any(self.gate.may_read(principal, row["namespace"]) for rows in kinds for _, row in rows)

    @audited("list", lambda page: (thing.urn for thing in page.things))
    def page(self, kind: str, namespace: str | None, limit: int, offset: int, principal: Principal) -> ThingPage:
        """Return jobs or datasets of a namespace or of all."""

        def work(tx: TableContext) -> ThingPage:
            rows, total = named(tx, KINDS[kind], namespace, limit, offset)
            shown = [
                one for one in rows if not one[1]["deleted"] and self.gate.may_read(principal, one[1]["namespace"])
            ]
            redaction = OpenLineageRedaction(tx, self.gate, principal)
            # With a policy, the total would reveal the number of unreadable entities: only readable ones are counted.
            count = offset + len(shown) if self.gate.has_policy else total
            found: list[Thing] = []
            size = 0
            for at in range(0, len(shown), _BATCH):
                for one in things(tx, [row for _, row in shown[at : at + _BATCH]], runs=True):
                    if size > PAGE_BYTES_MAX:
                        return ThingPage(found, count, shown[len(found) - 1][0])
                    found.append(redaction.thing(one))
                    size += measure_thing(one)
            return ThingPage(found, count, None)

        return self._read(work)

    def one(self, kind: str, spelling: Spelling, principal: Principal) -> Thing:
        """Return a job or a dataset. Raises NotFound."""

        def work(tx: TableContext) -> Thing | None:
            urn = _urn(tx, kind, spelling)
            row = None if urn is None else tx.table("entities").read((str(urn),))
            if row is None or row["deleted"] or not self.gate.may_read(principal, row["namespace"]):
                return None
            return OpenLineageRedaction(tx, self.gate, principal).thing(things(tx, [row], runs=True)[0])

        found = self._read(work)
        if found is None:
            raise NotFound(kind, spelling.name)
        return found

    @audited("runs", lambda page: (one.run.urn for one in page[0]))
    def runs(self, job: Thing, limit: int, offset: int, principal: Principal) -> tuple[list[RunWithFacets], int | None]:
        """Return the runs of a job, newest first, and the next offset if the page was cut by size."""

        def work(tx: TableContext) -> tuple[list[RunWithFacets], int | None]:
            found: list[RunWithFacets] = []
            size = 0
            for position, (_, urn) in enumerate(
                stored_runs.by_time(tx, job.urn, None, limit + offset)[offset:], offset
            ):
                if size > PAGE_BYTES_MAX:
                    return found, position
                if (run := stored_runs.run(tx, urn)) is not None:
                    found.append(self._with_facets(tx, run, principal, job.spelling))
                    size += measure_run(found[-1])
            return found, None

        return self._read(work)

    def run(self, run_id: str, principal: Principal) -> RunWithFacets:
        """Return a run by its id. Raises NotFound."""

        def work(tx: TableContext) -> RunWithFacets | None:
            run = run_of_id(tx, run_id) if fits_run_id(run_id) else None
            return None if run is None else self._with_facets(tx, run, principal)

        found = self._read(work)
        if found is None:
            raise NotFound("run", run_id)
        self.gate.require(principal, Urn.parse(found.run.program), "run")
        return found

    def _with_facets(
        self, tx: TableContext, run: Run, principal: Principal, job: Spelling | None = None
    ) -> RunWithFacets:
        accessed = spellings(tx, [one.data for one in run.accesses]) if self.gate.has_policy else {}
        return OpenLineageRedaction(tx, self.gate, principal).run(with_facets(tx, run, job), accessed.values())

    @audited("search", lambda page: (thing.urn for thing in page.things))
    def search(self, text: str, kinds: Sequence[str], namespace: str, limit: int, principal: Principal) -> SearchPage:
        """Return jobs and datasets that match a text, best first."""
        found: list[Thing] = []
        total, truncated = 0, False
        # Marquez matches substrings; our index matches prefixes of words and of parts of a path.
        query = " ".join(word if set(word) & _OPERATORS else f"{word}*" for word in text.split())
        for kind in kinds:
            cursor: str | None = ""
            for _ in range(_SEARCH_PAGES if namespace else 1):
                most = _SEARCH_AT_ONCE if namespace else max(limit, 1)
                question = SearchQuestion(query, (("type", KINDS[kind]),), most, cursor or "", facets=())
                answer = self.searcher.search(question, principal)
                page = self._read(partial(_things_of, urns=[hit.summary.urn for hit in answer.hits]))
                matching = [one for one in page if namespace in ("", one.spelling.namespace)]
                found += matching
                total += len(matching) if namespace else answer.total
                truncated = truncated or answer.at_least
                cursor = answer.cursor
                if cursor is None or len(found) > limit:
                    break
            # The namespaces of hits that were not read are unknown.
            truncated = truncated or cursor is not None
        return SearchPage(found[:limit], total, truncated or len(found) > limit)

    def spellings_of(self, urns: Sequence[str]) -> dict[str, Spelling]:
        """Return OpenLineage's names of these URNs."""
        return self._read(lambda tx: spellings(tx, urns))

    def _read(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work, read_only=True)


def _things_of(tx: TableContext, urns: Sequence[str]) -> list[Thing]:
    """Return the jobs and datasets of these URNs, in this order."""
    rows = {row["urn"]: row for row in tx.table("entities").multi_read([(urn,) for urn in urns])}
    return things(tx, [rows[urn] for urn in urns if urn in rows], runs=False)


def _node(tx: TableContext, node: str) -> Urn:
    """Return the job or dataset of a nodeId. Raises InvalidQuery, NotFound.

    Namespaces may contain `:` as well: the longest namespace with a known entity wins.
    """
    kind, _, rest = node.partition(":")
    if kind == "datasetField":
        kind, rest = "dataset", rest.rpartition(":")[0]
    if kind not in KINDS or ":" not in rest or rest.count(":") > _COLONS_MOST:
        raise InvalidQuery("must be dataset:<namespace>:<name> or job:<namespace>:<name>", "nodeId")
    for spelling in _split(rest):
        if (urn := _urn(tx, kind, spelling)) is not None:
            return urn
    raise NotFound("node", node)


def _split(text: str) -> Iterator[Spelling]:
    """Yield every split of a text into a namespace and a name, the longest namespace first."""
    at = text.find(f":{PREFIX}")
    if at > 0:
        yield Spelling(text[:at], text[at + 1 :])
    for position in reversed([position for position, character in enumerate(text) if character == ":"]):
        if 0 < position < len(text) - 1:
            yield Spelling(text[:position], text[position + 1 :])


def _urn(tx: TableContext, kind: str, spelling: Spelling) -> Urn | None:
    """Return the URN of OpenLineage's name; an entity that no event named has its URN as its name."""
    name = _STATEMENT.sub("", spelling.name) if kind == "job" else spelling.name
    if name.startswith(PREFIX):
        try:
            urn = Urn.parse(name)
        except InvalidName:
            return None
        return urn if urn.type == KINDS[kind] else None
    row = tx.table("openlineage_names").read((KINDS[kind], spelling.namespace, name))
    return None if row is None else Urn.parse(row["urn"])
