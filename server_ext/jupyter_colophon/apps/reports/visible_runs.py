"""Read the runs of an interval, of all namespaces, as far as a principal may read them: page by page, in any number."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.apps import AppTables, Principal, Range, ServiceContext
from jupyter_colophon.apps.reports.definition import ReportDefinition

#: How many runs are read in a transaction, and how many decisions about programs are remembered.
_PAGE: Final = 2_000
_DECISIONS_MAX: Final = 100_000
Run = Mapping[str, Any]


@dataclass(slots=True)
class VisibleRuns:
    """The runs that match a definition and that a principal may read."""

    context: ServiceContext
    principal: Principal
    definition: ReportDefinition
    start_ms: int
    end_ms: int
    #: Whether programs may be read, by their URNs.
    _decisions: dict[str, bool] = field(default_factory=dict)

    def list_namespaces(self) -> list[str]:
        """Return the readable namespaces that the definition includes."""
        included = self.definition.document["filters"].get("namespaces")
        readable = self.context.run_as(self.principal).admin.list_namespaces()
        return [name for name in readable if included is None or name in included]

    def iterate_runs(self) -> Iterator[Run]:
        """Yield the runs of one namespace after the other, oldest first."""
        for namespace in self.list_namespaces():
            begin: tuple[Any, ...] = (namespace, self.start_ms)
            is_first = True
            while page := self._read_page(begin, namespace, is_first=is_first):
                yield from self._select_visible(page)
                if len(page) < _PAGE:
                    break
                begin, is_first = (namespace, page[-1]["start_ms"], page[-1]["run"]), False

    def _read_page(self, begin: tuple[Any, ...], namespace: str, *, is_first: bool) -> list[Run]:
        keys = Range(begin, (namespace, self.end_ms), begin_inclusive=is_first, end_inclusive=False)

        def read(tables: AppTables) -> list[Run]:
            return list(tables.get_table("runs").scan(keys, _PAGE))

        return self.context.execute(read, read_only=True)

    def _select_visible(self, page: list[Run]) -> list[Run]:
        matching = [run for run in page if self.definition.matches(run)]
        if len(self._decisions) > _DECISIONS_MAX:
            self._decisions.clear()
        if unknown := {run["program"] for run in matching} - self._decisions.keys():
            readable = self.context.run_as(self.principal).admin.filter_readable_entities(unknown)
            self._decisions.update({program: program in readable for program in unknown})
        return [run for run in matching if self._decisions[run["program"]]]
