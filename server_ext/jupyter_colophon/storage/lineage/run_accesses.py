"""Read single accesses of runs, more detailed than edges; only a limited part is ever read."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from typing import TypeVar

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.core.time_format import DAY_MS
from jupyter_colophon.storage.lineage.statements import to_access_mode_of_index
from jupyter_colophon.storage.lineage.table_versions import VERSIONS_MAX, read_table_versions
from jupyter_colophon.storage.spi import Edge, FieldValue, Range, Row, TableContext

T = TypeVar("T")
Triple = tuple[str, str, str]
_AT_ONCE = 400
#: How far another clock may be ahead (ms): a run that begins later than this had not been recorded.
_AHEAD_MS = DAY_MS


@dataclass(frozen=True, slots=True)
class RunAccess:
    """An access of a run to data; declared lineage has no run."""

    data: str
    program: str
    mode: str
    run: str
    component: str


def iterate_run_accesses(tx: TableContext, edges: Sequence[Edge], as_of: int | None = None) -> Iterator[RunAccess]:
    """Yield the accesses of the runs on these edges; with a time, only those recorded by then."""
    pairs = {(run, edge.data) for edge in edges for run in edge.runs}
    accesses = _read_access_rows(tx, pairs, as_of)
    for edge in edges:
        for run in edge.runs:
            if declared_lineage.parse_version_mark(run) is not None:
                yield RunAccess(edge.data, edge.program, edge.mode, run, "")
            for component in sorted(
                _select_components_of_mode(accesses.get((run, edge.data), ()), to_access_mode_of_index(edge.mode))
            ):
                yield RunAccess(edge.data, edge.program, edge.mode, run, component)


def read_versions_of_edges(tx: TableContext, edges: Sequence[Edge]) -> dict[Triple, tuple[str, ...]]:
    """Return the versions of tables that the runs on these edges accessed, by edge, those of the newest run first."""
    rows = _read_access_rows(tx, {(run, edge.data) for edge in edges for run in edge.runs}, None)
    versions: dict[Triple, tuple[str, ...]] = {}
    for edge in edges:
        mode = to_access_mode_of_index(edge.mode)
        accessed = [row for run in edge.runs for row in rows.get((run, edge.data), ()) if row["mode"] == mode]
        found = dict.fromkeys(version for row in accessed for version in reversed(read_table_versions(row)))
        if found:
            versions[edge.data, edge.program, edge.mode] = tuple(found)[:VERSIONS_MAX]
    return versions


def clip_window_to_recorded_time(window: TimeWindow, as_of: int | None) -> TimeWindow:
    """Return the window as the catalog saw it at a time: runs that stopped later were still running."""
    if as_of is None:
        return window
    start = None if window.start is None else min(window.start, as_of + 1)
    latest = as_of + _AHEAD_MS
    return TimeWindow(start, latest if window.end is None else min(window.end, latest))


def read_run_rows(tx: TableContext, urns: Iterable[str], columns: Sequence[str] | None = None) -> dict[str, Row]:
    """Return the rows of these runs, by URN; with `columns`, only these and the URN."""
    keys = list(dict.fromkeys(filterfalse(declared_lineage.is_version_mark, urns)))
    selected = None if columns is None else ("urn", *columns)
    by_urn: dict[str, Row] = {}
    for part in _split_into_parts(keys, _AT_ONCE):
        filters = [FieldValue("urn", urn) for urn in part]
        rows = tx.get_table("runs").scan(Range(), filters=filters, columns=selected)
        by_urn |= {row["urn"]: row for row in rows}
    return by_urn


def _read_access_rows(
    tx: TableContext, pairs: Iterable[tuple[str, str]], as_of: int | None
) -> Mapping[tuple[str, str], Sequence[Row]]:
    by_pair: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for part in _split_into_parts(
        sorted(key for key in pairs if declared_lineage.parse_version_mark(key[0]) is None), _AT_ONCE
    ):
        for row in tx.get_table("accesses").scan_ranges([Range.prefix(*key) for key in part]):
            if as_of is None or _get_recorded_time(row) <= as_of:
                by_pair[row["run"], row["data"]].append(row)
    return by_pair


def _split_into_parts(everything: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    return (everything[at : at + size] for at in range(0, len(everything), size))


def _get_recorded_time(row: Row) -> int:
    """Return when an access was recorded; catalogs of earlier versions only have the time of the access."""
    time: int = row["first"] if row["recorded"] is None else row["recorded"]
    return time


def _select_components_of_mode(rows: Iterable[Row], mode: str) -> set[str]:
    """Return the components with an access of this mode; an unknown mode counts only if no mode is known (spec
    LINEAGE-5).
    """
    by_mode: dict[bool, set[str]] = {True: set(), False: set()}
    for row in rows:
        if row["mode"] == mode or mode == "unknown":
            by_mode[row["mode"] == mode].add(row["component"])
    return by_mode[True] - by_mode[False]
