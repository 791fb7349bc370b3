"""Keep a row for each run and summaries of all, and forget what is known of a deleted namespace."""

import json
from typing import Any, Final

from jupyter_colophon.apps import (
    AppTables,
    EventListener,
    NamespaceDeleted,
    NotFound,
    ProgramStatusChanged,
    Range,
    ServiceContext,
)
from jupyter_colophon.apps.reports.summaries import RunSummaries

#: Longer arguments of a run are not kept.
_ARGUMENTS_MAX: Final = 10_000
Run = dict[str, Any]


class RunListener(EventListener):
    """Writes the row of a run when it starts and ends: the run as it is then, so that repeating it changes nothing."""

    def on_event(self, context: ServiceContext, event: ProgramStatusChanged) -> None:
        """Write the row, and delete one of the same run under another start or namespace."""
        try:
            run = context.admin.get_run(event.run)
        except NotFound:
            return
        arguments = json.dumps(dict(run.arguments), ensure_ascii=False)
        row = {
            "context": event.namespace,
            "start_ms": run.start_ms,
            "run": run.urn,
            "run_id": run.run_id,
            "program": run.program,
            "program_name": run.program_name,
            "type": run.program_type,
            "actor": run.user,
            "status": run.status,
            "stop_ms": run.end_ms,
            "arguments": arguments if len(arguments) <= _ARGUMENTS_MAX else "{}",
        }

        context.execute(lambda tables: write_run(tables, row))


class NamespaceListener(EventListener):
    """Deletes the generated reports that contain runs of a deleted namespace. Its rows of runs end with it."""

    def on_event(self, context: ServiceContext, event: NamespaceDeleted) -> None:
        """Delete the reports."""

        def delete(tables: AppTables) -> None:
            reports, results = tables.get_table("reports"), tables.get_table("results")
            for row in list(reports.scan(Range())):
                if event.name in json.loads(row["namespaces"]):
                    key = (row["definition"], row["number"])
                    reports.delete(key)
                    results.delete(key)

        context.execute(delete)


def write_run(tables: AppTables, row: Run) -> None:
    """Write the row of a run instead of its former rows, and count it in summaries instead of them."""
    table = tables.get_indexed_table("runs")
    former = list(table.scan_index("run", row["run"]))
    if former == [row]:
        return
    summaries = RunSummaries(tables, row["context"])
    # Before the row is written, since a namespace without runs is summarized completely.
    summarized = [each for each in former if summaries.is_summarized(each)]
    added = [row] if summaries.is_summarized(row) else []
    keys = [(each["context"], each["start_ms"], each["run"]) for each in former]
    table.delete_many([key for key in keys if key != (row["context"], row["start_ms"], row["run"])])
    table.upsert(row)
    summaries.replace_runs(summarized, added)
    summaries.write()
