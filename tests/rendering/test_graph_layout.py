"""The layout of arbitrary graphs, including cycles."""

from itertools import combinations, pairwise

from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.rendering.drawing.layout import NODE_HEIGHT, NODE_WIDTH, compute_layout

COUNTS = st.integers(1, 14)


@st.composite
def graphs(draw):
    count = draw(COUNTS)
    nodes = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(nodes, nodes), max_size=40))


@given(graphs())
def test_nodes_do_not_overlap(graph):
    places = compute_layout(*graph).nodes
    assert len(places) == graph[0]
    assert all(abs(a[0] - b[0]) >= NODE_WIDTH or abs(a[1] - b[1]) >= NODE_HEIGHT for a, b in combinations(places, 2))


@given(graphs())
def test_acyclic_edges_point_right(graph):
    count, edges = graph
    forward = [(a, b) for a, b in edges if a < b]
    layout = compute_layout(count, forward)
    assert all(layout.nodes[a][0] < layout.nodes[b][0] for a, b in forward)
    assert not any(layout.backward)


@given(graphs())
def test_edges_lead_from_their_source_to_their_target(graph):
    layout = compute_layout(*graph)
    for (a, b), route in zip(graph[1], layout.routes, strict=True):
        assert route[0] == (layout.nodes[a][0] + NODE_WIDTH, layout.nodes[a][1] + NODE_HEIGHT / 2)
        assert route[-1] == (layout.nodes[b][0], layout.nodes[b][1] + NODE_HEIGHT / 2)


@given(graphs())
def test_layout_is_deterministic(graph):
    assert compute_layout(*graph) == compute_layout(*graph)


def test_source_is_next_to_its_successor():
    a, b, c, d, late = range(5)
    places = compute_layout(5, [(a, b), (b, c), (c, d), (late, d)]).nodes
    assert places[late][0] == places[c][0]


def test_long_chain_is_laid_out():
    layout = compute_layout(2_000, list(pairwise(range(2_000))))
    assert layout.nodes[-1] == (1_999 * 248, 0)


def test_avoidable_crossings_are_avoided():
    edges = [(0, 5), (1, 4), (2, 3)]
    places = compute_layout(6, edges).nodes
    assert all(places[a][1] == places[b][1] for a, b in edges)


def test_long_edge_passes_between_nodes():
    layout = compute_layout(3, [(0, 1), (1, 2), (0, 2)])
    bend = layout.routes[2][1]
    assert bend[0] == layout.nodes[1][0]
    assert not layout.nodes[1][1] <= bend[1] <= layout.nodes[1][1] + NODE_HEIGHT
