"""The layout of arbitrary graphs, including cycles."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.rendering.graph_layout import arrange_nodes

NODES = st.lists(st.text("abcdefgh", min_size=1, max_size=2), unique=True, max_size=14)


@st.composite
def graphs(draw):
    nodes = draw(NODES)
    ends = st.sampled_from(nodes) if nodes else st.nothing()
    return nodes, draw(st.lists(st.tuples(ends, ends), max_size=40) if nodes else st.just([]))


@given(graphs())
def test_nodes_have_distinct_positions(graph):
    nodes, edges = graph
    places = arrange_nodes(nodes, edges)
    assert set(places) == set(nodes)
    assert len(set(places.values())) == len(nodes)


@given(graphs())
def test_acyclic_edges_point_right(graph):
    nodes, edges = graph
    order = {node: index for index, node in enumerate(nodes)}
    forward = [(a, b) for a, b in edges if order[a] < order[b]]
    places = arrange_nodes(nodes, forward)
    assert all(places[a][0] < places[b][0] for a, b in forward)


@given(graphs())
def test_layout_is_deterministic(graph):
    assert arrange_nodes(*graph) == arrange_nodes(*graph)


def test_source_is_next_to_its_successor():
    places = arrange_nodes(("a", "b", "c", "d", "late"), [("a", "b"), ("b", "c"), ("c", "d"), ("late", "d")])
    assert places["late"][0] == places["c"][0]


def test_long_chain_is_laid_out():
    nodes = [str(number) for number in range(5_000)]
    places = arrange_nodes(nodes, list(pairwise(nodes)))
    assert places["4999"] == (4_999, 0)


def test_avoidable_crossings_are_avoided():
    places = arrange_nodes(("a", "b", "c", "x", "y", "z"), [("a", "z"), ("b", "y"), ("c", "x")])
    rows = [(places[a][1], places[b][1]) for a, b in (("a", "z"), ("b", "y"), ("c", "x"))]
    assert all(left == right for left, right in rows)


def test_edges_to_unknown_nodes_are_ignored():
    assert arrange_nodes(("a",), [("a", "unknown"), ("unknown", "a"), ("a", "a")]) == {"a": (0, 0)}
