"""Reads of Marquez's API: the graph around a node, lists, single entities, and search."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn, is_valid_run_id
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.lineage.graph import MAX_LEVELS, ColumnLineage, Lineage, LineageEdge, LineageRequest
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, PAGE_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.core.search.search import SearchRequest
from jupyter_colophon.service.lineage.lineage import LineageQuery, LineageReader
from jupyter_colophon.service.lineage.runs import list_entities_of_runs
from jupyter_colophon.service.openlineage.models import (
    OpenLineageEntity,
    RunWithFacets,
    add_facets_to_run,
    create_jobs_and_datasets,
    find_run_by_id,
    list_reported_entities,
    measure_entity_bytes,
    measure_run_bytes,
    read_openlineage_names,
)
from jupyter_colophon.service.openlineage_redaction import OpenLineageRedactor
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.service.search.search import CatalogSearcher
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
class OpenLineageGraph:
    """Jobs and datasets around a node with their edges, and the edges between columns where they were requested."""

    entities: dict[str, OpenLineageEntity]
    edges: tuple[LineageEdge, ...]
    columns: tuple[ColumnLineage, ...]
    #: Whether anything is missing.
    truncated: bool


def group_statements(edges: Iterable[LineageEdge]) -> dict[str, set[str]]:
    """Return the statements of each end of these edges; "" stands for accesses without a statement."""
    statements_by_urn: dict[str, set[str]] = defaultdict(set)
    for edge in edges:
        for end in (edge.source, edge.target):
            statements_by_urn[end].update(edge.statements or ("",))
    return statements_by_urn


@dataclass(frozen=True, slots=True)
class OpenLineageNamespace:
    """A namespace of OpenLineage. `first` is the time of its first event, in ms."""

    name: str
    first: int


@dataclass(frozen=True, slots=True)
class OpenLineageEntityPage:
    """Jobs or datasets, their total number, and the offset to continue at if the page was cut by size."""

    entities: list[OpenLineageEntity]
    total: int
    next_offset: int | None


@dataclass(frozen=True, slots=True)
class OpenLineageSearchPage:
    """Jobs and datasets that match, and their total number, a lower bound where the page is `truncated`."""

    entities: list[OpenLineageEntity]
    total: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class MarquezReader:
    """Reads for Marquez's API. Entities that the principal may not read are treated as absent."""

    provider: StorageProvider
    read_policy: ReadPolicy
    lineage: LineageReader
    searcher: CatalogSearcher

    def read_graph(self, node: str, depth: int, principal: Principal, *, columns: bool = False) -> OpenLineageGraph:
        """Return the graph around a node, in both directions. Raises NotFound, InvalidQuery."""
        urn = self._run_read_transaction(lambda tx: _find_urn_of_node_id(tx, node))
        levels = max(1, min(depth, MAX_LEVELS))
        request = LineageRequest(urn, "undirected", levels, columns=columns)

        def answer(lineage_query: LineageQuery) -> OpenLineageGraph:
            built = lineage_query.builder.build_lineage(request, lineage_query.walk_visible_graph(request))
            rows = list(
                lineage_query.nodes.get_or_create_node_rows([lineage_node.urn for lineage_node in built.nodes]).values()
            )
            entities_by_urn = self._read_graph_entities(
                lineage_query.tx, rows, built, principal, with_facets=not columns
            )
            return OpenLineageGraph(
                entities_by_urn,
                tuple(
                    edge for edge in built.edges if edge.source in entities_by_urn and edge.target in entities_by_urn
                ),
                tuple(
                    column_edge
                    for column_edge in built.columns
                    if column_edge.source in entities_by_urn and column_edge.target in entities_by_urn
                ),
                built.truncated or len(entities_by_urn) < len(rows),
            )

        try:
            return self.lineage.run_query_about_node(urn, principal, None, answer)
        except NotFound:
            # The same message as for a node that never existed.
            raise NotFound("node", node) from None

    def _read_graph_entities(
        self, tx: TableContext, rows: Sequence[Row], built: Lineage, principal: Principal, *, with_facets: bool
    ) -> dict[str, OpenLineageEntity]:
        """Return the jobs and datasets of a graph, nearest to its node first, up to LIST_BYTES_MAX."""
        redaction = OpenLineageRedactor(tx, self.lineage.registry, self.read_policy, principal)
        copies = group_statements(built.edges)

        def read() -> Iterator[OpenLineageEntity]:
            for at in range(0, len(rows), _BATCH):
                yield from map(redaction.redact_entity, create_jobs_and_datasets(tx, rows[at : at + _BATCH], runs=True))

        def measure(entity: OpenLineageEntity) -> int:
            # A job is in the response once for each of its statements.
            return measure_entity_bytes(entity) * max(1, len(copies.get(entity.urn, ()))) if with_facets else 0

        return {entity.urn: entity for entity in limit_items_to_page_bytes(read(), measure, LIST_BYTES_MAX)}

    def list_visible_namespaces(self, limit: int, offset: int, principal: Principal) -> list[OpenLineageNamespace]:
        """Return namespaces of OpenLineage by name; with a policy, those with a readable entity."""

        def read_rows(tx: TableContext) -> list[OpenLineageNamespace]:
            rows = list(tx.get_table("openlineage_names").scan(Range.prefix("namespace"), limit + offset))
            visible_rows = (
                row for row in rows[offset:] if self._has_visible_job_or_dataset(tx, row["namespace"], principal)
            )
            return [OpenLineageNamespace(row["namespace"], row["first"]) for row in visible_rows]

        return self._run_read_transaction(read_rows)

    def read_namespace(self, name: str, principal: Principal) -> OpenLineageNamespace:
        """Return a namespace. Raises NotFound."""

        def read_row(tx: TableContext) -> Row | None:
            row = tx.get_table("openlineage_names").read(("namespace", name, ""))
            return row if row is not None and self._has_visible_job_or_dataset(tx, name, principal) else None

        row = self._run_read_transaction(read_row)
        if row is None:
            raise NotFound("namespace", name)
        return OpenLineageNamespace(name, row["first"])

    def _has_visible_job_or_dataset(self, tx: TableContext, namespace: str, principal: Principal) -> bool:
        """Return whether one of the first jobs or datasets of a namespace is readable."""
        if not self.read_policy.may_hide_from(principal):
            return True
        kinds = (list_reported_entities(tx, type_, namespace, _EXAMINED_MAX, 0)[0] for type_ in KINDS.values())
        return any(self.read_policy.filter_visible_rows(tx, principal, (row for _, row in rows)) for rows in kinds)

    @audit_reads_of_method("list", lambda page: (thing.urn for thing in page.entities))
    def list_jobs_or_datasets(
        self, kind: str, namespace: str | None, limit: int, offset: int, principal: Principal
    ) -> OpenLineageEntityPage:
        """Return jobs or datasets of a namespace or of all."""

        def read_entities(tx: TableContext) -> OpenLineageEntityPage:
            rows, total = list_reported_entities(tx, KINDS[kind], namespace, limit, offset)
            visible_rows = self.read_policy.filter_visible(
                tx,
                principal,
                [positioned_row for positioned_row in rows if not positioned_row[1]["deleted"]],
                lambda positioned_row: (Urn.parse(positioned_row[1]["urn"]), positioned_row[1]["namespace"]),
            )
            redaction = OpenLineageRedactor(tx, self.lineage.registry, self.read_policy, principal)
            # With a policy, the total would reveal the number of unreadable entities: only readable ones are counted.
            count = offset + len(visible_rows) if self.read_policy.may_hide_from(principal) else total
            entities: list[OpenLineageEntity] = []
            size = 0
            for at in range(0, len(visible_rows), _BATCH):
                for entity in create_jobs_and_datasets(
                    tx, [row for _, row in visible_rows[at : at + _BATCH]], runs=True
                ):
                    if size > PAGE_BYTES_MAX:
                        return OpenLineageEntityPage(entities, count, visible_rows[len(entities) - 1][0])
                    entities.append(redaction.redact_entity(entity))
                    size += measure_entity_bytes(entity)
            return OpenLineageEntityPage(entities, count, None)

        return self._run_read_transaction(read_entities)

    @audit_reads_of_method("read", lambda entity: [entity.urn])
    def read_job_or_dataset(self, kind: str, original_name: OriginalName, principal: Principal) -> OpenLineageEntity:
        """Return a job or a dataset. Raises NotFound."""

        def find_entity(tx: TableContext) -> OpenLineageEntity | None:
            urn = _find_urn_of_name(tx, kind, original_name)
            row = None if urn is None else tx.get_table("entities").read((str(urn),))
            if row is None or row["deleted"]:
                return None
            if not self.read_policy.may_see_row(tx, principal, row):
                self.read_policy.access_control.record_denial(principal, "read", row["urn"])
                return None
            return OpenLineageRedactor(tx, self.lineage.registry, self.read_policy, principal).redact_entity(
                create_jobs_and_datasets(tx, [row], runs=True)[0]
            )

        entity = self._run_read_transaction(find_entity)
        if entity is None:
            raise NotFound(kind, original_name.name)
        return entity

    @audit_reads_of_method(
        "runs", lambda page: list_entities_of_runs(run_with_facets.run for run_with_facets in page[0])
    )
    def list_runs(
        self, job: OpenLineageEntity, limit: int, offset: int, principal: Principal
    ) -> tuple[list[RunWithFacets], int | None]:
        """Return the runs of a job, newest first, and the next offset if the page was cut by size."""

        def read_runs(tx: TableContext) -> tuple[list[RunWithFacets], int | None]:
            runs: list[RunWithFacets] = []
            size = 0
            for position, (_, urn) in enumerate(
                stored_runs.list_run_positions_of_program(tx, job.urn, None, limit + offset)[offset:], offset
            ):
                if size > PAGE_BYTES_MAX:
                    return runs, position
                if (run := stored_runs.find_run_by_urn(tx, urn)) is not None:
                    runs.append(self._add_facets_and_redact_run(tx, run, principal, job.original_name))
                    size += measure_run_bytes(runs[-1])
            return runs, None

        return self._run_read_transaction(read_runs)

    @audit_reads_of_method("runs", lambda found: list_entities_of_runs([found.run]))
    def read_run(self, run_id: str, principal: Principal) -> RunWithFacets:
        """Return a run by its id. Raises NotFound."""

        def read_redacted_run(tx: TableContext) -> RunWithFacets | None:
            run = find_run_by_id(tx, run_id) if is_valid_run_id(run_id) else None
            return None if run is None else self._add_facets_and_redact_run(tx, run, principal)

        visible_run = self._run_read_transaction(read_redacted_run)
        if visible_run is None:
            raise NotFound("run", run_id)
        self.read_policy.require_readable_entity(principal, Urn.parse(visible_run.run.program), "run")
        return visible_run

    def _add_facets_and_redact_run(
        self, tx: TableContext, run: Run, principal: Principal, job: OriginalName | None = None
    ) -> RunWithFacets:
        accessed = (
            read_openlineage_names(tx, [access.data for access in run.accesses])
            if self.read_policy.may_hide_from(principal)
            else {}
        )
        return OpenLineageRedactor(tx, self.lineage.registry, self.read_policy, principal).redact_run(
            add_facets_to_run(tx, run, job), accessed.values()
        )

    @audit_reads_of_method("search", lambda page: (thing.urn for thing in page.entities))
    def search_jobs_and_datasets(
        self, text: str, kinds: Sequence[str], namespace: str, limit: int, principal: Principal
    ) -> OpenLineageSearchPage:
        """Return jobs and datasets that match a text, best first."""
        entities: list[OpenLineageEntity] = []
        total, truncated = 0, False
        # Marquez matches substrings; our index matches prefixes of words and of parts of a path.
        query = " ".join(word if set(word) & _OPERATORS else f"{word}*" for word in text.split())
        for kind in kinds:
            cursor: str | None = ""
            for _ in range(_SEARCH_PAGES if namespace else 1):
                most = _SEARCH_AT_ONCE if namespace else max(limit, 1)
                request = SearchRequest(query, (("type", KINDS[kind]),), most, cursor or "", facets=())
                answer = self.searcher.search_page_of_hits(request, principal)
                page = self._run_read_transaction(
                    partial(_read_jobs_and_datasets_by_urn, urns=[hit.summary.urn for hit in answer.hits])
                )
                matching = [entity for entity in page if namespace in ("", entity.original_name.namespace)]
                entities += matching
                total += len(matching) if namespace else answer.total
                truncated = truncated or answer.at_least
                cursor = answer.cursor
                if cursor is None or len(entities) > limit:
                    break
            # The namespaces of hits that were not read are unknown.
            truncated = truncated or cursor is not None
        return OpenLineageSearchPage(entities[:limit], total, truncated or len(entities) > limit)

    def read_openlineage_names(self, urns: Sequence[str]) -> dict[str, OriginalName]:
        """Return OpenLineage's names of these URNs."""
        return self._run_read_transaction(lambda tx: read_openlineage_names(tx, urns))

    def _run_read_transaction(self, work: Callable[[TableContext], T]) -> T:
        return self.provider.tx_runner.run(work, read_only=True)


def _read_jobs_and_datasets_by_urn(tx: TableContext, urns: Sequence[str]) -> list[OpenLineageEntity]:
    """Return the jobs and datasets of these URNs, in this order."""
    rows = {row["urn"]: row for row in tx.get_table("entities").read_many([(urn,) for urn in urns])}
    return create_jobs_and_datasets(tx, [rows[urn] for urn in urns if urn in rows], runs=False)


def _find_urn_of_node_id(tx: TableContext, node: str) -> Urn:
    """Return the job or dataset of a nodeId. Raises InvalidQuery, NotFound.

    Namespaces may contain `:` as well: the longest namespace with a known entity wins.
    """
    kind, _, rest = node.partition(":")
    if kind == "datasetField":
        kind, rest = "dataset", rest.rpartition(":")[0]
    if kind not in KINDS or ":" not in rest or rest.count(":") > _COLONS_MOST:
        raise InvalidQuery("must be dataset:<namespace>:<name> or job:<namespace>:<name>", "nodeId")
    for spelling in _iterate_namespace_name_splits(rest):
        if (urn := _find_urn_of_name(tx, kind, spelling)) is not None:
            return urn
    raise NotFound("node", node)


def _iterate_namespace_name_splits(text: str) -> Iterator[OriginalName]:
    """Yield every split of a text into a namespace and a name, the longest namespace first."""
    at = text.find(f":{PREFIX}")
    if at > 0:
        yield OriginalName(text[:at], text[at + 1 :])
    for position in reversed([position for position, character in enumerate(text) if character == ":"]):
        if 0 < position < len(text) - 1:
            yield OriginalName(text[:position], text[position + 1 :])


def _find_urn_of_name(tx: TableContext, kind: str, original_name: OriginalName) -> Urn | None:
    """Return the URN of OpenLineage's name; an entity that no event named has its URN as its name."""
    name = _STATEMENT.sub("", original_name.name) if kind == "job" else original_name.name
    if name.startswith(PREFIX):
        try:
            urn = Urn.parse(name)
        except InvalidName:
            return None
        return urn if urn.type == KINDS[kind] else None
    row = tx.get_table("openlineage_names").read((KINDS[kind], original_name.namespace, name))
    return None if row is None else Urn.parse(row["urn"])
