"""What a principal may not read in lineage: it is counted and neither shown nor walked through (spec LINEAGE-10)."""

from dataclasses import replace

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn, program
from jupyter_colophon.core.lineage.answers import PathQuestion
from jupyter_colophon.core.lineage.field_lineage import FieldQuestion
from jupyter_colophon.core.lineage.graph import LineageQuestion, Window
from jupyter_colophon.core.lineage.run import ColumnEdge
from jupyter_colophon.service.lineage.cdap_lineage import find_accesses
from jupyter_colophon.service.lineage.field_lineage import field_lineage
from jupyter_colophon.service.lineage.lineage import LineageReader
from jupyter_colophon.service.read_policy import Gate
from support.catalog import ADA, touch
from support.urns import table

OPEN, MINE, SECRET, BEYOND = table("open"), table("mine"), table("plans", "secret"), table("beyond")
LOAD, HIDE, SHOW = (str(program(space, "app", "flows", "f")) for space in ("sales", "secret", "shown"))


class AllBut:
    """Everything is everybody's but one namespace."""

    def may(self, _principal: Principal, _action: Action, namespace: str) -> bool:
        return namespace != "secret"


@pytest.fixture
def reader(catalog: Catalog) -> LineageReader:
    """open - LOAD - mine, plans; mine - HIDE - beyond; plans - SHOW - beyond; HIDE and plans are secret."""
    columns = [ColumnEdge(Urn.parse(SECRET), "x", Urn.parse(BEYOND), "y", "identity")]
    touch(catalog, LOAD, "1", ("read", OPEN), ("write", MINE), ("write", SECRET))
    touch(catalog, HIDE, "1", ("read", MINE), ("write", BEYOND))
    touch(catalog, SHOW, "1", ("read", SECRET), ("write", BEYOND), columns=columns)
    return replace(catalog.lineage, gate=Gate(AllBut(), catalog.identity, catalog.provider))


def asked(urn: str, levels: int = 9, direction: str = "downstream") -> LineageQuestion:
    return LineageQuestion(Urn.parse(urn), direction, levels, Window(0, 9_000))  # type: ignore[arg-type]


def test_hidden_nodes_are_counted_at_their_neighbours_and_not_walked_through(reader: LineageReader) -> None:
    found = reader.lineage(asked(OPEN), ADA)
    assert {node.urn: (node.hidden_upstream, node.hidden_downstream) for node in found.nodes} == {
        OPEN: (0, 0),
        LOAD: (0, 1),
        MINE: (0, 1),
    }
    assert {end for edge in found.edges for end in (edge.source, edge.target)} == {OPEN, LOAD, MINE}
    assert (found.truncated, found.frontier) == (False, ())
    above = reader.lineage(asked(BEYOND, direction="upstream"), ADA)
    assert {node.urn: node.hidden_upstream for node in above.nodes} == {BEYOND: 1, SHOW: 1}


def test_no_other_question_tells_of_them(reader: LineageReader, catalog: Catalog) -> None:
    ways = PathQuestion(Urn.parse(OPEN), Urn.parse(BEYOND))
    assert reader.paths(ways, ADA).levels is None
    assert catalog.lineage.paths(ways, ADA).count == 2
    assert reader.impact(asked(OPEN), ADA).by_namespace == {"sales": 2}
    told = find_accesses(reader, asked(OPEN, direction="undirected"), ADA, rollup=True)
    assert {end for one in told.met for end in (one.data, one.program)} == set(told.nodes) == {OPEN, LOAD, MINE}
    fields = FieldQuestion(Urn.parse(BEYOND), Window(0, 9_000))
    assert field_lineage(reader, fields, ADA).incoming == []
    assert len(field_lineage(catalog.lineage, fields, ADA).incoming) == 1
    for question in (asked(SECRET), asked(HIDE)):
        with pytest.raises(NotFound):
            reader.lineage(question, ADA)
    with pytest.raises(NotFound):
        reader.paths(PathQuestion(Urn.parse(OPEN), Urn.parse(SECRET)), ADA)


def test_a_walk_does_not_begin_at_what_is_hidden(reader: LineageReader) -> None:
    found = reader.lineage(replace(asked(OPEN), frontier=(OPEN, SECRET, HIDE)), ADA)
    assert {node.urn for node in found.nodes} == {OPEN, LOAD, MINE}
