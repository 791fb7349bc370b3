"""Lay out a directed graph in layers from left to right, with bends where edges pass a layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor

from jupyter_colophon.rendering.drawing.layering import Edges, assign_layers, find_back_edges, reverse_edges
from jupyter_colophon.rendering.drawing.ordering import Neighbours, Rows, sort_rows
from jupyter_colophon.rendering.drawing.positioning import compute_centres

NODE_WIDTH, NODE_HEIGHT = 184, 48
LAYER_GAP, ROW_GAP, BEND_SIZE = 64, 22, 16

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """The upper left corner of each node, and the points of each edge from its source to its target."""

    nodes: list[Point]
    routes: list[list[Point]]
    backward: list[bool]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class _SplitGraph:
    """The graph with a bend in each layer that an edge passes, so that no edge crosses a node. Bends are nodes after
    those of the graph.
    """

    layers: list[int]
    edges: list[tuple[int, int]]
    #: The bends of each edge, from left to right.
    bends: list[list[int]]

    def list_neighbours(self) -> Neighbours:
        """Return the neighbours of each node and bend."""
        before: list[list[int]] = [[] for _ in self.layers]
        after: list[list[int]] = [[] for _ in self.layers]
        for source, target in self.edges:
            after[source].append(target)
            before[target].append(source)
        return Neighbours(before, after)


def compute_layout(count: int, edges: Edges) -> Layout:
    """Return the layout of the graph over the numbers from 0 to count - 1. It is always the same for the same graph."""
    backward = find_back_edges(count, edges)
    graph = _split_long_edges(edges, assign_layers(count, reverse_edges(edges, backward)), backward)
    neighbours = graph.list_neighbours()
    rows = sort_rows(_create_first_rows(graph, neighbours), neighbours, len(graph.layers))
    centres = compute_centres(rows, neighbours, lambda node: NODE_HEIGHT + ROW_GAP if node < count else BEND_SIZE)
    halves = [NODE_HEIGHT / 2 if node < count else 0.0 for node in range(len(centres))]
    shift = max([0.0, *(half - centre for centre, half in zip(centres, halves, strict=True))])
    places: list[Point] = [
        (layer * (NODE_WIDTH + LAYER_GAP), floor(centre - half + shift + 0.5))
        for layer, centre, half in zip(graph.layers, centres, halves, strict=True)
    ]
    routes = [
        _create_route(places[source], places[target], [places[bend] for bend in bends], is_back=is_back)
        for (source, target), bends, is_back in zip(edges, graph.bends, backward, strict=True)
    ]
    nodes = places[:count]
    return Layout(
        nodes,
        routes,
        backward,
        max((x + NODE_WIDTH for x, _ in nodes), default=0),
        max([0.0, *(y + NODE_HEIGHT for _, y in nodes), *(y for route in routes for _, y in route)]),
    )


def _split_long_edges(edges: Edges, layers: Sequence[int], backward: Sequence[bool]) -> _SplitGraph:
    graph = _SplitGraph(list(layers), [], [])
    for (source, target), is_back in zip(edges, backward, strict=True):
        last, end = (target, source) if is_back else (source, target)
        bends: list[int] = []
        for layer in range(layers[last] + 1, layers[end]):
            bend = len(graph.layers)
            graph.layers.append(layer)
            graph.edges.append((last, bend))
            bends.append(bend)
            last = bend
        if source != target:
            graph.edges.append((last, end))
        graph.bends.append(bends)
    return graph


def _create_first_rows(graph: _SplitGraph, neighbours: Neighbours) -> Rows:
    """Return the first order of the rows, by a traversal from left to right, which keeps connected nodes together."""
    rows: Rows = [[] for _ in range(max(graph.layers, default=-1) + 1)]
    visited: set[int] = set()
    for start in sorted(range(len(graph.layers)), key=graph.layers.__getitem__):
        stack = [start]
        while stack:
            node = stack.pop()
            if node not in visited:
                visited.add(node)
                rows[graph.layers[node]].append(node)
                stack.extend(reversed(neighbours.after[node]))
    return rows


def _create_route(source: Point, target: Point, bends: Sequence[Point], *, is_back: bool) -> list[Point]:
    start = source[0] + NODE_WIDTH, source[1] + NODE_HEIGHT / 2
    end = target[0], target[1] + NODE_HEIGHT / 2
    between = [point for x, y in bends for point in ((x, y), (x + NODE_WIDTH, y))]
    if not is_back:
        return [start, *between, end]
    below = _list_points_below(source)
    turn = below if source == target else [*below, *reversed(between), *_list_points_below(target)]
    return [start, *turn, end]


def _list_points_below(node: Point) -> list[Point]:
    """Return the points below a node, from right to left, where a backward edge turns."""
    x, y = node[0], node[1] + NODE_HEIGHT + ROW_GAP / 2
    return [(x + NODE_WIDTH, y), (x, y)]
