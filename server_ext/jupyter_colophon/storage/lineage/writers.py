"""Find the program that wrote data last (spec MODEL-23), from lineage."""

from collections.abc import Iterable
from typing import Final

from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.storage.lineage.statements import PROGRAM_WRITE
from jupyter_colophon.storage.spi import TableContext

#: The number of programs that are compared; of data with more, this many of the newest runs are checked first.
_PROGRAMS: Final = 50
_RUNS: Final = 200
#: The modes of edges over which a program writes.
WRITING: Final = ("write", "both", PROGRAM_WRITE)


def find_last_writing_program(tx: TableContext, data: str, time: int | None = None) -> str | None:
    """Return the program of the newest run that wrote data, optionally as of a time (ms); None if there is none."""
    window = TimeWindow(end=None if time is None else time + 1)
    triples = tx.edges.find_neighbours("data", [data], WRITING, window, _PROGRAMS)
    if len(triples) == _PROGRAMS:
        newest = (run for _, run in tx.edges.list_runs_of_data(data, window, _RUNS, None))
        if (writer := _find_newest_writing_program(tx, data, newest)) is not None:
            return writer
    # Declared lineage has no run.
    ran = [edge for edge in triples if _is_program_urn(edge[1])]
    if len({program for _, program, _ in ran}) <= 1:
        return next((program for _, program, _ in ran), None)
    newest_runs = [
        (_get_start_time(tx, run), edge.program) for edge in tx.edges.read_edges(ran, window, 1) for run in edge.runs
    ]
    return max(newest_runs)[1]


def _find_newest_writing_program(tx: TableContext, data: str, runs: Iterable[str]) -> str | None:
    for run in runs:
        for link in tx.edges.list_links_of_run(run):
            if link.data == data and link.mode in WRITING and _is_program_urn(link.program):
                return link.program
    return None


def _get_start_time(tx: TableContext, run: str) -> int:
    return next((int(row["start"]) for row in tx.get_table("runs").scan_index("urn", run, 1)), 0)


def _is_program_urn(urn: str) -> bool:
    return declared_lineage.parse_placeholder_source(urn) is None
