"""Runs and accesses: the same write path as aspects, in tables of their own because they are many.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Sequence

from jupyter_colophon.core.change import ChangeOperation
from jupyter_colophon.core.errors import Absent, AlreadyThere, InvalidInstance, Problem
from jupyter_colophon.core.jsontext import compact, stored
from jupyter_colophon.core.names import Urn, run_urn
from jupyter_colophon.core.run import Access, ColumnEdge, RunChange, RunStart
from jupyter_colophon.storage.commit import Commit
from jupyter_colophon.storage.spi import Row


def start_run(commit: Commit, start: RunStart) -> str:
    """Record a run; the same program and run id again is the same run. Returns its URN.

    Raises AlreadyThere where another program has a run of that id: a UUID names one run (architecture.md, Identity, 7).
    """
    runs = commit.tx.table("runs")
    program = str(start.program)
    if (known := runs.read((program, start.run_id))) is not None:
        return str(known["urn"])
    urn = str(run_urn(start.program, start.run_id))
    if any(runs.scan_index("urn", urn, 1)):
        raise AlreadyThere("another program's run", start.run_id)
    stop = start.end
    _check_end(start.start, stop)
    if stop is None and start.status != "running":
        stop = max(commit.now, start.start)
    commit.ensure(Urn.parse(start.program.parts[0]), create_namespace=True)
    commit.ensure(start.program, create_namespace=True)
    runs.upsert(
        {
            "program": program,
            "run_id": start.run_id,
            "urn": urn,
            "start": start.start,
            "stop": stop,
            "status": start.status,
            "parent": start.parent,
            "actor": commit.principal.user,
            "via": commit.principal.via,
            "facts": compact(dict(start.facts)),
        }
    )
    for listed in (program, ""):
        commit.tx.table("run_times").upsert({"program": listed, "start": start.start, "urn": urn})
    _announce(commit, start.program, "run-start", urn, {"status": start.status})
    if start.status != "running":
        _announce(commit, start.program, "run-end", urn, {"status": start.status})
    return urn


def _check_end(start: int, end: int | None) -> None:
    if end is not None and end < start:
        raise InvalidInstance("the run", (Problem("/end", "is before the run's start"),))


def change_run(commit: Commit, urn: str, change: RunChange) -> str:
    """Record how a run went on. Returns its URN."""
    row = _run(commit, urn)
    status = change.status or row["status"]
    stop = row["stop"] if change.end is None else change.end
    _check_end(row["start"], change.end)
    facts = stored(row["facts"]) | dict(change.facts)
    ended = row["status"] == "running" and status != "running"
    if ended and stop is None:
        stop = max(commit.now, row["start"])
    commit.tx.table("runs").upsert(row | {"status": status, "stop": stop, "facts": compact(facts)})
    if stop != row["stop"]:
        commit.tx.edges.stop(urn, stop)
    if ended:
        _announce(commit, Urn.parse(row["program"]), "run-end", urn, {"status": status})
    return urn


def record_accesses(commit: Commit, urn: str, accesses: Sequence[Access], columns: Sequence[ColumnEdge]) -> str:
    """Record what a run touched; data that nobody described yet becomes known. Repeating only refreshes the time.

    Returns the run's URN.
    """
    row = _run(commit, urn)
    for access in accesses:
        _record_access(commit, row, access)
    table = commit.tx.table("column_edges")
    for edge in columns:
        table.upsert(
            {
                "target": str(edge.target),
                "target_field": edge.target_field,
                "source": str(edge.source),
                "source_field": edge.source_field,
                "program": row["program"],
                "transformation": edge.transformation,
                "run": urn,
                "last": commit.now,
            }
        )
    return urn


def _record_access(commit: Commit, run: Row, access: Access) -> None:
    commit.ensure(access.data, create_namespace=True)
    data, time = str(access.data), access.time or commit.now
    table = commit.tx.table("accesses")
    known = table.read((run["urn"], data, access.mode, access.component))
    table.upsert(
        {
            "run": run["urn"],
            "data": data,
            "mode": access.mode,
            "component": access.component,
            "first": known["first"] if known else time,
            "last": max(known["last"], time) if known else time,
        }
    )
    commit.tx.edges.add(data, run["program"], access.mode, run["urn"], access.component, run["start"], run["stop"])
    if known is None:
        value = compact({"mode": access.mode, "program": run["program"]})
        commit.log(commit.entity(access.data), None, "access", 0, "SYSTEM", run["urn"], None, value)


def _run(commit: Commit, urn: str) -> Row:
    for row in commit.tx.table("runs").scan_index("urn", urn, 1):
        return row
    raise Absent("run", urn)


def _announce(commit: Commit, program: Urn, what: ChangeOperation, run: str, value: dict[str, str]) -> None:
    commit.log(commit.entity(program), None, what, 0, "SYSTEM", run, None, compact(value))
