"""Runs and accesses: the same write path as aspects, in tables of their own because they are many.

Only `service/write_path.py` may import this module.
"""

from collections import defaultdict
from collections.abc import Sequence

from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.entities.change import ChangeOperation
from jupyter_colophon.core.errors import AlreadyExists, InvalidInstance, NotFound, Problem, RunConflict
from jupyter_colophon.core.identity.names import Urn, program_of, run_urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.lineage.run import RUNNING, Access, ColumnEdge, RunChange, RunStart, RunStatus
from jupyter_colophon.core.model.program_types import KINDS
from jupyter_colophon.storage.commit.columns import record_columns
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.snapshots import keep_snapshot
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.spi import Row

#: So many data one run may be known to have meant to write.
INTENDED_MOST = 1_000
#: The words for a status in messages.
_ENDED = {"succeeded": "succeeded", "failed": "failed", "killed": "been killed"}


def start_run(commit: Commit, start: RunStart) -> str:
    """Record a run; the same program and run id again is the same run. Returns its URN.

    Raises AlreadyExists where another program has a run of that id: a UUID names one run (spec ID-10).
    """
    runs = commit.tx.table("runs")
    program = str(start.program)
    if (known := runs.read((program, start.run_id))) is not None:
        return str(known["urn"])
    urn = str(run_urn(start.program, start.run_id))
    if any(runs.scan_index("urn", urn, 1)):
        raise AlreadyExists("another program's run", start.run_id)
    stop = start.end
    _check_end(start.start, stop, start.status)
    if stop is None and start.status != RUNNING:
        stop = max(commit.now, start.start)
    parent = None if start.parent is None else parent_of(commit, start.program, start.parent)
    commit.ensure(Urn.parse(start.program.parts[0]), create_namespace=True)
    _ensure_program(commit, start.program)
    runs.upsert(
        {
            "program": program,
            "run_id": start.run_id,
            "urn": urn,
            "start": start.start,
            "stop": stop,
            "status": start.status,
            "parent": parent,
            "actor": commit.principal.user,
            "via": commit.principal.via,
            "facts": compact(dict(start.facts)),
            "arguments": compact(dict(start.arguments)),
        }
    )
    for listed in (program, ""):
        commit.tx.table("run_times").upsert({"program": listed, "start": start.start, "urn": urn})
    _announce(commit, start.program, "run-start", urn, {"status": start.status})
    if start.status != RUNNING:
        _announce(commit, start.program, "run-end", urn, {"status": start.status})
    return urn


def _ensure_program(commit: Commit, program: Urn) -> None:
    """Give a program that was never registered tags for its type and mode (spec LINEAGE-18).

    Its name is no tag: every cell that ever ran would be a key of its own for who looks for keys.
    """
    met_before = commit.existed(program)
    commit.ensure(program, create_namespace=True)
    if met_before:
        return
    ours = program_of(program)
    metadata = {"properties": {}, "tags": list(KINDS["jobs" if ours is None else ours[2]])}
    taken = commit.facts.of_aspect("technicalMetadata", metadata, program, commit.entity(program)["namespace"])
    if taken is not None and taken["tags"]:
        commit.put(program, commit.registry.aspect(program.type, "technicalMetadata"), taken)


def _check_end(start: int, end: int | None, status: RunStatus) -> None:
    if end is not None and end < start:
        raise InvalidInstance("the run", (Problem("/end", "must not be before the run's start"),))
    if end is not None and status == RUNNING:
        raise InvalidInstance("the run", (Problem("/end", "a running run must not have an end"),))


def parent_of(commit: Commit, program: Urn, reference: str) -> str:
    """Return the URN of a run's parent, given as URN or as run id: a UUID, or one of the same program. Raises
    NotFound.
    """
    urn = str(Urn.parse(reference)) if reference.startswith(PREFIX) else str(run_urn(program, reference))
    if not any(commit.tx.table("runs").scan_index("urn", urn, 1)):
        absent = NotFound("run", reference)
        absent.problems = (Problem("/parent", "no such run"),)
        raise absent
    return urn


def change_run(commit: Commit, urn: str, change: RunChange) -> str:
    """Record the progress of a run. Return its URN. Raises RunConflict if the run has ended and is reported as
    running.
    """
    row = _run(commit, urn)
    status = change.status or row["status"]
    if status == RUNNING != row["status"]:
        raise RunConflict(row["run_id"], f"has {_ENDED[row['status']]}: it cannot be resumed")
    stop = row["stop"] if change.end is None else change.end
    _check_end(row["start"], change.end, status)
    facts = stored(row["facts"]) | dict(change.facts)
    arguments = stored(row["arguments"] or "{}") | dict(change.arguments)
    # Whoever follows the log hears of each way in which it was known to have ended.
    ended = status != row["status"]
    if ended and stop is None:
        stop = max(commit.now, row["start"])
    changed = {"status": status, "stop": stop, "facts": compact(facts), "arguments": compact(arguments)}
    if change.intended:
        changed["intended_outputs"] = compact(_unite_intended(row, change))
    commit.tx.table("runs").upsert(row | changed)
    if stop != row["stop"]:
        commit.tx.edges.stop(urn, stop)
    if ended:
        _announce(commit, Urn.parse(row["program"]), "run-end", urn, {"status": status})
    return urn


def _unite_intended(row: Row, change: RunChange) -> list[str]:
    """Return what a run would have written, with what is added. Raises InvalidInstance where that is too much."""
    found = sorted({*stored(row["intended_outputs"] or "[]"), *map(str, change.intended)})
    if len(found) > INTENDED_MOST:
        problem = Problem("/intended", f"the run would have written more than {INTENDED_MOST} data")
        raise InvalidInstance("the run", (problem,))
    return found


def record_accesses(
    commit: Commit, urn: str, accesses: Sequence[Access], columns: Sequence[ColumnEdge], with_system: bool
) -> str:
    """Record what a run touched; data that nobody described yet becomes known. Repeating only refreshes the time.

    Returns the run's URN.
    """
    row = _run(commit, urn)
    program = Urn.parse(row["program"])
    for entity in (program, Urn.parse(program.parts[0])):
        keep_snapshot(commit, urn, entity, None, with_system)
    names = _name_statements(accesses)
    for access in accesses:
        record_access(commit, row, access, with_system, names.get(access.statement, ""))
    record_columns(commit, row, columns)
    return urn


def _name_statements(accesses: Sequence[Access]) -> dict[int | None, str]:
    """Return the names of the statements that one call numbers. Raises InvalidInstance for one that is not read or write."""
    touched: dict[int | None, set[tuple[str, str]]] = defaultdict(set)
    for at, access in enumerate(accesses):
        if access.statement is None:
            continue
        if access.mode not in ("read", "write"):
            problem = Problem(f"/accesses/{at}/mode", "an access of a statement is read or write")
            raise InvalidInstance("the accesses", (problem,))
        touched[access.statement].add((access.mode, str(access.data)))
    return {number: statements.name_statement(pairs) for number, pairs in touched.items()}


def record_access(commit: Commit, run: Row, access: Access, with_system: bool, statement: str = "") -> None:
    """Record that a run touches data, in a statement where one is named.

    `with_system` also keeps what machines say of the data then.
    """
    commit.ensure(access.data, create_namespace=True)
    data, time = str(access.data), access.time or commit.now
    table = commit.tx.table("accesses")
    known = table.read((run["urn"], data, access.mode, access.component))
    row = {
        "run": run["urn"],
        "data": data,
        "mode": access.mode,
        "component": access.component,
        "first": min(known["first"], time) if known else time,
        "last": max(known["last"], time) if known else time,
        "recorded": known["recorded"] if known else commit.now,
    }
    table.upsert(row)
    statements.note_statement(commit.tx, row, statement, was_known=known is not None)
    statements.add_links(commit.tx, statements.links_of_access(run, row, (statement,)))
    if known is None:
        keep_snapshot(commit, run["urn"], access.data, access.snapshot, with_system)
        value = compact({"mode": access.mode, "program": run["program"]})
        commit.log(commit.entity(access.data), None, "access", 0, "SYSTEM", run["urn"], None, value)


def _run(commit: Commit, urn: str) -> Row:
    for row in commit.tx.table("runs").scan_index("urn", urn, 1):
        return row
    raise NotFound("run", urn)


def _announce(commit: Commit, program: Urn, what: ChangeOperation, run: str, value: dict[str, str]) -> None:
    commit.log(commit.entity(program), None, what, 0, "SYSTEM", run, None, compact(value))
