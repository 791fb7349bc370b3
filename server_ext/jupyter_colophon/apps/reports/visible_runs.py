"""Read the runs of an interval, of all namespaces, as far as a principal may read them: page by page, in any number.

Of namespaces whose runs are summarized, whole periods are read as summaries.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, Literal, Self

from jupyter_colophon.apps import AppTables, Principal, Range, ServiceContext, TableSpec
from jupyter_colophon.apps.reports.definition import ReportDefinition
from jupyter_colophon.apps.reports.earlier_runs import list_summarized_namespaces
from jupyter_colophon.apps.reports.periods import Span
from jupyter_colophon.apps.reports.run_summary import RunSummary
from jupyter_colophon.apps.reports.tables import RUNS, SUMMARIES

#: How many rows and ranges are read in a transaction, and how many decisions about programs are remembered.
_PAGE, _RANGES = 2_000, 200
_DECISIONS_MAX: Final = 100_000
Run = Mapping[str, Any]
Order = Literal["asc", "desc"]


@dataclass(slots=True)
class VisibleRuns:
    """The runs that match a definition and that a principal may read."""

    context: ServiceContext
    principal: Principal
    definition: ReportDefinition
    #: The readable namespaces that the definition includes, and whether their runs are summarized.
    namespaces: Mapping[str, bool]
    #: Whether programs may be read, by their URNs.
    _decisions: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def open(cls, context: ServiceContext, principal: Principal, definition: ReportDefinition) -> Self:
        """Return the runs that a principal may read."""
        included = definition.document["filters"].get("namespaces")
        readable = context.run_as(principal).admin.list_namespaces()
        summarized = list_summarized_namespaces(context)
        namespaces = {name: name in summarized for name in readable if included is None or name in included}
        return cls(context, principal, definition, namespaces)

    def list_namespaces(self, *, is_summarized: bool) -> list[str]:
        """Return the namespaces whose runs are, or are not, summarized."""
        return [name for name, value in self.namespaces.items() if value == is_summarized]

    def iterate_summaries(self, spans: Iterable[Span]) -> Iterator[RunSummary]:
        """Yield the summaries of the whole periods of spans, with the users and the statuses that match."""
        periods = [span for span in spans if span.length_ms]
        ranges = [
            Range((name, span.length_ms, span.start_ms), (name, span.length_ms, span.end_ms), end_inclusive=False)
            for name in self.list_namespaces(is_summarized=True)
            for span in periods
        ]
        for row in self._iterate_rows(SUMMARIES, ranges, "asc", _PAGE):
            summary = RunSummary.from_row(row)
            self._remove_other_users_and_statuses(summary)
            if summary.users:
                yield summary

    def iterate_runs_beside_summaries(self, spans: Iterable[Span]) -> Iterator[Run]:
        """Yield the runs that `iterate_summaries` leaves out."""
        spans = list(spans)
        beside = [span for span in spans if not span.length_ms]
        everything = [Span(0, spans[0].start_ms, spans[-1].end_ms)]
        return self.iterate_runs(
            [
                build_range_of_runs(name, span.start_ms, span.end_ms)
                for name, is_summarized in self.namespaces.items()
                for span in (beside if is_summarized else everything)
            ],
            "asc",
            _PAGE,
        )

    def iterate_runs(self, ranges: Iterable[Range], order: Order, page: int) -> Iterator[Run]:
        """Yield the runs of one range of the table after the other, and read a page of them in a transaction."""
        rows = self._iterate_rows(RUNS, ranges, order, page)
        definition = self.definition
        return (
            run for run in rows if definition.includes_status(run["status"]) and definition.includes_user(run["actor"])
        )

    def _remove_other_users_and_statuses(self, summary: RunSummary) -> None:
        if not self.definition.document["filters"].keys() & {"users", "statuses"}:
            return
        for user, statuses in [*summary.users.items()]:
            for status in [*statuses]:
                if not (self.definition.includes_user(user) and self.definition.includes_status(status)):
                    del statuses[status]
            if not statuses:
                del summary.users[user]

    def _iterate_rows(self, spec: TableSpec, ranges: Iterable[Range], order: Order, page: int) -> Iterator[Run]:
        """Yield the rows of ranges that match by namespace, program and type, and whose program is visible."""
        pending = deque(ranges)
        while pending:
            rows, finished = self._read_page(spec, pending, order, page)
            for _ in range(finished):
                pending.popleft()
            if pending and len(rows) == page:
                last = tuple(rows[-1][name] for name in spec.primary_key)
                pending[0] = _continue_range(pending[0], last, order)
            yield from self._select_visible(rows)

    def _read_page(self, spec: TableSpec, ranges: Iterable[Range], order: Order, limit: int) -> tuple[list[Run], int]:
        """Return the next rows, and how many of the ranges have no further ones."""

        def read(tables: AppTables) -> tuple[list[Run], int]:
            table, rows, finished = tables.get_table(spec.id), list[Run](), 0
            for keys in islice(ranges, _RANGES):
                rows += table.scan(keys, limit - len(rows), order)
                if len(rows) == limit:
                    break
                finished += 1
            return rows, finished

        return self.context.execute(read, read_only=True)

    def _select_visible(self, rows: Sequence[Run]) -> list[Run]:
        matching = [row for row in rows if self.definition.matches_labels(row)]
        if len(self._decisions) > _DECISIONS_MAX:
            self._decisions.clear()
        if unknown := {row["program"] for row in matching} - self._decisions.keys():
            readable = self.context.run_as(self.principal).admin.filter_readable_entities(unknown)
            self._decisions.update({program: program in readable for program in unknown})
        return [row for row in matching if self._decisions[row["program"]]]


def build_range_of_runs(namespace: str, start_ms: int, end_ms: int) -> Range:
    """Return the range of the runs of a namespace that start from a time on, before another."""
    return Range((namespace, start_ms), (namespace, end_ms), end_inclusive=False)


def _continue_range(keys: Range, last: tuple[Any, ...], order: Order) -> Range:
    if order == "asc":
        return Range(last, keys.end, begin_inclusive=False, end_inclusive=keys.end_inclusive)
    return Range(keys.begin, last, begin_inclusive=keys.begin_inclusive, end_inclusive=False)
