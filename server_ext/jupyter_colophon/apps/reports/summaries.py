"""Keep the summaries of runs in the transaction that writes the runs: what a report reads does not grow with the runs."""

from collections.abc import Iterable, Sequence
from typing import Final

from jupyter_colophon.apps import AppTables, Range
from jupyter_colophon.apps.reports.definition import HOUR_MS
from jupyter_colophon.apps.reports.periods import PART_MS
from jupyter_colophon.apps.reports.run_summary import LABELS, Run, RunSummary, SummaryKey
from jupyter_colophon.apps.reports.tables import NEVER

#: The start and the URN of a run: all runs of a namespace up to it are summarized.
Position = tuple[int, str]
_FIRST: Final = (-NEVER, "")
ALL_RUNS: Final = (NEVER, "")


class RunSummaries:
    """The summaries of one transaction. `write` writes those that changed."""

    def __init__(self, tables: AppTables, namespace: str) -> None:
        self._runs, self._summaries = tables.get_table("runs"), tables.get_table("summaries")
        self._progress = tables.get_table("progress")
        self._namespace = namespace
        self._positions: dict[str, Position] = {}
        self._changed: dict[SummaryKey, RunSummary] = {}

    def get_position(self, namespace: str) -> Position:
        """Return the run up to which a namespace is summarized; a namespace without runs is summarized completely."""
        if namespace not in self._positions:
            row = self._progress.read((namespace,))
            if row is not None:
                self._positions[namespace] = (row["through_ms"], row["through_run"])
            elif any(True for _ in self._runs.scan(Range.prefix(namespace), 1)):
                self._positions[namespace] = _FIRST
            else:
                self.set_position(namespace, ALL_RUNS)
        return self._positions[namespace]

    def set_position(self, namespace: str, position: Position) -> None:
        """Record up to which run a namespace is summarized."""
        self._positions[namespace] = position
        through_ms, through_run = position
        self._progress.upsert({"context": namespace, "through_ms": through_ms, "through_run": through_run})

    def is_summarized(self, run: Run) -> bool:
        """Return whether a run with this namespace, start and URN is in summaries."""
        return (run["start_ms"], run["run"]) <= self.get_position(run["context"])

    def add_runs(self, runs: Sequence[Run]) -> None:
        """Count runs that are not in summaries yet."""
        for run, summary in self._load(runs):
            summary.add_run(run)

    def replace_runs(self, former: Sequence[Run], runs: Sequence[Run]) -> None:
        """Count runs instead of their former rows, all of which are summarized, after the rows were replaced.

        Usually, a run was running. If one had ended, the least and the longest duration of the others are only known from
        their rows: its hour is counted again.
        """
        loaded = self._load([*former, *runs])
        counted, added = loaded[: len(former) * len(PART_MS)], loaded[len(former) * len(PART_MS) :]
        if not all(run["stop_ms"] is None and summary.includes_unended_run(run) for run, summary in counted):
            self._count_again([*former, *runs])
            return
        for run, summary in counted:
            summary.remove_unended_run(run)
        for run, summary in added:
            summary.add_run(run)

    def write(self) -> None:
        """Write what changed. A namespace that is not that of the transaction may be in deletion: nothing is created in it."""
        filled = [summary.build_row() for summary in self._changed.values() if summary.users]
        self._summaries.upsert_many([row for row in filled if row["context"] == self._namespace])
        for row in filled:
            if row["context"] != self._namespace:
                self._summaries.update(row)
        self._summaries.delete_many([key for key, summary in self._changed.items() if not summary.users])

    def _load(self, runs: Iterable[Run]) -> list[tuple[Run, RunSummary]]:
        """Return each run with the summaries that it belongs to, read together; those that do not exist are empty."""
        empty = [(run, RunSummary.create_for_run(run, length)) for run in runs for length in PART_MS]
        keyed = [(run, summary.build_key(), summary) for run, summary in empty]
        missing = {key: summary for _, key, summary in keyed if key not in self._changed}
        self._changed.update(missing | self._read_stored([*missing]))
        return [(run, self._changed[key]) for run, key, _ in keyed]

    def _read_stored(self, keys: Sequence[SummaryKey]) -> dict[SummaryKey, RunSummary]:
        stored = (RunSummary.from_row(row) for row in self._summaries.read_many(keys))
        return {summary.build_key(): summary for summary in stored}

    def _count_again(self, runs: Iterable[Run]) -> None:
        """Count the hours of runs from the rows, their days from the hours, and their weeks from the days."""
        for length in reversed(PART_MS):
            summaries = {(summary := RunSummary.create_for_run(run, length)).build_key(): summary for run in runs}
            for summary in summaries.values():
                if length == HOUR_MS:
                    self._add_runs_of_hour(summary)
                else:
                    self._add_parts(summary)
            self._changed.update(summaries)

    def _add_runs_of_hour(self, hour: RunSummary) -> None:
        begin, end = ((hour.labels["context"], time) for time in (hour.start_ms, hour.start_ms + HOUR_MS))
        for run in self._runs.scan(Range(begin, end, end_inclusive=False)):
            if all(run[name] == hour.labels[name] for name in LABELS) and self.is_summarized(run):
                hour.add_run(run)

    def _add_parts(self, summary: RunSummary) -> None:
        length = PART_MS[summary.length_ms]
        starts = range(summary.start_ms, summary.start_ms + summary.length_ms, length)
        keys = [RunSummary(summary.labels, length, start).build_key() for start in starts]
        parts = self._read_stored(keys)
        parts |= {key: self._changed[key] for key in keys if key in self._changed}
        for part in parts.values():
            summary.add_summary(part)
