"""Order the nodes of each layer from top to bottom with few crossings of edges."""

from collections.abc import Sequence
from dataclasses import dataclass

#: Nodes by layer, each layer from top to bottom.
Rows = list[list[int]]

#: Passes over the layers in which each node moves towards its neighbours.
SWEEPS = 12


@dataclass(frozen=True, slots=True)
class Neighbours:
    """The neighbours of each node in the previous and in the next layer."""

    before: Sequence[Sequence[int]]
    after: Sequence[Sequence[int]]


def sort_rows(rows: Rows, neighbours: Neighbours, count: int) -> Rows:
    """Return the order with the fewest crossings among those of barycentre sweeps in both directions."""
    best, current = rows, rows
    fewest = count_crossings(rows, neighbours, count)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        current = _sort_rows_once(current, neighbours, count, is_forward=sweep % 2 == 0)
        crossings = count_crossings(current, neighbours, count)
        if crossings < fewest:
            best, fewest = current, crossings
    return best


def count_crossings(rows: Rows, neighbours: Neighbours, count: int) -> int:
    """Return the number of pairs of edges that cross."""
    places = _get_places(rows, count)
    return sum(
        _count_layer_crossings(row, neighbours.after, places, len(rows[layer + 1]) if layer + 1 < len(rows) else 0)
        for layer, row in enumerate(rows)
    )


def _count_layer_crossings(
    row: Sequence[int], after: Sequence[Sequence[int]], places: Sequence[int], width: int
) -> int:
    """Count the inversions of the ends of edges, in a binary indexed tree."""
    tree = [0] * (width + 1)
    crossings = total = 0
    for node in row:
        ends = sorted(places[other] for other in after[node])
        for end in ends:
            at, not_above = end + 1, 0
            while at > 0:
                not_above += tree[at]
                at -= at & -at
            crossings += total - not_above
        for end in ends:
            at = end + 1
            while at <= width:
                tree[at] += 1
                at += at & -at
            total += 1
    return crossings


def _sort_rows_once(rows: Rows, neighbours: Neighbours, count: int, *, is_forward: bool) -> Rows:
    result = [list(row) for row in rows]
    places = _get_places(result, count)
    beside = neighbours.before if is_forward else neighbours.after
    for row in result if is_forward else reversed(result):
        means = {
            node: sum(places[other] for other in beside[node]) / len(beside[node]) if beside[node] else float(index)
            for index, node in enumerate(row)
        }
        row.sort(key=lambda node: (means[node], places[node]))
        for index, node in enumerate(row):
            places[node] = index
    return result


def _get_places(rows: Rows, count: int) -> list[int]:
    places = [0] * count
    for row in rows:
        for index, node in enumerate(row):
            places[node] = index
    return places
