"""What runs touched, access by access: finer than the edges of lineage, of which it is asked for a bounded part."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from jupyter_colophon.core.lineage.graph import Window
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.storage.lineage.statements import access_mode
from jupyter_colophon.storage.spi import Edge, Field, Range, Row, TableContext

T = TypeVar("T")
Triple = tuple[str, str, str]
_AT_ONCE = 400
#: So far ahead of ours a clock may be: a run that begins later than this was not known (ms).
_AHEAD_MS = 86_400_000
_NAMED_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Touch:
    """An access of a run to data; what is asserted has no run that anybody knows."""

    data: str
    program: str
    mode: str
    run: str
    component: str


def of_edges(tx: TableContext, edges: Sequence[Edge], as_of: int | None = None) -> Iterator[Touch]:
    """Return the accesses of the runs on these edges; with a time, only those recorded by then."""
    wanted = {(run, edge.data) for edge in edges for run in edge.runs}
    known = _accesses(tx, wanted, as_of)
    for edge in edges:
        for run in edge.runs:
            if declared_lineage.parse_version_mark(run) is not None:
                yield Touch(edge.data, edge.program, edge.mode, run, "")
            for component in sorted(_standing(known.get((run, edge.data), ()), access_mode(edge.mode))):
                yield Touch(edge.data, edge.program, edge.mode, run, component)


def clipped(window: Window, as_of: int | None) -> Window:
    """The window as the catalog saw it at a time: what has stopped since then was running."""
    if as_of is None:
        return window
    start = None if window.start is None else min(window.start, as_of + 1)
    latest = as_of + _AHEAD_MS
    return Window(start, latest if window.end is None else min(window.end, latest))


def runs_named(tx: TableContext, urns: Iterable[str]) -> dict[str, Row]:
    """The rows of these runs, by URN."""
    asked = sorted({urn for urn in urns if declared_lineage.parse_version_mark(urn) is None})
    found: dict[str, Row] = {}
    for part in _parts(asked, _NAMED_AT_ONCE):
        rows = tx.table("runs").scan(Range(), filters=[Field("urn", urn) for urn in part])
        found |= {row["urn"]: row for row in rows}
    return found


def _accesses(
    tx: TableContext, wanted: Iterable[tuple[str, str]], as_of: int | None
) -> Mapping[tuple[str, str], Sequence[Row]]:
    found: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for part in _parts(sorted(key for key in wanted if declared_lineage.parse_version_mark(key[0]) is None), _AT_ONCE):
        for row in tx.table("accesses").multi_scan([Range.prefix(*key) for key in part]):
            if as_of is None or _recorded(row) <= as_of:
                found[row["run"], row["data"]].append(row)
    return found


def _parts(everything: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (everything[at : at + size] for at in range(0, len(everything), size))


def _recorded(row: Row) -> int:
    """Since when it is known; stores of earlier releases have only when it happened."""
    found: int = row["first"] if row["recorded"] is None else row["recorded"]
    return found


def _standing(rows: Iterable[Row], mode: str) -> set[str]:
    """The components with an access of this kind; one of unknown kind counts where none of a known kind is (5.4)."""
    by_mode: dict[bool, set[str]] = {True: set(), False: set()}
    for row in rows:
        if row["mode"] == mode or mode == "unknown":
            by_mode[row["mode"] == mode].add(row["component"])
    return by_mode[True] - by_mode[False]
