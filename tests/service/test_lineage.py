"""Lineage: levels, directions, windows, limits (spec LINEAGE-3)."""

import time
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidQuery, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.answers import PathRequest
from jupyter_colophon.core.lineage.graph import Lineage, LineageRequest, TimeWindow
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, RunChange, RunStart
from support.catalog import ADA, delete_entity_or_aspect, record_run, write_metadata
from support.stores import open_new_catalog
from support.urns import build_cell_urn, build_table_urn

A, B, C, D, E = (build_table_urn(name) for name in "abcde")
P, Q, R = (build_cell_urn(name) for name in "pqr")


def drawn(catalog: Catalog, urn: str, direction: str = "both", levels: int = 1, **more: Any) -> Lineage:
    return catalog.lineage.read_lineage(LineageRequest(Urn.parse(urn), direction, levels, **more), ADA)  # type: ignore[arg-type]


def levels_of(found: Lineage) -> dict[str, int]:
    return {node.name.removeprefix("shop.ipynb#"): node.level for node in found.nodes}


def edges_of(found: Lineage) -> set[tuple[str, str]]:
    names = {node.urn: node.name.removeprefix("shop.ipynb#") for node in found.nodes}
    return {(names[edge.source], names[edge.target]) for edge in found.edges}


@pytest.fixture
def chain(catalog: Catalog) -> Catalog:
    """a - p - b - q - c - r - d"""
    record_run(catalog, P, "1", ("read", A), ("write", B))
    record_run(catalog, Q, "1", ("read", B), ("write", C))
    record_run(catalog, R, "1", ("read", C), ("write", D))
    return catalog


class TestLevels:
    def test_one_level_is_data_programs_and_their_other_data(self, chain: Catalog) -> None:
        found = drawn(chain, A)
        assert levels_of(found) == {"a": 0, "p": 1, "b": 1}
        assert edges_of(found) == {("a", "p"), ("p", "b")}
        assert levels_of(drawn(chain, A, levels=2)) == {"a": 0, "p": 1, "b": 1, "q": 2, "c": 2}

    def test_upstream_levels_are_negative_and_directions_separate(self, chain: Catalog) -> None:
        assert levels_of(drawn(chain, C)) == {"q": -1, "b": -1, "c": 0, "r": 1, "d": 1}
        assert levels_of(drawn(chain, C, "upstream")) == {"q": -1, "b": -1, "c": 0}
        assert levels_of(drawn(chain, C, "downstream")) == {"c": 0, "r": 1, "d": 1}

    def test_walk_may_start_at_a_program(self, chain: Catalog) -> None:
        assert levels_of(drawn(chain, Q)) == {"b": -1, "q": 0, "c": 1}
        assert levels_of(drawn(chain, Q, levels=2)) == {"a": -2, "p": -2, "b": -1, "q": 0, "c": 1, "r": 2, "d": 2}

    def test_cycle_terminates(self, catalog: Catalog) -> None:
        record_run(catalog, P, "1", ("read", A), ("write", B))
        record_run(catalog, Q, "1", ("read", B), ("write", A))
        record_run(catalog, R, "1", ("both", A))
        found = drawn(catalog, A, levels=20)
        assert set(levels_of(found)) == {"a", "b", "p", "q", "r"}
        assert edges_of(found) == {("a", "p"), ("p", "b"), ("b", "q"), ("q", "a"), ("a", "r"), ("r", "a")}
        assert not found.truncated

    def test_entity_without_lineage_is_empty_and_unknown_one_not_found(self, catalog: Catalog) -> None:
        write_metadata(catalog, A)
        found = drawn(catalog, A)
        assert (levels_of(found), found.edges, found.frontier) == ({"a": 0}, (), ())
        with pytest.raises(NotFound):
            drawn(catalog, B)

    def test_only_data_and_programs_have_lineage(self, catalog: Catalog) -> None:
        for urn in ("urn:li:namespace:default", "urn:li:dataFlow:(colophon,notebook,default)", "urn:li:corpuser:x"):
            with pytest.raises(InvalidQuery):
                drawn(catalog, urn)


class TestUnknown:
    def test_known_access_replaces_unknown_one_of_same_run(self, catalog: Catalog) -> None:
        record_run(catalog, P, "1", ("unknown", A), ("read", A), ("write", B))
        assert [edge.access for edge in drawn(catalog, A).edges] == ["read", "write"]
        assert levels_of(drawn(catalog, A, "upstream")) == {"a": 0}
        found = drawn(catalog, A, "downstream")
        assert levels_of(found) == {"a": 0, "p": 1, "b": 1}
        (node,) = [node for node in found.nodes if node.level == 0]
        assert (node.hidden_upstream, node.hidden_downstream) == (0, 0)

    def test_unknown_access_of_another_run_stays(self, catalog: Catalog) -> None:
        record_run(catalog, P, "1", ("read", A))
        run = record_run(catalog, P, "2", ("unknown", A))
        found = {edge.access: edge.runs for edge in drawn(catalog, A).edges}
        assert set(found) == {"read", "unknown"}
        assert found["unknown"] == (run,)


class TestWindows:
    CASES = (
        (TimeWindow(2_000, 3_000), True, "within"),
        (TimeWindow(1_500, 1_600), False, "before it"),
        (TimeWindow(5_001, 9_000), False, "after it"),
        (TimeWindow(2_500, 2_600), True, "spans the window"),
        (TimeWindow(5_000, 6_000), True, "it stops when the window starts: inclusive"),
        (TimeWindow(1_000, 2_000), False, "it starts when the window ends: exclusive"),
        (TimeWindow(1_000, 2_001), True, "one millisecond more"),
        (TimeWindow(None, 2_001), True, "no start"),
        (TimeWindow(5_000, None), True, "no end"),
        (TimeWindow(None, None), True, "ever"),
    )

    def test_window_includes_its_start_and_excludes_its_end(self, catalog: Catalog) -> None:
        record_run(catalog, P, "1", ("read", A), ("write", B), start=2_000, end=5_000)
        for window, there, why in self.CASES:
            assert bool(drawn(catalog, A, window=window).edges) is there, why

    def test_running_run_lasts_until_it_ends(self, catalog: Catalog) -> None:
        run = record_run(catalog, P, "1", ("read", A), start=2_000)
        late = TimeWindow(9_000, 9_001)
        assert drawn(catalog, A, window=late).edges[0].end is None
        catalog.write_path.update_run(run, RunChange("succeeded", 8_999), ADA)
        assert drawn(catalog, A, window=late).edges == ()
        assert drawn(catalog, A).edges[0].end == 8_999

    def test_run_recorded_as_ended_without_time_has_ended(self, catalog: Catalog) -> None:
        for status in ("succeeded", "failed", "killed"):
            start = RunStart(Urn.parse(P), status, 2_000, status=status)  # type: ignore[arg-type]
            run = catalog.write_path.start_run(start, ADA).urn
            assert catalog.runs.read_visible_run(run, ADA).end is not None

    def test_only_runs_in_the_window_are_shown_and_counted(self, catalog: Catalog) -> None:
        record_run(catalog, P, "old", ("read", A), ("write", B), start=1_000, end=2_000)
        record_run(catalog, Q, "new", ("read", A), ("write", C), start=5_000, end=6_000)
        found = drawn(catalog, A, window=TimeWindow(4_000, 9_000))
        assert levels_of(found) == {"a": 0, "q": 1, "c": 1}
        assert {(node.hidden_upstream, node.hidden_downstream) for node in found.nodes} == {(0, 0)}
        (read, _) = sorted(found.edges, key=lambda edge: edge.access)
        assert (read.start, read.end, read.run_count) == (5_000, 6_000, 1)


class TestBounds:
    def test_hidden_neighbours_are_counted_and_on_the_frontier(self, chain: Catalog) -> None:
        found = drawn(chain, B)
        hidden = {node.name: (node.hidden_upstream, node.hidden_downstream) for node in found.nodes}
        assert hidden["a"] == (0, 0)
        assert hidden["c"] == (0, 1)
        assert found.frontier == (C,)
        assert not found.truncated
        assert drawn(chain, B, levels=2).frontier == ()

    def test_excess_relations_are_cut_and_reported(self, catalog: Catalog) -> None:
        for number in range(30):
            record_run(
                catalog, build_cell_urn(f"c{number:02}"), "1", ("read", A), ("write", build_table_urn(f"t{number:02}"))
            )
        found = drawn(catalog, A, limit=10)
        assert (len(found.edges), found.truncated) == (10, True)
        assert A in found.frontier
        urns = {node.urn for node in found.nodes}
        assert all({edge.source, edge.target} <= urns for edge in found.edges)
        (focus,) = [node for node in found.nodes if node.urn == A]
        assert focus.hidden_downstream == 20
        whole = drawn(catalog, A, limit=60)
        assert (len(whole.edges), whole.truncated, whole.frontier) == (60, False, ())

    def test_hidden_neighbours_are_counted_beyond_a_thousand(self, catalog: Catalog) -> None:
        record_run(catalog, P, "1", ("read", B), ("write", A))
        # With ten other tests running, this can exceed the transaction timeout.
        for begin in range(0, 1_250, 125):
            record_run(
                catalog, P, "1", *(("write", build_table_urn(f"t{number}")) for number in range(begin, begin + 125))
            )
        (program,) = [node for node in drawn(catalog, A, direction="upstream").nodes if node.urn == P]
        assert (program.hidden_downstream, program.hidden_at_least) == (1_250, False)

    def test_edge_has_ten_newest_runs_and_total_count(self, catalog: Catalog) -> None:
        runs = [record_run(catalog, P, f"run{n}", ("read", A), start=1_000 + n, end=2_000 + n) for n in range(12)]
        (edge,) = drawn(catalog, A).edges
        assert edge.runs == tuple(reversed(runs[2:]))
        assert (edge.run_count, edge.start, edge.end) == (12, 1_000, 2_011)

    def test_edge_has_component_names(self, catalog: Catalog) -> None:
        run = record_run(catalog, P, "1", ("read", A))
        for component in ("join", "filter", "join"):
            catalog.write_path.record_run_accesses(run, [Access(Urn.parse(A), "read", component)], [], ADA)
        (edge,) = drawn(catalog, A).edges
        assert (edge.components, edge.run_count) == (("filter", "join"), 1)


class TestNodes:
    def test_deleted_node_stays_marked_as_deleted(self, chain: Catalog) -> None:
        delete_entity_or_aspect(chain, B)
        assert {node.name: node.deleted for node in drawn(chain, A).nodes}["b"] is True
        assert levels_of(drawn(chain, B)) == {"p": -1, "a": -1, "b": 0, "q": 1, "c": 1}

    def test_columns_are_returned_on_request_between_shown_nodes(self, catalog: Catalog) -> None:
        columns = [
            ColumnEdge(Urn.parse(A), "x", Urn.parse(B), "y", "identity"),
            ColumnEdge(Urn.parse(E), "x", Urn.parse(B), "z", "aggregation"),
        ]
        record_run(catalog, P, "1", ("read", A), ("write", B), columns=columns)
        assert drawn(catalog, A).columns == ()
        (column,) = drawn(catalog, A, columns=True).columns
        assert (column.source, column.source_field, column.target, column.target_field) == (A, "x", B, "y")
        assert (column.program, column.transformation) == (P, "identity")


def test_uncounted_runs_of_an_edge_as_of_a_time_are_reported(tmp_path: Path) -> None:
    as_of = time.time_ns() // 1_000_000 + 600_000
    with open_new_catalog("sqlite", tmp_path) as catalog:
        record_run(catalog, P, "first", ("read", A), ("write", B), end=2_000)
        for number in range(999):
            record_run(catalog, P, str(number), ("read", A), start=2_000 + number, end=5_000)
        found = drawn(catalog, A, as_of=as_of)
        assert (max(edge.run_count for edge in found.edges), found.truncated) == (1_000, False)
        record_run(catalog, P, "last", ("read", A), start=4_000, end=5_000)
        more = drawn(catalog, A, as_of=as_of)
        assert (max(edge.run_count for edge in more.edges), more.truncated) == (1_000, True)
        paths = catalog.lineage.find_paths(PathRequest(Urn.parse(A), Urn.parse(B), as_of=as_of), ADA)
        assert (paths.count, paths.truncated) == (1, True)
