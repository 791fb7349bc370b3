"""Lineage of hidden entities: counted, but neither shown nor traversed (spec LINEAGE-10)."""

import time
from dataclasses import replace

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn, make_cell_program_urn, make_notebook_program_urn, make_program_urn
from jupyter_colophon.core.lineage.answers import PathRequest
from jupyter_colophon.core.lineage.column_impact import ColumnImpactRequest
from jupyter_colophon.core.lineage.field_lineage import FieldLineageRequest
from jupyter_colophon.core.lineage.graph import LineageRequest, TimeWindow
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.service.lineage.cdap_lineage import find_accesses_around_data
from jupyter_colophon.service.lineage.cell_states import CellStateReader
from jupyter_colophon.service.lineage.column_impact import read_column_impact
from jupyter_colophon.service.lineage.field_lineage import read_field_lineage
from jupyter_colophon.service.lineage.lineage import LineageReader
from jupyter_colophon.service.read_policy import ReadPolicy
from support.catalog import ADA, record_run
from support.urns import build_table_urn

OPEN, MINE, SECRET, BEYOND = (
    build_table_urn("open"),
    build_table_urn("mine"),
    build_table_urn("plans", "secret"),
    build_table_urn("beyond"),
)
LOAD, HIDE, SHOW = (str(make_program_urn(space, "app", "flows", "f")) for space in ("sales", "secret", "shown"))


class AllBut:
    """An authorizer that hides one namespace."""

    def may(self, _principal: Principal, _action: Action, namespace: str) -> bool:
        return namespace != "secret"


@pytest.fixture
def reader(catalog: Catalog) -> LineageReader:
    """Build open - LOAD - mine, plans; mine - HIDE - beyond; plans - SHOW - beyond; HIDE and plans are hidden."""
    columns = [ColumnEdge(Urn.parse(SECRET), "x", Urn.parse(BEYOND), "y", "identity")]
    record_run(catalog, LOAD, "1", ("read", OPEN), ("write", MINE), ("write", SECRET))
    record_run(catalog, HIDE, "1", ("read", MINE), ("write", BEYOND))
    record_run(catalog, SHOW, "1", ("read", SECRET), ("write", BEYOND), columns=columns)
    return replace(catalog.lineage, read_policy=ReadPolicy(AllBut(), catalog.identity, catalog.provider))


def create_question(urn: str, levels: int = 9, direction: str = "downstream") -> LineageRequest:
    return LineageRequest(Urn.parse(urn), direction, levels, TimeWindow(0, 9_000))  # type: ignore[arg-type]


def test_hidden_nodes_are_counted_at_their_neighbours_and_not_walked_through(reader: LineageReader) -> None:
    found = reader.read_lineage(create_question(OPEN), ADA)
    assert {node.urn: (node.hidden_upstream, node.hidden_downstream) for node in found.nodes} == {
        OPEN: (0, 0),
        LOAD: (0, 1),
        MINE: (0, 1),
    }
    assert {end for edge in found.edges for end in (edge.source, edge.target)} == {OPEN, LOAD, MINE}
    assert (found.truncated, found.frontier) == (False, ())
    above = reader.read_lineage(create_question(BEYOND, direction="upstream"), ADA)
    assert {node.urn: node.hidden_upstream for node in above.nodes} == {BEYOND: 1, SHOW: 1}


def test_paths_impact_and_diff_reveal_no_hidden_node(reader: LineageReader, catalog: Catalog) -> None:
    ways = PathRequest(Urn.parse(OPEN), Urn.parse(BEYOND))
    assert reader.find_paths(ways, ADA).levels is None
    assert catalog.lineage.find_paths(ways, ADA).count == 2
    assert reader.count_impact(create_question(OPEN), ADA).by_namespace == {"sales": 2}
    accesses = find_accesses_around_data(reader, create_question(OPEN, direction="undirected"), ADA, rollup=True)
    assert (
        {end for one in accesses.accesses for end in (one.data, one.program)}
        == set(accesses.nodes)
        == {OPEN, LOAD, MINE}
    )
    fields = FieldLineageRequest(Urn.parse(BEYOND), TimeWindow(0, 9_000))
    assert read_field_lineage(reader, fields, ADA).incoming == []
    assert len(read_field_lineage(catalog.lineage, fields, ADA).incoming) == 1
    for question in (create_question(SECRET), create_question(HIDE)):
        with pytest.raises(NotFound):
            reader.read_lineage(question, ADA)
    with pytest.raises(NotFound):
        reader.find_paths(PathRequest(Urn.parse(OPEN), Urn.parse(SECRET)), ADA)


def test_walk_from_hidden_node_is_not_found(reader: LineageReader) -> None:
    found = reader.read_lineage(replace(create_question(OPEN), frontier=(OPEN, SECRET, HIDE)), ADA)
    assert {node.urn for node in found.nodes} == {OPEN, LOAD, MINE}


def test_impact_of_column_reveals_no_hidden_node(reader: LineageReader, catalog: Catalog) -> None:
    def edge(source: str, field: str, target: str, target_field: str) -> ColumnEdge:
        return ColumnEdge(Urn.parse(source), field, Urn.parse(target), target_field, "identity")

    columns = [edge(OPEN, "a", MINE, "b"), edge(OPEN, "a", SECRET, "x")]
    record_run(catalog, LOAD, "2", ("read", OPEN), ("write", MINE), ("write", SECRET), columns=columns)
    record_run(catalog, HIDE, "2", ("read", MINE), ("write", BEYOND), columns=[edge(MINE, "b", BEYOND, "z")])

    def read(of: LineageReader) -> tuple[list[tuple[str, str]], list[str]]:
        impact = read_column_impact(of, ColumnImpactRequest(Urn.parse(OPEN), "a"), ADA)
        return [(column.dataset, column.column) for column in impact.columns], [user.urn for user in impact.may_use]

    assert read(reader) == ([(MINE, "b")], [])
    affected, possible = read(catalog.lineage)
    assert set(affected) == {(MINE, "b"), (SECRET, "x"), (BEYOND, "y"), (BEYOND, "z")}
    assert possible == []
    with pytest.raises(NotFound):
        read_column_impact(reader, ColumnImpactRequest(Urn.parse(SECRET), "x"), ADA)


def test_cell_states_name_neither_hidden_data_nor_a_hidden_writer(reader: LineageReader, catalog: Catalog) -> None:
    notebook, cell = make_notebook_program_urn("sales", "a.ipynb"), make_cell_program_urn("sales", "a.ipynb", "c1")
    record_run(catalog, str(cell), "1", ("read", SECRET), ("read", OPEN))
    time.sleep(0.01)
    record_run(catalog, HIDE, "2", ("write", SECRET), ("write", OPEN))
    states = CellStateReader(replace(catalog.runs, read_policy=reader.read_policy))
    ((state,), (whole,)) = (each.list_cell_states(notebook, None, ADA) for each in (states, catalog.cell_states))
    assert [(change.data, change.program, change.run) for change in state.changes] == [(OPEN, None, None)]
    assert {(change.data, change.program) for change in whole.changes} == {(OPEN, HIDE), (SECRET, HIDE)}
