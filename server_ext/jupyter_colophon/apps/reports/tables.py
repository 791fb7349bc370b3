"""The tables of the application. Texts named `document`, `result`, `namespaces`, `groups` and `arguments` are JSON."""

from typing import Final

from jupyter_colophon.apps import TableSpec

#: The runs of a namespace by their start, so that those of an interval are one range. `stop_ms` is None while one runs.
RUNS: Final = TableSpec(
    "runs",
    {
        "context": "string",
        "start_ms": "long",
        "run": "string",
        "run_id": "string",
        "program": "string",
        "program_name": "string",
        "type": "string",
        "actor": "string",
        "status": "string",
        "stop_ms": "long",
        "arguments": "string",
    },
    ("context", "start_ms", "run"),
    ("run",),
)
#: The runs of a period by program (`RunSummary`); `users` is JSON.
SUMMARIES: Final = TableSpec(
    "summaries",
    {
        "context": "string",
        "length_ms": "long",
        "start_ms": "long",
        "program": "string",
        "program_name": "string",
        "type": "string",
        "users": "string",
    },
    ("context", "length_ms", "start_ms", "program", "program_name"),
)
#: The last run of a namespace that is in summaries; later ones are summarized later. A start of `NEVER` means that all are.
PROGRESS: Final = TableSpec(
    "progress", {"context": "string", "through_ms": "long", "through_run": "string"}, ("context",)
)
#: `due_ms` is `NEVER` without a schedule. `groups` are those of the owner, `created_by`, at the last change.
DEFINITIONS: Final = TableSpec(
    "definitions",
    {
        "id": "string",
        "document": "string",
        "due_ms": "long",
        "created_by": "string",
        "groups": "string",
        "created_ms": "long",
        "updated_ms": "long",
    },
    ("id",),
    ("created_by", "due_ms"),
)
#: Generated reports. `namespaces` are those whose runs are in the result, with the times at which they were created.
REPORTS: Final = TableSpec(
    "reports",
    {
        "definition": "string",
        "number": "long",
        "trigger": "string",
        "status": "string",
        "problem": "string",
        "generated_ms": "long",
        "from_ms": "long",
        "to_ms": "long",
        "namespaces": "string",
    },
    ("definition", "number"),
)
#: Results are large, and are not read with a list of reports. Each has the URNs of its `programs`.
RESULTS: Final = TableSpec(
    "results", {"definition": "string", "number": "long", "result": "string"}, ("definition", "number")
)
#: A time after all times.
NEVER: Final = 2**53
