"""The runs in dbt's run results: one for the invocation, and one for each table that it built or failed to build."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.core.dbt.artifacts import get_list, get_text
from jupyter_colophon.core.dbt.tables import ENGINE, DbtEntity
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_job_urn
from jupyter_colophon.core.lineage.run import RunStatus
from jupyter_colophon.core.quality.imported import get_mapping_or_empty, parse_time_of_tool
from jupyter_colophon.core.time_format import format_ms_as_iso_time

Document = dict[str, Any]
_STATUSES: Final[Mapping[str, RunStatus]] = {
    "success": "succeeded",
    "partial success": "failed",
    "error": "failed",
    "fail": "failed",
}


@dataclass(frozen=True, slots=True)
class DbtRun:
    """A run: the body of `startRun`, and the accesses of a body of `recordAccesses`."""

    start: Document
    accesses: list[Document] = field(default_factory=list)


def read_runs(
    run_results: Mapping[str, Any], entities: Mapping[str, DbtEntity], project: str, job_namespace: str
) -> list[DbtRun]:
    """Return the runs, that of the invocation first. Nodes that were skipped, and tests, have none."""
    metadata = get_mapping_or_empty(run_results.get("metadata"))
    invocation = _parse_uuid(metadata.get("invocation_id"))
    engine = " ".join(filter(None, (ENGINE, get_text(metadata.get("dbt_version")))))
    runs = [
        run
        for result in get_list(run_results.get("results"))
        if (run := _read_run(get_mapping_or_empty(result), entities, invocation, engine))
    ]
    if not runs:
        return []
    starts, ends = [run.start["start"] for run in runs], [run.start["end"] for run in runs]
    command = get_text(get_mapping_or_empty(run_results.get("args")).get("which"))
    start = {
        # The job of the invocation that `dbt-ol` reports, whatever the command.
        "program": str(make_openlineage_job_urn(job_namespace, f"dbt-run-{project}", ENGINE)),
        "runId": str(invocation),
        "start": min(starts),
        "end": max(ends),
        "status": "failed" if any(run.start["status"] == "failed" for run in runs) else "succeeded",
        "facts": {"engine": engine, **({"command": command} if command else {})},
    }
    return [DbtRun(start), *runs]


def describe_failure(message: object) -> str:
    """Return what failed, without values of the data: the first line of a message, and the kind of the database's error.

    What follows the kind, as in `Conversion Error: Could not convert string 'ada@example.org'`, may have values.
    """
    lines = [line.strip() for line in get_text(message).splitlines() if line.strip()]
    if not lines or "'" in lines[0]:
        return ""
    kind, colon, _ = lines[1].partition(": ") if len(lines) > 1 else ("", "", "")
    return f"{lines[0]}: {kind}" if colon and kind.replace(" ", "").isalpha() else lines[0]


def _read_run(
    result: Mapping[str, Any], entities: Mapping[str, DbtEntity], invocation: uuid.UUID, engine: str
) -> DbtRun | None:
    entity = entities.get(get_text(result.get("unique_id")))
    status = _STATUSES.get(get_text(result.get("status")).lower())
    times = [
        parse_time_of_tool(get_mapping_or_empty(step).get(end))
        for step in get_list(result.get("timing"))
        for end in _ENDS
    ]
    if entity is None or not entity.dataset or not entity.job or status is None or not any(times):
        return None
    start, end = format_ms_as_iso_time(min(filter(None, times))), format_ms_as_iso_time(max(times))
    error = describe_failure(result.get("message")) if status == "failed" else ""
    body = {
        "program": entity.job,
        "runId": str(uuid.uuid5(invocation, entity.node.id)),
        "start": start,
        "end": end,
        "status": status,
        "parent": f"urn:li:dataProcessInstance:{invocation}",
        "facts": {"engine": engine, **({"error": error} if error else {})},
    }
    return DbtRun(body, list(_list_accesses(entity, start, has_written=status == "succeeded")))


_ENDS: Final = ("started_at", "completed_at")


def _list_accesses(entity: DbtEntity, time: str, *, has_written: bool) -> Iterator[Document]:
    accessed = [(urn, "read") for urn in entity.inputs if urn != entity.dataset]
    if has_written:
        accessed.append((entity.dataset, "both" if entity.dataset in entity.inputs else "write"))
    yield from ({"data": urn, "mode": mode, "time": time, "statement": 0} for urn, mode in accessed)


def _parse_uuid(text: object) -> uuid.UUID:
    """Return the id of the invocation; one that is derived from the text if it is not a UUID."""
    try:
        return uuid.UUID(get_text(text))
    except ValueError:
        return uuid.uuid5(uuid.NAMESPACE_URL, f"urn:jupyter-colophon:dbt:{text}")
