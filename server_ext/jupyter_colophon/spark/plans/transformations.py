"""The kinds of use of a column, ranked from the weakest to the strongest."""

from typing import TypeAlias

from jupyter_colophon.capture.observation import Transformation

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
"""A column's id and its kind of use, an index into RANKS."""


def is_direct_use(rank: int) -> bool:
    """Return whether values flow, rather than control which rows there are."""
    return rank >= IDENTITY


def combine_column_uses(near: int, far: int) -> int:
    """Return the kind of use of a column through another: an indirect use makes the whole path indirect."""
    if not is_direct_use(near):
        return near
    return max(near, far) if is_direct_use(far) else far
