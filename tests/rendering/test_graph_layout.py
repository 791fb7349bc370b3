"""The layout of any graph, cycles included."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.rendering.graph_layout import layout

NODES = st.lists(st.text("abcdefgh", min_size=1, max_size=2), unique=True, max_size=14)


@st.composite
def graphs(draw):
    nodes = draw(NODES)
    ends = st.sampled_from(nodes) if nodes else st.nothing()
    return nodes, draw(st.lists(st.tuples(ends, ends), max_size=40) if nodes else st.just([]))


@given(graphs())
def test_every_node_has_a_place_of_its_own(graph):
    nodes, edges = graph
    places = layout(nodes, edges)
    assert set(places) == set(nodes)
    assert len(set(places.values())) == len(nodes)


@given(graphs())
def test_without_cycles_every_edge_goes_to_the_right(graph):
    nodes, edges = graph
    order = {node: index for index, node in enumerate(nodes)}
    forward = [(a, b) for a, b in edges if order[a] < order[b]]
    places = layout(nodes, forward)
    assert all(places[a][0] < places[b][0] for a, b in forward)


@given(graphs())
def test_the_same_graph_is_always_drawn_the_same(graph):
    assert layout(*graph) == layout(*graph)


def test_a_source_stands_just_before_what_it_leads_to():
    places = layout(("a", "b", "c", "d", "late"), [("a", "b"), ("b", "c"), ("c", "d"), ("late", "d")])
    assert places["late"][0] == places["c"][0]


def test_a_chain_of_thousands_is_laid_out():
    nodes = [str(number) for number in range(5_000)]
    places = layout(nodes, list(pairwise(nodes)))
    assert places["4999"] == (4_999, 0)


def test_edges_that_need_not_cross_do_not():
    places = layout(("a", "b", "c", "x", "y", "z"), [("a", "z"), ("b", "y"), ("c", "x")])
    rows = [(places[a][1], places[b][1]) for a, b in (("a", "z"), ("b", "y"), ("c", "x"))]
    assert all(left == right for left, right in rows)


def test_ends_that_are_no_nodes_count_for_nothing():
    assert layout(("a",), [("a", "unknown"), ("unknown", "a"), ("a", "a")]) == {"a": (0, 0)}
