"""Place the nodes of ordered layers vertically: near their neighbours, without overlap."""

from collections.abc import Callable, Sequence
from itertools import accumulate, pairwise

from jupyter_colophon.rendering.drawing.ordering import Neighbours, Rows

ROUNDS = 8


def compute_centres(rows: Rows, neighbours: Neighbours, get_height: Callable[[int], float]) -> list[float]:
    """Return the vertical centre of each node."""
    centres = [0.0] * sum(map(len, rows))
    gaps = [_compute_gaps(row, get_height) for row in rows]
    for row, row_gaps in zip(rows, gaps, strict=True):
        for node, at in zip(row, accumulate(row_gaps), strict=True):
            centres[node] = at

    def move_row(layer: int, beside: Sequence[Sequence[int]]) -> None:
        row = rows[layer]
        targets = [_compute_mean([centres[other] for other in beside[node]], centres[node]) for node in row]
        for node, at in zip(row, fit_positions(targets, gaps[layer]), strict=True):
            centres[node] = at

    for _ in range(ROUNDS):
        for layer in range(len(rows)):
            move_row(layer, neighbours.before)
        for layer in reversed(range(len(rows))):
            move_row(layer, neighbours.after)
    return centres


def fit_positions(targets: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Fit positions to targets, in the given order and at least `gaps[i]` after the previous one.

    Least squares under an order is isotonic regression; pool-adjacent-violators solves it in one pass.
    """
    offsets = list(accumulate([0.0, *gaps[1:]]))[: len(targets)]
    blocks: list[tuple[float, int]] = []
    for target, offset in zip(targets, offsets, strict=True):
        total, members = target - offset, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / members:
            before, more = blocks.pop()
            total, members = before + total, more + members
        blocks.append((total, members))
    shifts = [total / members for total, members in blocks for _ in range(members)]
    return [offset + shift for offset, shift in zip(offsets, shifts, strict=True)]


def _compute_gaps(row: Sequence[int], get_height: Callable[[int], float]) -> list[float]:
    """Return the least distance of each node of a row to the one above it."""
    heights = [get_height(node) for node in row]
    return [0.0, *((above + below) / 2 for above, below in pairwise(heights))][: len(row)]


def _compute_mean(numbers: Sequence[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default
