"""Build edges of lineage from their accesses, in the same way on every SQL store."""

from jupyter_colophon.core.lineage.graph import COMPONENTS_MAX, TimeWindow
from jupyter_colophon.storage.spi import Edge

#: Times (ms) before and after all others.
NEVER, ALWAYS = 0, 2**63 - 1
#: The number of components of an edge that are read: one more than an answer has, to know whether there are more.
COMPONENTS_READ = COMPONENTS_MAX + 1
#: An edge by its ends and its mode.
Triple = tuple[str, str, str]
#: One access of a run: the run, its start and stop, and the component.
Access = tuple[str, int, int | None, str]


def build_edge_of_accesses(triple: Triple, accesses: list[Access], runs: int) -> Edge:
    """Build an edge from all its accesses, in any order."""
    if not accesses:
        return Edge(*triple)
    if len(accesses) == 1 and runs:
        # Most edges have one access.
        ((run, start, stop, component),) = accesses
        return Edge._make((*triple, (run,), 1, start, stop, (component,) if component else (), True))
    accesses = sorted(accesses, key=_get_start_and_run, reverse=True)
    names = list(dict.fromkeys(run for run, _, _, _ in accesses))
    stops = [stop for _, _, stop, _ in accesses if stop is not None]
    components = sorted({component for _, _, _, component in accesses if component})
    stop = max(stops) if len(stops) == len(accesses) else None
    return Edge(*triple, tuple(names[:runs]), len(names), accesses[-1][1], stop, tuple(components[:COMPONENTS_READ]))


def get_window_bounds(window: TimeWindow) -> tuple[int, int]:
    """Return (end, start), in the order in which the statements bind them."""
    return (ALWAYS if window.end is None else window.end, NEVER if window.start is None else window.start)


def _get_start_and_run(access: Access) -> tuple[int, str]:
    return access[1], access[0]
