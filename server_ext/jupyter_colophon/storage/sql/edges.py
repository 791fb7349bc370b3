"""What an edge of the lineage looks like once its accesses are read; the same on every SQL store."""

from jupyter_colophon.core.lineage.graph import COMPONENTS_MAX, Window
from jupyter_colophon.storage.spi import Edge

#: Times (ms) before and after all others.
NEVER, ALWAYS = 0, 2**63 - 1
#: How many components of an edge are read: one more than an answer has, which shows that there are more.
COMPONENTS_READ = COMPONENTS_MAX + 1
#: An edge by its ends and its mode.
Triple = tuple[str, str, str]
#: One access of a run: the run, its start and stop, and the component.
Access = tuple[str, int, int | None, str]


def few(triple: Triple, found: list[Access], runs: int) -> Edge:
    """An edge with all its accesses in hand, newest first."""
    if not found:
        return Edge(*triple)
    names = list(dict.fromkeys(run for run, _, _, _ in found))
    stops = [stop for _, _, stop, _ in found if stop is not None]
    components = sorted({component for _, _, _, component in found if component})
    stop = max(stops) if len(stops) == len(found) else None
    return Edge(*triple, tuple(names[:runs]), len(names), found[-1][1], stop, tuple(components[:COMPONENTS_READ]))


def bounds(window: Window) -> tuple[int, int]:
    """(end, start), in the order in which the statements test them."""
    return (ALWAYS if window.end is None else window.end, NEVER if window.start is None else window.start)
