"""The rows of what jobs create: splits, models and predictions."""

import json
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from threading import Event
from typing import Any, Final

from jupyter_colophon.apps import (
    AlreadyExists,
    AppTables,
    BadRequest,
    NotFound,
    Range,
    ServiceContext,
)
from jupyter_colophon.apps.analytics.job_runs import JobRun, delete_entities
from jupyter_colophon.apps.analytics.names import list_entities_of_job

#: The kinds of things by their tables.
KINDS: Final = {"splits": "split", "models": "model", "predictions": "prediction"}
_ENDED: Final = "the process that ran it has ended: start it again"
_ROWS_MAX: Final = 1_000
_PROBLEM_MAX: Final = 1_000
#: The columns of the key, in its order.
_KEYS: Final = ("context", "experiment", "model", "name")


class JobFailed(Exception):
    """A job cannot create its result; the message is for users."""


class RowReplaced(Exception):
    """The row of a job was deleted, or belongs to another job."""


@dataclass(frozen=True, slots=True)
class JobRow:
    """The row of a job that runs."""

    context: ServiceContext
    table: str
    key: tuple[str, ...]
    job: str
    run: JobRun

    def report(self, progress: str) -> None:
        """Record what the job does now. Raises RowReplaced if its row was deleted or belongs to another job."""
        self._update({"progress": progress})

    def finish(self, result: Mapping[str, Any], lineage_problem: str) -> None:
        """Record the result. Raises RowReplaced if the row was deleted or belongs to another job."""
        self._update(
            {"state": "complete", "result": json.dumps(result), "lineage_problem": lineage_problem, **_build_end()}
        )

    def fail(self, problem: str) -> None:
        """Record why there is no result. Raises RowReplaced if the row was deleted or belongs to another job."""
        self._update({"state": "failed", "problem": problem[:_PROBLEM_MAX], **_build_end()})

    def _update(self, fields: Mapping[str, Any]) -> None:
        def write(tables: AppTables) -> bool:
            table = tables.get_table(self.table)
            row = table.read(self.key)
            if row is None or (row["job"], row["state"]) != (self.job, "running"):
                return False
            return table.update({**_make_key_fields(self.table, self.key), **fields})

        if not self.context.execute(write):
            raise RowReplaced


def start_job(
    context: ServiceContext,
    table: str,
    key: tuple[str, ...],
    settings: Mapping[str, Any],
    work: Callable[[JobRow], None],
) -> dict[str, Any]:
    """Create a row, and run work that completes it. A failed one is replaced. Raises AlreadyExists, BadRequest."""
    fail_ended_jobs(context, table, *key[1:])
    job = str(uuid.uuid4())
    row = {
        **_make_key_fields(table, key),
        "job": job,
        "state": "running",
        "progress": "waiting",
        "problem": "",
        "lineage_problem": "",
        "settings": json.dumps(settings),
        "result": None,
        "created_by": context.principal.user,
        "created_ms": time.time_ns() // 1_000_000,
        "ended_ms": None,
    }

    def write(tables: AppTables) -> None:
        if tables.get_table("experiments").read(key[:2]) is None:
            raise NotFound("experiment", key[1])
        stored = tables.get_table(table).read(key)
        if stored is not None and stored["state"] != "failed":
            raise AlreadyExists(KINDS[table], key[-1])
        if tables.get_table(table).count([Range.prefix(*key[:-1])]) >= _ROWS_MAX:
            raise BadRequest(f"there are {_ROWS_MAX} {table}: delete some")
        tables.get_table(table).upsert(row)

    # The job begins after its row exists, and runs before: otherwise its row would seem to be of an ended process.
    is_stored = Event()
    context.start_job(job, lambda of_job: _run(_create_job_row(of_job, table, key, row), work, is_stored))
    try:
        context.execute(write)
    finally:
        is_stored.set()
    return row


def read_job_row(context: ServiceContext, table: str, key: tuple[str, ...]) -> dict[str, Any]:
    """Return a row. Raises NotFound."""
    fail_ended_jobs(context, table, *key[1:])
    row = context.execute(lambda tables: tables.get_table(table).read(key), read_only=True)
    if row is None:
        raise NotFound(KINDS[table], key[-1])
    return dict(row)


def list_job_rows(context: ServiceContext, table: str, *key: str) -> list[dict[str, Any]]:
    """Return the rows of an experiment, or of a model, the newest first."""
    fail_ended_jobs(context, table, *key)
    found = context.execute(lambda tables: _scan(tables, table, context, key), read_only=True)
    return sorted(map(dict, found), key=lambda row: -row["created_ms"])


def fail_ended_jobs(context: ServiceContext, table: str, *key: str) -> None:
    """Let the rows fail whose jobs ended with their processes."""
    found = context.execute(lambda tables: _scan(tables, table, context, key), read_only=True)
    for row in found:
        if row["state"] == "running" and not context.is_job_running(row["job"]):
            # The job may have ended in the meantime, with a result.
            with suppress(RowReplaced):
                ended = _create_job_row(context, table, get_key_of_row(table, row), row)
                ended.fail(_ENDED)
                ended.run.record_kill(_ENDED)


def get_key_of_row(table: str, row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the key of a row."""
    return tuple(row[name] for name in _get_key_names(table))


def delete_job_row(context: ServiceContext, table: str, key: tuple[str, ...]) -> None:
    """Delete a row, and what its job wrote in the catalog. Raises NotFound, and AlreadyExists while its job runs."""
    row = read_job_row(context, table, key)
    if row["state"] == "running":
        raise AlreadyExists(f"running job of the {KINDS[table]}", key[-1])
    delete_entities(context, list_entities_of_job(table, key))
    context.execute(lambda tables: tables.get_table(table).delete(key))


def describe_job(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that everything that a job creates has."""
    return {
        "name": row["name"],
        "experiment": row["experiment"],
        **json.loads(row["settings"]),
        "state": row["state"],
        "progress": row["progress"] if row["state"] == "running" else "",
        "problem": row["problem"],
        "lineageProblem": row["lineage_problem"],
        "createdBy": row["created_by"],
        "createdMs": row["created_ms"],
        "endedMs": row["ended_ms"],
    }


def _run(row: JobRow, work: Callable[[JobRow], None], is_stored: Event) -> None:
    is_stored.wait()
    # A row that is missing was refused, or deleted with its namespace.
    with suppress(RowReplaced, NotFound):
        row.report("starting")
        row.run.record_start()
        try:
            work(row)
        except RowReplaced:
            raise
        except (JobFailed, BadRequest, NotFound) as error:
            _fail(row, str(error))
        except Exception as error:
            row.context.logger.exception("the job of the %s %s failed", KINDS[row.table], row.key[-1])
            _fail(row, f"{type(error).__name__}: {str(error).partition(chr(10))[0][:300]}")


def _fail(row: JobRow, problem: str) -> None:
    row.run.record_failure(problem)
    row.fail(problem)


def _create_job_row(context: ServiceContext, table: str, key: tuple[str, ...], row: Mapping[str, Any]) -> JobRow:
    run = JobRun(context, table, key, row["job"], row["created_ms"], json.loads(row["settings"]))
    return JobRow(context, table, key, row["job"], run)


def _scan(tables: AppTables, table: str, context: ServiceContext, key: tuple[str, ...]) -> list[Mapping[str, Any]]:
    return [*tables.get_table(table).scan(Range.prefix(context.namespace, *key))]


def _get_key_names(table: str) -> tuple[str, ...]:
    return _KEYS if table == "predictions" else tuple(name for name in _KEYS if name != "model")


def _make_key_fields(table: str, key: tuple[str, ...]) -> dict[str, str]:
    return dict(zip(_get_key_names(table), key, strict=True))


def _build_end() -> dict[str, Any]:
    return {"progress": "", "ended_ms": time.time_ns() // 1_000_000}
