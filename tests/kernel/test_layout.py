"""The layout of any graph, cycles included."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.kernel.display.graph_layout import grid

NODES = st.lists(st.text("abcdefgh", min_size=1, max_size=2), unique=True, max_size=14)


@st.composite
def graphs(draw):
    nodes = draw(NODES)
    ends = st.sampled_from(nodes) if nodes else st.nothing()
    return nodes, draw(st.lists(st.tuples(ends, ends), max_size=40) if nodes else st.just([]))


@given(graphs())
def test_every_node_has_a_place_of_its_own(graph):
    nodes, edges = graph
    places = grid(nodes, edges).places()
    assert set(places) == set(nodes)
    assert len(set(places.values())) == len(nodes)


@given(graphs())
def test_without_cycles_every_edge_goes_to_the_right(graph):
    nodes, edges = graph
    order = {node: index for index, node in enumerate(nodes)}
    forward = [(a, b) for a, b in edges if order[a] < order[b]]
    places = grid(nodes, forward).places()
    assert all(places[a][0] < places[b][0] for a, b in forward)


@given(graphs())
def test_the_same_graph_is_always_drawn_the_same(graph):
    assert grid(*graph) == grid(*graph)


def test_a_source_stands_just_before_what_it_leads_to():
    places = grid(("a", "b", "c", "d", "late"), [("a", "b"), ("b", "c"), ("c", "d"), ("late", "d")]).places()
    assert places["late"][0] == places["c"][0]


def test_a_chain_of_thousands_is_laid_out():
    nodes = [str(number) for number in range(5_000)]
    places = grid(nodes, list(pairwise(nodes))).places()
    assert places["4999"] == (4_999, 0)


def test_edges_that_need_not_cross_do_not():
    places = grid(("a", "b", "c", "x", "y", "z"), [("a", "z"), ("b", "y"), ("c", "x")]).places()
    rows = [(places[a][1], places[b][1]) for a, b in (("a", "z"), ("b", "y"), ("c", "x"))]
    assert all(left == right for left, right in rows)


def test_ends_that_are_no_nodes_count_for_nothing():
    assert grid(("a",), [("a", "unknown"), ("unknown", "a"), ("a", "a")]).columns == (("a",),)
