"""How a column is used to make another, ranked from the weakest way to the strongest."""

from typing import TypeAlias

from jupyter_colophon.spark.plans.observation import Transformation

RANKS = (
    Transformation.CONDITIONAL,
    Transformation.WINDOW,
    Transformation.SORT,
    Transformation.GROUP_BY,
    Transformation.FILTER,
    Transformation.JOIN,
    Transformation.IDENTITY,
    Transformation.TRANSFORMATION,
    Transformation.AGGREGATION,
)
"""From the weakest to the strongest."""

CONDITIONAL, WINDOW, SORT, GROUP_BY, FILTER, JOIN, IDENTITY, TRANSFORMED, AGGREGATED = range(len(RANKS))

Reference: TypeAlias = tuple[int, int]
"""A column's id and how it was used, an index into RANKS."""


def is_direct(rank: int) -> bool:
    """Return whether values flow, rather than steer which ones do."""
    return rank >= IDENTITY


def joined(near: int, far: int) -> int:
    """Return how a column was used by way of another: what steers on the way steers the whole of it."""
    if not is_direct(near):
        return near
    return max(near, far) if is_direct(far) else far
