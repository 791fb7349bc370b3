"""Reading runs, accesses and column edges."""

from collections.abc import Sequence

from jupyter_colophon.core.errors import Absent
from jupyter_colophon.core.jsontext import stored
from jupyter_colophon.core.lineage import Window
from jupyter_colophon.core.run import RecordedAccess, Run
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: A position in a list of runs: (start, URN).
Position = tuple[int, str]
_ALWAYS = 9223372036854775807


def run(tx: TableContext, urn: str) -> Run | None:
    """A run by its URN, or None."""
    for row in tx.table("runs").scan_index("urn", urn, 1):
        return _run(tx, row)
    return None


def existing(tx: TableContext, urn: str) -> Run:
    """A run that the same transaction has written. Raises Absent."""
    found = run(tx, urn)
    if found is None:
        raise Absent("run", urn)
    return found


def program_of(tx: TableContext, urn: str) -> str | None:
    """The URN of a run's program, without reading what the run touched; None when there is no such run."""
    return next((str(row["program"]) for row in tx.table("runs").scan_index("urn", urn, 1)), None)


def by_time(tx: TableContext, program: str, before: Position | None, limit: int) -> list[Position]:
    """Positions of a program's runs (of all, for ""), newest first, after the position `before`."""
    start, urn = before or (_ALWAYS, "")
    within = Range((program,), (program, start, urn), end_inclusive=False)
    rows = tx.table("run_times").scan(within, limit, "desc")
    return [(row["start"], row["urn"]) for row in rows]


def touching(tx: TableContext, data: str, before: Position | None, limit: int) -> list[Position]:
    """Positions of the runs that touched data, newest first, after the position `before`."""
    return tx.edges.runs_of(data, Window(), limit, before)


def columns_into(tx: TableContext, targets: Sequence[str], limit: int) -> list[Row]:
    """At most `limit` column edges whose target is one of these."""
    rows: list[Row] = []
    for target in targets:
        rows += tx.table("column_edges").scan(Range.prefix(target), limit - len(rows))
        if len(rows) >= limit:
            break
    return rows


def _run(tx: TableContext, row: Row) -> Run:
    accesses = tx.table("accesses").scan(Range.prefix(row["urn"]))
    program = tx.table("entities").read((row["program"],))
    return Run(
        urn=row["urn"],
        run_id=row["run_id"],
        program=row["program"],
        name=program["name"] if program else row["program"],
        status=row["status"],
        start=row["start"],
        end=row["stop"],
        parent=row["parent"],
        actor=row["actor"],
        via=row["via"],
        facts=stored(row["facts"]),
        accesses=tuple(
            RecordedAccess(found["data"], found["mode"], found["component"], found["first"], found["last"])
            for found in accesses
        ),
    )
