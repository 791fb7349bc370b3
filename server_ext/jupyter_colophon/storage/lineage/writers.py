"""Which program wrote data last (spec MODEL-23): made of lineage, and stored nowhere else."""

from collections.abc import Iterable
from typing import Final

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import Window
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.storage.lineage.statements import PROGRAM_WRITE
from jupyter_colophon.storage.spi import TableContext

#: How many programs are compared; where data have more, so many of the newest runs are looked at first.
_PROGRAMS: Final = 50
_RUNS: Final = 200
#: The modes of edges over which a program writes.
WRITING: Final = ("write", "both", PROGRAM_WRITE)


def last_writer(tx: TableContext, data: str, time: int | None = None) -> str | None:
    """The program of the newest run that wrote data, or had at a time (in ms); None where none did."""
    window = Window(end=None if time is None else time + 1)
    found = tx.edges.around("data", [data], WRITING, window, _PROGRAMS)
    if len(found) == _PROGRAMS:
        newest = (run for _, run in tx.edges.runs_of(data, window, _RUNS, None))
        if (writer := _first_that_wrote(tx, data, newest)) is not None:
            return writer
    # What somebody states is no run.
    ran = [edge for edge in found if _is_program(edge[1])]
    if len({program for _, program, _ in ran}) <= 1:
        return next((program for _, program, _ in ran), None)
    newest_runs = [(_start(tx, run), edge.program) for edge in tx.edges.details(ran, window, 1) for run in edge.runs]
    return max(newest_runs)[1]


def _first_that_wrote(tx: TableContext, data: str, runs: Iterable[str]) -> str | None:
    for run in runs:
        for link in tx.edges.of_run(run):
            if link.data == data and link.mode in WRITING and _is_program(link.program):
                return link.program
    return None


def _start(tx: TableContext, run: str) -> int:
    return next((int(row["start"]) for row in tx.table("runs").scan_index("urn", run, 1)), 0)


def _is_program(urn: str) -> bool:
    return declared_lineage.source_of(Urn.parse(urn)) is None
