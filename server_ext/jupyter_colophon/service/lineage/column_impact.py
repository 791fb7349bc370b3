"""The impact of a column: the columns that depend on it, and what may use it because its columns are unknown.

Column edges are followed level by level. A dependency is `data` while values flow, and `control` from the first step on
that only affects the result, such as a filter. A program that reads a table of an affected column may use the column if
lineage of columns is unknown for what it writes; everything downstream of that may use it too.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass, field, replace
from itertools import chain, islice
from typing import TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn, make_field_urn
from jupyter_colophon.core.lineage.column_impact import (
    AffectedColumn,
    ColumnImpact,
    ColumnImpactRequest,
    Dependency,
    PossibleUser,
)
from jupyter_colophon.core.lineage.graph import MAX_RELATIONS, LineageRequest
from jupyter_colophon.core.lineage.run import VALUE_TRANSFORMATIONS
from jupyter_colophon.core.model.vocabulary import simplify_column_path
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.service.lineage.lineage import LineageQuery, LineageReader
from jupyter_colophon.service.lineage.lineage_traversal import MAX_SECONDS, WALKED
from jupyter_colophon.storage.lineage.statements import get_program_of_node
from jupyter_colophon.storage.spi import Range, Row

#: How many column edges are examined: the columns of a table are read together.
_EDGES_EXAMINED = 5 * MAX_RELATIONS
#: The approximate size of an item of a list without its texts.
_ITEM_BYTES = 200
_T = TypeVar("_T", AffectedColumn, PossibleUser)
#: A column: its dataset and its plain path.
_Column = tuple[str, str]


def read_column_impact(reader: LineageReader, request: ColumnImpactRequest, principal: Principal) -> ColumnImpact:
    """Return what depends on a column, and what may use it. Raises NotFound for an unknown dataset or column."""

    def answer(query: LineageQuery) -> ColumnImpact:
        _require_known_column(query, request)
        return _ColumnImpactWalker(query, request).walk()

    return reader.run_query_about_node(request.dataset, principal, None, answer)


def _require_known_column(query: LineageQuery, request: ColumnImpactRequest) -> None:
    """Raise NotFound if the dataset has a schema without the column, and the column has no lineage."""
    dataset, column = str(request.dataset), simplify_column_path(request.column)
    row = query.tx.get_table("aspects").read((dataset, "schemaMetadata"))
    if row is None or row["value"] is None:
        return
    paths = {simplify_column_path(item["fieldPath"]) for item in parse_stored_json(row["value"]).get("fields", ())}
    edges = query.tx.get_table("column_edges")
    if column not in paths and not any(
        chain(
            edges.scan(Range.prefix(dataset, request.column), 1),
            (edge for edge in edges.scan_index("source", dataset, _EDGES_EXAMINED) if edge["source_field"] == column),
        )
    ):
        raise NotFound("column", request.column)


@dataclass(slots=True)
class _ColumnImpactWalker:
    """Follows the lineage of one column in one transaction."""

    query: LineageQuery
    request: ColumnImpactRequest
    affected: dict[_Column, AffectedColumn] = field(default_factory=dict)
    edges_examined: int = 0
    is_truncated: bool = False
    _edges_of_dataset: dict[str, list[Row]] = field(default_factory=dict)

    def walk(self) -> ColumnImpact:
        """Follow the column downstream up to the limits of levels, edges and time."""
        deadline = self.query.clock() + MAX_SECONDS
        start = str(self.request.dataset), simplify_column_path(self.request.column)
        reached: dict[_Column, Dependency] = {start: "data"}
        for level in range(1, self.request.levels + 1):
            self.is_truncated = self.is_truncated or self.query.clock() > deadline
            if not reached or self.is_truncated:
                break
            reached = self._follow_edges(reached, level, start)
        self._read_edges_of_datasets({dataset for dataset, _ in self.affected} | {start[0]})
        possible_users = self._limit_to_response_size(self._find_possible_users())
        columns = sorted(self.affected.values(), key=lambda column: (column.level, column.dataset, column.column))
        affected_columns = self._limit_to_response_size(columns[:MAX_RELATIONS])
        self.is_truncated = self.is_truncated or len(columns) > MAX_RELATIONS
        return ColumnImpact(affected_columns, possible_users, self.is_truncated)

    def _limit_to_response_size(self, items: Sequence[_T]) -> tuple[_T, ...]:
        """Return the first items, up to half of the size of a response."""
        page = tuple(limit_items_to_page_bytes(items, _measure_item_bytes, LIST_BYTES_MAX // 2))
        self.is_truncated = self.is_truncated or len(page) < len(items)
        return page

    def _follow_edges(
        self, reached: dict[_Column, Dependency], level: int, start: _Column
    ) -> dict[_Column, Dependency]:
        """Return the columns that are reached for the first time, or for the first time by values."""
        self._read_edges_of_datasets({dataset for dataset, _ in reached})
        found: dict[_Column, Dependency] = {}
        for dataset in sorted({dataset for dataset, _ in reached}):
            for edge in self._edges_of_dataset[dataset]:
                before = reached.get((dataset, simplify_column_path(edge["source_field"])))
                target = edge["target"], simplify_column_path(edge["target_field"])
                if before is None or target == start:
                    continue
                flows = before == "data" and edge["transformation"] in VALUE_TRANSFORMATIONS
                dependency: Dependency = "data" if flows else "control"
                known = self.affected.get(target)
                if known is None or (known.dependency == "control" and flows):
                    self.affected[target] = self._create_affected_column(edge, target, level, dependency, known)
                    found[target] = dependency
        return found

    def _create_affected_column(
        self, edge: Row, target: _Column, level: int, dependency: Dependency, known: AffectedColumn | None
    ) -> AffectedColumn:
        rows = self.query.nodes.get_or_create_node_rows([target[0], edge["program"]])
        program = None if rows[edge["program"]].get("declared") else edge["program"]
        if known is not None:
            return replace(known, dependency=dependency, transformation=edge["transformation"], program=program)
        return AffectedColumn(
            urn=str(make_field_urn(Urn.parse(target[0]), target[1])),
            dataset=target[0],
            column=target[1],
            namespace=rows[target[0]]["namespace"],
            name=rows[target[0]]["name"],
            level=level,
            dependency=dependency,
            transformation=edge["transformation"],
            program=program,
        )

    def _read_edges_of_datasets(self, datasets: Collection[str]) -> None:
        """Read the visible column edges that begin at these datasets, unless they have been read."""
        table = self.query.tx.get_table("column_edges")
        for dataset in sorted(set(datasets) - self._edges_of_dataset.keys()):
            left = _EDGES_EXAMINED - self.edges_examined
            edges = list(islice(table.scan_index("source", dataset), left + 1))
            self.is_truncated = self.is_truncated or len(edges) > left
            self.edges_examined += min(len(edges), left)
            visible = self.query.nodes.filter_visible_nodes(
                {edge[end] for edge in edges for end in ("target", "program")}
            )
            self._edges_of_dataset[dataset] = [
                edge for edge in edges[:left] if edge["target"] in visible and edge["program"] in visible
            ]

    def _find_possible_users(self) -> tuple[PossibleUser, ...]:
        """Return what uses the tables of the column and of the affected columns without known columns."""
        programs, targets = self._find_accesses_without_columns()
        request = LineageRequest(
            self.request.dataset,
            "downstream",
            self.request.levels,
            limit=MAX_RELATIONS,
            frontier=tuple(sorted(targets)),
        )
        levels: Iterable[str] = ()
        if targets:
            walk = self.query.walk_visible_graph(request).to_walk_without_flows()
            levels, self.is_truncated = walk.levels, self.is_truncated or walk.truncated
        certain = {str(self.request.dataset)} | {column.dataset for column in self.affected.values()}
        certain |= {column.program for column in self.affected.values() if column.program is not None}
        urns = [urn for urn in dict.fromkeys([*sorted(programs), *levels]) if urn not in certain]
        rows, titles = self.query.nodes.get_or_create_node_rows(urns), self.query.nodes.read_program_titles(urns)
        return tuple(
            PossibleUser(urn, row["type"], row["namespace"], row["name"], titles.get(urn, ""))
            for urn, row in rows.items()
            if not row.get("declared")
        )

    def _find_accesses_without_columns(self) -> tuple[set[str], set[str]]:
        """Return the programs that read a table without known columns, and the data that they write from it."""
        tables = sorted(self._edges_of_dataset)
        reads = self.query.find_visible_neighbours("data", tables, WALKED["data", "downstream"])
        flows = sorted({flow for _, flow, _ in reads})
        targets_of_flow: dict[str, set[str]] = defaultdict(set)
        for target, flow, _ in self.query.find_visible_neighbours("program", flows, WALKED["program", "downstream"]):
            targets_of_flow[flow].add(target)
        self.is_truncated = (
            self.is_truncated or max(len(reads), sum(map(len, targets_of_flow.values()))) >= MAX_RELATIONS
        )
        programs: set[str] = set()
        unknown_targets: set[str] = set()
        for table, flow, _ in reads:
            program, targets = get_program_of_node(flow), targets_of_flow[flow] - {table}
            unknown = {target for target in targets if not self._has_columns(table, program, target)}
            if unknown or not targets:
                programs.add(program)
                unknown_targets |= unknown
        return programs, unknown_targets

    def _has_columns(self, source: str, program: str, target: str) -> bool:
        """Return whether the columns are known that a program writes from one table into another."""
        if any(
            edge["target"] == target and edge["program"] == program and edge["source_field"]
            for edge in self._edges_of_dataset[source]
        ):
            return True
        runs = self.query.tx.get_table("column_runs").scan(Range.prefix(target, program), 1)
        return next(runs, None) is not None


def _measure_item_bytes(item: AffectedColumn | PossibleUser) -> int:
    """Return the approximate size of an item in a response."""
    return _ITEM_BYTES + sum(len(text) for text in astuple(item) if isinstance(text, str))
