"""Read runs, accesses and column edges."""

from collections.abc import Iterator, Mapping, Sequence

from jupyter_colophon.core.documents.codec import from_stored_form
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import (
    Urn,
    get_cell_prefix,
    make_notebook_program_urn,
    make_run_urn,
    parse_notebook_program_urn,
)
from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.core.lineage.run import (
    RUNNING,
    EntitySnapshot,
    FactValue,
    RecordedAccess,
    Role,
    Run,
    RunEntity,
    ScopeSnapshot,
    StreamWriter,
)
from jupyter_colophon.storage.lineage.statements import read_run_statements
from jupyter_colophon.storage.lineage.table_versions import read_table_versions
from jupyter_colophon.storage.spi import Range, Row, TableContext

#: A position in a list of runs: (start, URN).
Position = tuple[int, str]
_ALWAYS = 9223372036854775807
#: How many runs of a kernel are read to find its notebook: almost every kernel has runs of one notebook only.
_KERNEL_RUNS_READ = 20
#: How many runs of a kernel are read to find the one that it executes now.
_RUNS_SEARCHED = 1_000


def find_run_by_urn(tx: TableContext, urn: str) -> Run | None:
    """Return a run by its URN, None if it does not exist."""
    for row in tx.get_table("runs").scan_index("urn", urn, 1):
        return _build_run_of_row(tx, row)
    return None


def read_run_of_same_transaction(tx: TableContext, urn: str) -> Run:
    """Return a run that the same transaction has written. Raises NotFound."""
    written = find_run_by_urn(tx, urn)
    if written is None:
        raise NotFound("run", urn)
    return written


def find_program_of_run(tx: TableContext, urn: str) -> str | None:
    """Return the URN of a run's program without reading its accesses; None if the run does not exist."""
    return next((str(row["program"]) for row in tx.get_table("runs").scan_index("urn", urn, 1)), None)


def find_run_by_key(tx: TableContext, program: str, namespace: str, run_id: str) -> Run | None:
    """Return a run by its key, in the namespace where its program is or was; "" means any namespace."""
    row = tx.get_table("runs").read((program, run_id))
    return None if row is None or not was_program_in_namespace(tx, program, namespace) else _build_run_of_row(tx, row)


def was_program_in_namespace(tx: TableContext, program: str, namespace: str) -> bool:
    """Return whether a program exists or existed in this namespace; "" means any namespace."""
    entity = tx.get_table("entities").read((program,))
    return entity is not None and namespace in ("", entity["namespace"])


def has_recorded_stream_write(tx: TableContext, source: StreamWriter, stream: str) -> bool:
    """Return whether a write of an external source into a stream on that day is recorded."""
    run = str(make_run_urn(source.urn, source.day))
    return tx.get_table("accesses").read((run, stream, "write", "")) is not None


def is_run_of_kernel(tx: TableContext, urn: str | None, kernel: str | None) -> bool:
    """Return whether a run was recorded by this kernel."""
    rows = () if urn is None or kernel is None else tx.get_table("runs").scan_index("urn", urn, 1)
    return any(row["via"] == kernel for row in rows)


def list_unfinished_runs_of_kernel(
    tx: TableContext, kernel: str, actor: str = "", until_ms: int | None = None
) -> list[str]:
    """Return the URNs of the unfinished runs of this kernel, optionally of a user, and that began by a time."""
    rows = (row for row in tx.get_table("runs").scan_index("via", kernel) if row["status"] == RUNNING)
    return [
        row["urn"] for row in rows if actor in ("", row["actor"]) and (until_ms is None or row["start"] <= until_ms)
    ]


def list_run_entities(tx: TableContext, run: Run) -> list[RunEntity]:
    """Return a run's program and application, then its accesses, with the metadata at that time."""
    if not run.accesses:
        return []
    first, last = min(item.first for item in run.accesses), max(item.last for item in run.accesses)
    program = Urn.parse(run.program)
    about: list[tuple[str, Role, RecordedAccess | None]] = [(run.program, "program", None)]
    if program.type == "dataJob":
        about.append((program.parts[0], "application", None))
    about += [(access.data, "data", access) for access in run.accesses]
    urns = [urn for urn, _, _ in about]
    entities = {row["urn"]: row for row in tx.get_table("entities").read_many([(urn,) for urn in dict.fromkeys(urns)])}
    snapshots = {
        row["entity"]: _parse_entity_snapshot(row) for row in tx.get_table("snapshots").scan(Range.prefix(run.urn))
    }
    return [
        RunEntity(
            urn=urn,
            role=role,
            type=entities[urn]["type"],
            namespace=entities[urn]["namespace"],
            name=entities[urn]["name"],
            deleted=entities[urn]["deleted"],
            mode=None if access is None else access.mode,
            component="" if access is None else access.component,
            first=first if access is None else access.first,
            last=last if access is None else access.last,
            snapshot=snapshots.get(urn, EntitySnapshot()),
            table_versions=() if access is None else access.table_versions,
        )
        for urn, role, access in about
    ]


def read_entity_snapshot(tx: TableContext, run: str, entity: str) -> EntitySnapshot:
    """Return the metadata of an entity at its first access by a run; empty if the run never accessed it."""
    row = tx.get_table("snapshots").read((run, entity))
    return EntitySnapshot() if row is None else _parse_entity_snapshot(row)


def _parse_entity_snapshot(row: Row) -> EntitySnapshot:
    machines = row["system_metadata"]
    return EntitySnapshot(
        _parse_scope_snapshot(row["user_metadata"]), None if machines is None else _parse_scope_snapshot(machines)
    )


def _parse_scope_snapshot(text: str) -> ScopeSnapshot:
    return from_stored_form(parse_stored_json(text), ScopeSnapshot)


def list_run_positions_of_program(
    tx: TableContext, program: str, before: Position | None, limit: int
) -> list[Position]:
    """Return positions of a program's runs (of all, for ""), newest first, after the position `before`."""
    start, urn = before or (_ALWAYS, "")
    within = Range((program,), (program, start, urn), end_inclusive=False)
    rows = tx.get_table("run_times").scan(within, limit, "desc")
    return [(row["start"], row["urn"]) for row in rows]


def iterate_newest_runs(tx: TableContext, programs: Sequence[str]) -> Iterator[Run]:
    """Yield the newest run of each of these programs that has one, newest first."""
    newest = [position for program in programs for position in list_run_positions_of_program(tx, program, None, 1)]
    for _, urn in sorted(newest, reverse=True):
        run = find_run_by_urn(tx, urn)
        if run is not None:
            yield run


def list_notebook_programs(tx: TableContext, notebook: Urn, limit: int | None) -> list[str]:
    """Return the program of a notebook, and at most `limit` of its cells (None: all); deleted ones are left out."""
    prefix = get_cell_prefix(notebook)
    # "$" is the character after "#", so this range has exactly the URNs with the prefix.
    cells = Range((prefix,), (prefix[:-1] + "$",), end_inclusive=False)
    rows = [*tx.get_table("entities").read_many([(str(notebook),)]), *tx.get_table("entities").scan(cells, limit)]
    return [row["urn"] for row in rows if not row["deleted"]]


def list_notebook_paths(tx: TableContext, namespace: str, path: str) -> list[str]:
    """Return the paths of the notebooks with records that are at a path, or below it if it is that of a folder."""
    notebook = make_notebook_program_urn(namespace, path)
    cells = get_cell_prefix(notebook)
    folders = (f"{str(notebook)[:-1]}/", f"{cells[:-1]}/")
    # These ranges have exactly the URNs with the prefixes: "0" is the character after "/", and "$" the one after "#".
    ranges = [Range((prefix,), (prefix[:-1] + "0",), end_inclusive=False) for prefix in folders]
    ranges.append(Range((cells,), (cells[:-1] + "$",), end_inclusive=False))
    table = tx.get_table("entities")
    rows = [*table.read_many([(str(notebook),)]), *(row for within in ranges for row in table.scan(within))]
    places = (parse_notebook_program_urn(Urn.parse(row["urn"])) for row in rows if not row["deleted"])
    return sorted({place[0] for place in places if place is not None})


def list_newest_facts_of_cells(tx: TableContext, notebook: Urn, limit: int) -> dict[str, Mapping[str, FactValue]]:
    """Return the facts of the newest run of each of at most `limit` cells of a notebook, by program."""
    cells = [program for program in list_notebook_programs(tx, notebook, limit) if program != str(notebook)]
    newest = [position for cell in cells for position in list_run_positions_of_program(tx, cell, None, 1)]
    rows = [row for _, urn in newest for row in tx.get_table("runs").scan_index("urn", urn, 1)]
    return {row["program"]: parse_stored_json(row["facts"]) for row in rows}


def find_notebook_of_kernel(tx: TableContext, kernel: str) -> str | None:
    """Return the present path of the notebook that a kernel recorded runs of; None if there is none."""
    rows = tx.get_table("runs").scan_index("via", kernel, _KERNEL_RUNS_READ)
    places = (parse_notebook_program_urn(Urn.parse(row["program"])) for row in rows)
    return next((place[0] for place in places if place is not None), None)


def find_program_and_run_of_kernel(tx: TableContext, kernel: str) -> tuple[str | None, str | None]:
    """Return the program that a kernel executed last, and its run if that has not ended; None where none is recorded.

    Only a bounded number of runs is read.
    """
    rows = list(tx.get_table("runs").scan_index("via", kernel, _RUNS_SEARCHED))
    if not rows:
        return None, None
    newest = max(rows, key=lambda row: (row["status"] == RUNNING, row["start"]))
    return newest["program"], newest["urn"] if newest["status"] == RUNNING else None


def list_actors_of_newest_runs(tx: TableContext, programs: Sequence[str]) -> set[str]:
    """Return the users of the newest run of each of these programs."""
    newest = [position for program in programs for position in list_run_positions_of_program(tx, program, None, 1)]
    return {row["actor"] for _, urn in newest for row in tx.get_table("runs").scan_index("urn", urn, 1)}


def read_program_titles(tx: TableContext, programs: Sequence[str]) -> dict[str, str]:
    """Return the titles of programs that have one."""
    keys = [(program, "dataJobInfo") for program in programs]
    rows = tx.get_table("aspects").read_many(keys, ("urn", "value")) if keys else ()
    names = {row["urn"]: parse_stored_json(row["value"]).get("name") for row in rows if row["value"] is not None}
    return {urn: name for urn, name in names.items() if isinstance(name, str) and name}


def list_run_positions_of_data(tx: TableContext, data: str, before: Position | None, limit: int) -> list[Position]:
    """Return positions of the runs that accessed data, newest first, after the position `before`."""
    return tx.edges.list_runs_of_data(data, TimeWindow(), limit, before)


def list_column_rows_into(tx: TableContext, targets: Sequence[str], limit: int) -> list[Row]:
    """Return at most `limit` column edges into these targets."""
    rows: list[Row] = []
    for target in targets:
        rows += tx.get_table("column_edges").scan(Range.prefix(target), limit - len(rows))
        if len(rows) >= limit:
            break
    return rows


def _build_run_of_row(tx: TableContext, row: Row) -> Run:
    accesses = list(tx.get_table("accesses").scan(Range.prefix(row["urn"])))
    belongs = read_run_statements(tx, row["urn"]) if accesses else {}
    program = tx.get_table("entities").read((row["program"],))
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
        facts=parse_stored_json(row["facts"]),
        arguments=parse_stored_json(row["arguments"] or "{}"),
        intended=tuple(parse_stored_json(row["intended_outputs"] or "[]")),
        accesses=tuple(
            RecordedAccess(
                access["data"],
                access["mode"],
                access["component"],
                access["first"],
                access["last"],
                tuple(filter(None, belongs.get((access["data"], access["mode"], access["component"]), ()))),
                read_table_versions(access),
            )
            for access in accesses
        ),
        title=read_program_titles(tx, [row["program"]]).get(row["program"], ""),
    )
