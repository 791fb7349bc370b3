"""Summarize the runs that an earlier version of the application recorded. Until then, reports read their rows."""

from contextlib import suppress
from typing import Final

from jupyter_colophon.apps import AppTables, NotFound, Range, ServiceContext
from jupyter_colophon.apps.reports.summaries import ALL_RUNS, RunSummaries

#: How many runs a transaction summarizes.
_PAGE: Final = 1_000
#: With less time left, the next run of the schedule continues.
_LEAST_S: Final = 10.0


def list_summarized_namespaces(context: ServiceContext) -> set[str]:
    """Return the namespaces whose runs are all in summaries."""

    def read(tables: AppTables) -> set[str]:
        rows = tables.get_table("progress").scan(Range())
        return {row["context"] for row in rows if (row["through_ms"], row["through_run"]) == ALL_RUNS}

    return context.execute(read, read_only=True)


def summarize_earlier_runs(context: ServiceContext) -> None:
    """Summarize the runs of all namespaces, some in each transaction, and continue where the former call ended."""
    summarized = list_summarized_namespaces(context)
    for namespace in context.admin.list_namespaces():
        # A namespace that was deleted in the meantime has no runs.
        with suppress(NotFound):
            while namespace not in summarized and not _summarize_page(context, namespace):
                if context.get_remaining_seconds() < _LEAST_S:
                    return


def _summarize_page(context: ServiceContext, namespace: str) -> bool:
    """Summarize the next runs of a namespace; return whether they are the last."""

    def write(tables: AppTables) -> bool:
        summaries = RunSummaries(tables, namespace)
        begin = (namespace, *summaries.get_position(namespace))
        keys = Range(begin, (namespace,), begin_inclusive=False)
        page = list(tables.get_table("runs").scan(keys, _PAGE))
        summaries.add_runs(page)
        summaries.write()
        is_last = len(page) < _PAGE
        summaries.set_position(namespace, ALL_RUNS if is_last else (page[-1]["start_ms"], page[-1]["run"]))
        return is_last

    return context.execute(write)
