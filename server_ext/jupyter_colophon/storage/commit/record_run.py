"""Record reports about runs of existing programs: only the run is created.

Only `service/write_path.py` may import this module.
"""

from jupyter_colophon.core.errors import NotFound, RunConflict
from jupyter_colophon.core.identity.names import Urn, make_run_urn
from jupyter_colophon.core.lineage.run import RUNNING, Access, RunChange, RunStart, RunStatus, RunUpsert, StreamWriter
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.storage.commit.commit import CommitBuilder
from jupyter_colophon.storage.commit.runs import (
    create_run,
    record_run_access,
    record_run_accesses,
    resolve_parent_run_urn,
    update_run_progress,
)
from jupyter_colophon.storage.spi import Row

#: The names of entity types in messages about missing entities.
_CALLED = {"dataFlow": "application", "dataJob": "program", "mlModel": "model"}


def record_reported_run(commit: CommitBuilder, report: RunUpsert, include_system_metadata: bool) -> str:
    """Record what is reported about a run, with its accesses. Return its URN. Raises NotFound, RunConflict."""
    _require_entity_in_namespace(commit, Urn.parse(report.program.parts[0]), report.namespace)
    _require_entity_in_namespace(commit, report.program, report.namespace)
    for access in report.accesses:
        _require_entity_in_namespace(commit, access.data, access.namespace)
    urn = str(make_run_urn(report.program, report.run_id))
    existing = commit.tx.get_table("runs").read((str(report.program), report.run_id))
    # An end time without a status means success.
    status = report.status or (None if report.end is None else "succeeded")
    if existing is None:
        _start_reported_run(commit, report, status or RUNNING)
    else:
        _update_reported_run(commit, existing, report, status)
    if report.accesses:
        record_run_accesses(commit, urn, report.accesses, report.columns, include_system_metadata)
    return urn


def _start_reported_run(commit: CommitBuilder, report: RunUpsert, status: RunStatus) -> None:
    first = min((access.time for access in report.accesses if access.time is not None), default=commit.now)
    start = first if report.start is None else report.start
    create_run(
        commit,
        RunStart(
            report.program, report.run_id, start, report.end, status, report.parent, report.facts, report.arguments
        ),
    )


def _update_reported_run(commit: CommitBuilder, existing: Row, report: RunUpsert, status: RunStatus | None) -> None:
    if report.start not in (None, existing["start"]):
        raise RunConflict(report.run_id, f"has another start time: {format_ms_as_iso_time(existing['start'])}")
    if (
        report.parent is not None
        and resolve_parent_run_urn(commit, report.program, report.parent) != existing["parent"]
    ):
        raise RunConflict(report.run_id, "has another parent run")
    if report.status is None and existing["status"] != RUNNING:
        status = None  # The run has already ended: an end time alone does not change its status.
    if status is not None or report.end is not None or report.facts or report.arguments:
        update_run_progress(commit, existing["urn"], RunChange(status, report.end, report.facts, report.arguments))


def _require_entity_in_namespace(commit: CommitBuilder, urn: Urn, namespace: str) -> None:
    """Raise NotFound, naming the entity, unless it exists, in this namespace if one is given."""
    row = commit.get_entity_row(urn)
    if row["deleted"] or namespace not in ("", row["namespace"]):
        data = "stream" if commit.identity.is_stream(urn) else "dataset"
        raise NotFound(_CALLED.get(urn.type, data), row["name"])
    commit.require_not_deleting(urn)


def record_stream_writer_run(commit: CommitBuilder, stream: Urn, source: StreamWriter) -> str:
    """Record that an external source wrote into a stream on a day. Return the URN of the day's run.

    The run is recorded once, however many callers report it concurrently: the day is the run's id, so the keys of run
    and access prevent duplicates.
    """
    _require_entity_in_namespace(commit, stream, "")
    runs, program = commit.tx.get_table("runs"), str(source.urn)
    urn = str(make_run_urn(source.urn, source.day))
    row = runs.read((program, source.day))
    if row is None:
        commit.create_entity_if_missing(source.urn, create_namespace=False)
        row = {"program": program, "run_id": source.day, "urn": urn, "start": source.start, "stop": source.end}
        row |= {"status": "succeeded", "parent": None, "actor": commit.principal.user, "via": commit.principal.via}
        row |= {"facts": "{}", "arguments": "{}"}
        runs.upsert(row)
        for listed in (program, ""):
            commit.tx.get_table("run_times").upsert({"program": listed, "start": source.start, "urn": urn})
    if commit.tx.get_table("accesses").read((urn, str(stream), "write", "")) is None:
        record_run_access(commit, row, Access(stream, "write"), include_system_metadata=False)
    return urn
