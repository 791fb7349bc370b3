"""Reading runs, accesses and column edges."""

from collections.abc import Sequence

from jupyter_colophon.core.documents.codec import from_stored
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn, run_urn
from jupyter_colophon.core.lineage.graph import Window
from jupyter_colophon.core.lineage.run import RUNNING, RecordedAccess, Role, Run, Said, Snapshot, Source, Touched
from jupyter_colophon.storage.lineage.statements import statements_of_run
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
    """A run that the same transaction has written. Raises NotFound."""
    found = run(tx, urn)
    if found is None:
        raise NotFound("run", urn)
    return found


def program_of(tx: TableContext, urn: str) -> str | None:
    """The URN of a run's program, without reading what the run touched; None when there is no such run."""
    return next((str(row["program"]) for row in tx.table("runs").scan_index("urn", urn, 1)), None)


def of_program(tx: TableContext, program: str, namespace: str, run_id: str) -> Run | None:
    """A run by its key, in the namespace where its program is or was; with "" that is not asked for."""
    row = tx.table("runs").read((program, run_id))
    return None if row is None or not was_in(tx, program, namespace) else _run(tx, row)


def was_in(tx: TableContext, program: str, namespace: str) -> bool:
    """Whether there is or was this program, in this namespace; with "" that is not asked for."""
    entity = tx.table("entities").read((program,))
    return entity is not None and namespace in ("", entity["namespace"])


def wrote(tx: TableContext, source: Source, stream: str) -> bool:
    """Whether it is recorded that somebody outside wrote into a stream on that day."""
    run = str(run_urn(source.urn, source.day))
    return tx.table("accesses").read((run, stream, "write", "")) is not None


def is_of_kernel(tx: TableContext, urn: str | None, via: str | None) -> bool:
    """Whether a run was recorded by this kernel."""
    rows = () if urn is None or via is None else tx.table("runs").scan_index("urn", urn, 1)
    return any(row["via"] == via for row in rows)


def going_on(tx: TableContext, via: str) -> list[str]:
    """The URNs of the runs that this kernel has begun and not ended."""
    return [row["urn"] for row in tx.table("runs").scan_index("via", via) if row["status"] == RUNNING]


def touched(tx: TableContext, run: Run) -> list[Touched]:
    """Return a run's program and application, then its accesses, with the metadata at that time."""
    if not run.accesses:
        return []
    first, last = min(one.first for one in run.accesses), max(one.last for one in run.accesses)
    program = Urn.parse(run.program)
    about: list[tuple[str, Role, RecordedAccess | None]] = [(run.program, "program", None)]
    if program.type == "dataJob":
        about.append((program.parts[0], "application", None))
    about += [(access.data, "data", access) for access in run.accesses]
    urns = [urn for urn, _, _ in about]
    entities = {row["urn"]: row for row in tx.table("entities").multi_read([(urn,) for urn in dict.fromkeys(urns)])}
    kept = {row["entity"]: _snapshot(row) for row in tx.table("snapshots").scan(Range.prefix(run.urn))}
    return [
        Touched(
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
            snapshot=kept.get(urn, Snapshot()),
        )
        for urn, role, access in about
    ]


def snapshot_of(tx: TableContext, run: str, entity: str) -> Snapshot:
    """Return the metadata of an entity at its first access by a run; empty if the run never accessed it."""
    row = tx.table("snapshots").read((run, entity))
    return Snapshot() if row is None else _snapshot(row)


def _snapshot(row: Row) -> Snapshot:
    machines = row["system_metadata"]
    return Snapshot(_parse_metadata(row["user_metadata"]), None if machines is None else _parse_metadata(machines))


def _parse_metadata(text: str) -> Said:
    return from_stored(stored(text), Said)


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
    accesses = list(tx.table("accesses").scan(Range.prefix(row["urn"])))
    belongs = statements_of_run(tx, row["urn"]) if accesses else {}
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
        arguments=stored(row["arguments"] or "{}"),
        intended=tuple(stored(row["intended_outputs"] or "[]")),
        accesses=tuple(
            RecordedAccess(
                found["data"],
                found["mode"],
                found["component"],
                found["first"],
                found["last"],
                tuple(filter(None, belongs.get((found["data"], found["mode"], found["component"]), ()))),
            )
            for found in accesses
        ),
    )
