"""Read runs with their names and facets in OpenLineage, to export them as events."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import parse_stored_json
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_name
from jupyter_colophon.core.lineage.run import Run
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.core.openlineage.run_events import ReportedRun, RunColumn
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.service.lineage.runs import RunReader, list_entities_of_runs
from jupyter_colophon.service.openlineage.models import add_facets_to_run, read_openlineage_names
from jupyter_colophon.service.openlineage_redaction import OpenLineageRedactor
from jupyter_colophon.service.read_audit import audit_reads_of_method
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The approximate sizes of an access and of a column in events, without their names.
_ACCESS_BYTES, _COLUMN_BYTES = 300, 300


@dataclass(frozen=True, slots=True)
class RunExporter:
    """Reads runs for events of OpenLineage. What the principal may not read is left out."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy
    runs: RunReader

    @audit_reads_of_method("runs", lambda page: list_entities_of_runs(reported.run for reported in page))
    def read_reported_runs(self, urns: Sequence[str], principal: Principal) -> list[ReportedRun]:
        """Return the readable ones of these runs in this order, up to LIST_BYTES_MAX."""
        return list(limit_items_to_page_bytes(self._iterate_runs(urns, principal), _measure_bytes, LIST_BYTES_MAX))

    def _iterate_runs(self, urns: Sequence[str], principal: Principal) -> Iterator[ReportedRun]:
        for urn in dict.fromkeys(urns):
            try:
                run = self.runs.read_visible_run(urn, principal)
            except NotFound:
                continue
            yield self.provider.tx_runner.run(partial(self._read_run, run=run, principal=principal), read_only=True)

    def _read_run(self, tx: TableContext, run: Run, principal: Principal) -> ReportedRun:
        names = _read_names(tx, [run.program, *dict.fromkeys(access.data for access in run.accesses)])
        job = names.pop(run.program)
        redactor = OpenLineageRedactor(tx, self.registry, self.read_policy, principal)
        facets = redactor.redact_run(add_facets_to_run(tx, run, job), names.values()).facets
        return ReportedRun(run, job, names, tuple(_iterate_columns(tx, run, names.keys())), facets)


def _read_names(tx: TableContext, urns: Sequence[str]) -> dict[str, OriginalName]:
    """Return the names of a program and of data in OpenLineage: those in events, else ones derived from the URNs."""
    names = read_openlineage_names(tx, urns)
    return {
        urn: OriginalName(*make_openlineage_name(Urn.parse(urn))) if name.name == urn else name
        for urn, name in names.items()
    }


def _iterate_columns(tx: TableContext, run: Run, data: Iterable[str]) -> Iterator[RunColumn]:
    """Yield the column edges that a run recorded between its data."""
    keys = [(target, run.program, run.urn) for target in sorted(data)]
    for row in tx.get_table("column_runs").read_many(keys):
        for target_field, source, source_field, transformation in parse_stored_json(row["edges"]):
            yield RunColumn(source, source_field, row["target"], target_field, transformation)


def _measure_bytes(reported: ReportedRun) -> int:
    """Return the approximate size of the events of a run."""
    names = sum(len(name.namespace) + len(name.name) for name in reported.names.values())
    columns = len(reported.columns) * _COLUMN_BYTES
    return measure_json_bytes(reported.facets) + names + len(reported.run.accesses) * _ACCESS_BYTES + columns
