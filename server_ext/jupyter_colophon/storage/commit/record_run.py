"""What is told of a run of a program that is known: nothing but the run is made.

Only `service/write_path.py` may import this module.
"""

from jupyter_colophon.core.errors import NotFound, RunConflict
from jupyter_colophon.core.identity.names import Urn, run_urn
from jupyter_colophon.core.lineage.run import RUNNING, Access, Recording, RunChange, RunStart, RunStatus, Source
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.storage.commit.commit import Commit
from jupyter_colophon.storage.commit.runs import change_run, parent_of, record_access, record_accesses, start_run
from jupyter_colophon.storage.spi import Row

#: What an entity is called where it is not there.
_CALLED = {"dataFlow": "application", "dataJob": "program"}


def record(commit: Commit, told: Recording, with_system: bool) -> str:
    """Record what is told of a run, and what it touched. Returns its URN. Raises NotFound, RunConflict."""
    _require(commit, Urn.parse(told.program.parts[0]), told.namespace)
    _require(commit, told.program, told.namespace)
    for access in told.accesses:
        _require(commit, access.data, access.namespace)
    urn = str(run_urn(told.program, told.run_id))
    known = commit.tx.table("runs").read((str(told.program), told.run_id))
    # Who tells an end and no more means that it came to its end.
    status = told.status or (None if told.end is None else "succeeded")
    if known is None:
        _begin(commit, told, status or RUNNING)
    else:
        _go_on(commit, known, told, status)
    if told.accesses:
        record_accesses(commit, urn, told.accesses, (), with_system)
    return urn


def _begin(commit: Commit, told: Recording, status: RunStatus) -> None:
    first = min((access.time for access in told.accesses if access.time is not None), default=commit.now)
    start = first if told.start is None else told.start
    start_run(
        commit,
        RunStart(told.program, told.run_id, start, told.end, status, told.parent, told.facts, told.arguments),
    )


def _go_on(commit: Commit, known: Row, told: Recording, status: RunStatus | None) -> None:
    if told.start not in (None, known["start"]):
        raise RunConflict(told.run_id, f"began at {format_time(known['start'])}")
    if told.parent is not None and parent_of(commit, told.program, told.parent) != known["parent"]:
        raise RunConflict(told.run_id, "has another parent")
    if told.status is None and known["status"] != RUNNING:
        status = None  # It has ended in some way: a time alone does not say that it was another one.
    if status is not None or told.end is not None or told.facts or told.arguments:
        change_run(commit, known["urn"], RunChange(status, told.end, told.facts, told.arguments))


def _require(commit: Commit, urn: Urn, namespace: str) -> None:
    """Raise NotFound, naming what it is, unless the entity is there, in this namespace where one is told."""
    row = commit.entity(urn)
    if row["deleted"] or namespace not in ("", row["namespace"]):
        data = "stream" if commit.identity.is_stream(urn) else "dataset"
        raise NotFound(_CALLED.get(urn.type, data), row["name"])
    commit.refuse_ending(urn)


def record_source(commit: Commit, stream: Urn, source: Source) -> str:
    """Record that somebody outside wrote into a stream on a day. Returns the URN of the day's run.

    Once, however many tell it at the same time: the day is the run's id, so the keys of run and access hold it.
    """
    _require(commit, stream, "")
    runs, program = commit.tx.table("runs"), str(source.urn)
    urn = str(run_urn(source.urn, source.day))
    row = runs.read((program, source.day))
    if row is None:
        commit.ensure(source.urn, create_namespace=False)
        row = {"program": program, "run_id": source.day, "urn": urn, "start": source.start, "stop": source.end}
        row |= {"status": "succeeded", "parent": None, "actor": commit.principal.user, "via": commit.principal.via}
        row |= {"facts": "{}", "arguments": "{}"}
        runs.upsert(row)
        for listed in (program, ""):
            commit.tx.table("run_times").upsert({"program": listed, "start": source.start, "urn": urn})
    if commit.tx.table("accesses").read((urn, str(stream), "write", "")) is None:
        record_access(commit, row, Access(stream, "write"), with_system=False)
    return urn
