"""Find the writes of data after a time, in the newest runs that accessed it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.storage.lineage.run_accesses import read_run_rows
from jupyter_colophon.storage.spi import Range, TableContext

#: How many of the newest runs that accessed data are examined.
_RUNS: Final = 50
_WRITING: Final = ("write", "both")


@dataclass(frozen=True, slots=True)
class LaterWrite:
    """The last write of a run to data."""

    program: str
    run: str
    time: int


@dataclass(frozen=True, slots=True)
class LaterWrites:
    """The writes of data after a time, newest first; `is_complete` unless more runs accessed it since than are examined."""

    writes: Sequence[LaterWrite]
    is_complete: bool = True


def list_later_writes(tx: TableContext, data: str, since: int) -> LaterWrites:
    """Return the writes of data after `since` (ms). The number of rows that are read is bounded."""
    positions = tx.edges.list_runs_of_data(data, ALL_TIME, _RUNS, None)
    times: dict[str, int] = defaultdict(int)
    for row in tx.get_table("accesses").scan_ranges([Range.prefix(run, data) for _, run in positions]):
        if row["mode"] in _WRITING and row["last"] > since:
            times[row["run"]] = max(times[row["run"]], row["last"])
    programs = {run: row["program"] for run, row in read_run_rows(tx, times, ["program"]).items()}
    writes = [LaterWrite(programs[run], run, time) for run, time in times.items() if run in programs]
    is_complete = len(positions) < _RUNS or positions[-1][0] <= since
    return LaterWrites(sorted(writes, key=lambda write: write.time, reverse=True), is_complete)
