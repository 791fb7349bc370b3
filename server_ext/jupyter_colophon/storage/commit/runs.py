"""Write runs and accesses, in separate tables because there are many of them.

Only `service/write_path.py` may import this module.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.entities.change import ChangeOperation
from jupyter_colophon.core.errors import AlreadyExists, InvalidInstance, NotFound, Problem, RunConflict
from jupyter_colophon.core.identity.names import Urn, make_run_urn, parse_program_urn
from jupyter_colophon.core.identity.urn import PREFIX
from jupyter_colophon.core.lineage.run import RUNNING, Access, ColumnEdge, RunChange, RunStart, RunStatus
from jupyter_colophon.core.model.program_types import KINDS
from jupyter_colophon.storage.commit.buffered_table import BufferedTable
from jupyter_colophon.storage.commit.columns import add_column_edges
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.snapshots import store_missing_snapshots
from jupyter_colophon.storage.lineage import statements
from jupyter_colophon.storage.lineage.table_versions import merge_table_versions
from jupyter_colophon.storage.spi import AccessLink, Row

#: The most datasets that a run may report as intended outputs.
INTENDED_MOST = 1_000
#: The wording of a status in messages.
_ENDED = {"succeeded": "succeeded", "failed": "failed", "killed": "been killed"}


def create_run(commit: CommitBuilder, start: RunStart) -> str:
    """Record a run; the same program and run id name the same run. Return its URN.

    Raises AlreadyExists if another program has a run with this id: a UUID names one run (spec ID-10).
    """
    runs = commit.tx.get_table("runs")
    program = str(start.program)
    if (existing := runs.read((program, start.run_id))) is not None:
        return str(existing["urn"])
    urn = str(make_run_urn(start.program, start.run_id))
    if any(runs.scan_index("urn", urn, 1)):
        raise AlreadyExists("a run of another program", start.run_id)
    stop = start.end
    _require_end_after_start(start.start, stop, start.status)
    if stop is None and start.status != RUNNING:
        stop = max(commit.now, start.start)
    parent = None if start.parent is None else resolve_parent_run_urn(commit, start.program, start.parent)
    application = Urn.parse(start.program.parts[0])
    commit.load_entities_at_once((application, start.program))
    commit.create_entity_if_missing(application, create_namespace=True)
    _create_program_with_tags(commit, start.program)
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
            "facts": encode_canonical_json(dict(start.facts)),
            "arguments": encode_canonical_json(dict(start.arguments)),
        }
    )
    times = [{"program": listed, "start": start.start, "urn": urn} for listed in (program, "")]
    commit.tx.get_table("run_times").upsert_many(times)
    _log_run_change(commit, start.program, "run-start", urn, {"status": start.status})
    if start.status != RUNNING:
        _log_run_change(commit, start.program, "run-end", urn, {"status": start.status})
    return urn


def _create_program_with_tags(commit: CommitBuilder, program: Urn) -> None:
    """Give an unregistered program tags for its type and mode (spec LINEAGE-18).

    Its name is not a tag: otherwise every executed cell would add a key to the list of keys.
    """
    met_before = commit.has_existed_before(program)
    commit.create_entity_if_missing(program, create_namespace=True)
    if met_before:
        return
    ours = parse_program_urn(program)
    metadata = {"properties": {}, "tags": list(KINDS["jobs" if ours is None else ours[2]])}
    filtered = commit.facts.filter_aspect_keys(
        "technicalMetadata", metadata, program, commit.get_entity_row(program)["namespace"]
    )
    if filtered is not None and filtered["tags"]:
        commit.write_aspect(program, commit.registry.get_aspect(program.type, "technicalMetadata"), filtered)


def _require_end_after_start(start: int, end: int | None, status: RunStatus) -> None:
    if end is not None and end < start:
        raise InvalidInstance("the run", (Problem("/end", "must not be before the run's start"),))
    if end is not None and status == RUNNING:
        raise InvalidInstance("the run", (Problem("/end", "a running run must not have an end"),))


def resolve_parent_run_urn(commit: CommitBuilder, program: Urn, reference: str) -> str:
    """Return the URN of a run's parent, given as URN or as run id: a UUID, or one of the same program. Raises NotFound."""
    urn = str(Urn.parse(reference)) if reference.startswith(PREFIX) else str(make_run_urn(program, reference))
    if not any(commit.tx.get_table("runs").scan_index("urn", urn, 1)):
        absent = NotFound("run", reference)
        absent.problems = (Problem("/parent", "no such run"),)
        raise absent
    return urn


def update_run_progress(commit: CommitBuilder, urn: str, change: RunChange) -> str:
    """Record the progress of a run. Return its URN. Raises RunConflict if the run has ended and is reported as
    running.
    """
    row = _require_run_row(commit, urn)
    status = change.status or row["status"]
    if status == RUNNING != row["status"]:
        raise RunConflict(row["run_id"], f"has {_ENDED[row['status']]}: it cannot be resumed")
    stop = row["stop"] if change.end is None else change.end
    _require_end_after_start(row["start"], change.end, status)
    facts = parse_stored_json(row["facts"]) | dict(change.facts)
    arguments = parse_stored_json(row["arguments"] or "{}") | dict(change.arguments)
    # Followers of the log are notified of each final status that was reported.
    ended = status != row["status"]
    if ended and stop is None:
        stop = max(commit.now, row["start"])
    changed = {
        "status": status,
        "stop": stop,
        "facts": encode_canonical_json(facts),
        "arguments": encode_canonical_json(arguments),
    }
    if change.intended:
        changed["intended_outputs"] = encode_canonical_json(_merge_intended_outputs(row, change))
    commit.tx.get_table("runs").upsert(row | changed)
    if stop != row["stop"]:
        commit.tx.edges.set_run_stop(urn, stop)
    if ended:
        _log_run_change(commit, Urn.parse(row["program"]), "run-end", urn, {"status": status})
    return urn


def _merge_intended_outputs(row: Row, change: RunChange) -> list[str]:
    """Return the intended outputs of a run with additional ones. Raises InvalidInstance if there are too many."""
    intended = sorted({*parse_stored_json(row["intended_outputs"] or "[]"), *map(str, change.intended)})
    if len(intended) > INTENDED_MOST:
        problem = Problem("/intended", f"the run has more than {INTENDED_MOST} intended outputs")
        raise InvalidInstance("the run", (problem,))
    return intended


def record_run_accesses(
    commit: CommitBuilder,
    urn: str,
    accesses: Sequence[Access],
    columns: Sequence[ColumnEdge],
    include_system_metadata: bool,
    resolve: Callable[[Urn], Urn] = lambda urn: urn,
) -> str:
    """Record the accesses of a run; data without metadata become entities. Repeating an access only updates its time.

    `resolve` returns the present name of data. Returns the run's URN.
    """
    accesses = [replace(access, data=resolve(access.data)) for access in accesses]
    columns = [replace(edge, source=resolve(edge.source), target=resolve(edge.target)) for edge in columns]
    row = _require_run_row(commit, urn)
    program = Urn.parse(row["program"])
    names = _derive_statement_names(accesses)
    commit.load_entities_at_once([program, Urn.parse(program.parts[0]), *(access.data for access in accesses)])
    first = _write_accesses(commit, row, [(access, names.get(access.statement, "")) for access in accesses])
    snapshots = dict.fromkeys((program, Urn.parse(program.parts[0]))) | {
        access.data: access.snapshot for access in reversed(first)
    }
    store_missing_snapshots(commit, urn, snapshots, include_system_metadata)
    add_column_edges(commit, row, columns)
    return urn


def _derive_statement_names(accesses: Sequence[Access]) -> dict[int | None, str]:
    """Return the names of the statements that a call numbers. Raises InvalidInstance for a mode other than read or
    write.
    """
    touched: dict[int | None, set[tuple[str, str]]] = defaultdict(set)
    for at, access in enumerate(accesses):
        if access.statement is None:
            continue
        if access.mode not in ("read", "write"):
            problem = Problem(f"/accesses/{at}/mode", "an access of a statement must be read or write")
            raise InvalidInstance("the accesses", (problem,))
        touched[access.statement].add((access.mode, str(access.data)))
    return {number: statements.derive_statement_name(pairs) for number, pairs in touched.items()}


def record_run_access(
    commit: CommitBuilder, run: Row, access: Access, include_system_metadata: bool, statement: str = ""
) -> None:
    """Record that a run accesses data, optionally in a statement.

    `include_system_metadata` also stores the system metadata of the data at that time.
    """
    for new in _write_accesses(commit, run, [(access, statement)]):
        store_missing_snapshots(commit, run["urn"], {new.data: new.snapshot}, include_system_metadata)


def _write_accesses(commit: CommitBuilder, run: Row, accesses: Sequence[tuple[Access, str]]) -> list[Access]:
    """Write accesses of a run, each with its statement or "", and return those that are the first of their kind."""
    table = BufferedTable(commit.tx.get_table("accesses"), ("run", "data", "mode", "component"))
    keys = [(run["urn"], str(access.data), access.mode, access.component) for access, _ in accesses]
    table.load_rows(keys)
    first: list[Access] = []
    links: list[AccessLink] = []
    for key, (access, statement) in zip(keys, accesses, strict=True):
        commit.create_entity_if_missing(access.data, create_namespace=True)
        existing = table.read(key)
        row = _build_access_row(commit, run, access, existing)
        table.upsert(row)
        statements.record_access_in_statement(commit.tx, row, statement, was_known=existing is not None)
        links += statements.derive_links_of_access(run, row, (statement,))
        if existing is None:
            _log_first_access(commit, run, access)
            first.append(access)
    table.write_rows()
    statements.add_lineage_links(commit.tx, links)
    return first


def record_access_outside_statements(commit: CommitBuilder, run: Row, access: Access, existing: Row | None) -> Row:
    """Record that a run without statements accesses data, and return the row of the access, formerly `existing`.

    The caller writes the row, and stores snapshots. The lineage link of an existing access is that of its run already.
    """
    commit.create_entity_if_missing(access.data, create_namespace=True)
    row = _build_access_row(commit, run, access, existing)
    if existing is None:
        statements.add_lineage_links(commit.tx, statements.derive_links_of_access(run, row, ("",)))
        _log_first_access(commit, run, access)
    return row


def _build_access_row(commit: CommitBuilder, run: Row, access: Access, existing: Row | None) -> Row:
    time = access.time or commit.now
    return {
        "run": run["urn"],
        "data": str(access.data),
        "mode": access.mode,
        "component": access.component,
        "first": min(existing["first"], time) if existing else time,
        "last": max(existing["last"], time) if existing else time,
        "recorded": existing["recorded"] if existing else commit.now,
        "table_versions": merge_table_versions([existing], (access.table_version,)),
    }


def _log_first_access(commit: CommitBuilder, run: Row, access: Access) -> None:
    value = encode_canonical_json({"mode": access.mode, "program": run["program"]})
    commit.append_to_change_log(
        commit.get_entity_row(access.data), None, "access", 0, "SYSTEM", run["urn"], None, value
    )


def _require_run_row(commit: CommitBuilder, urn: str) -> Row:
    for row in commit.tx.get_table("runs").scan_index("urn", urn, 1):
        commit.require_lock(Urn.parse(row["program"]))
        return row
    raise NotFound("run", urn)


def _log_run_change(
    commit: CommitBuilder, program: Urn, operation: ChangeOperation, run: str, value: dict[str, str]
) -> None:
    commit.append_to_change_log(
        commit.get_entity_row(program), None, operation, 0, "SYSTEM", run, None, encode_canonical_json(value)
    )
