"""Write the expectations and results of another tool: those that the catalog has already are not written again."""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.entity_edits import write_entity_edits
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.core.entities.entity_edit import AspectEdit, EntityEdit
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidName
from jupyter_colophon.core.quality.imported import ImportedDataset
from jupyter_colophon.core.quality.results import EXPECTATIONS, QUALITY
from jupyter_colophon.rendering.page import build_table_page

_COLUMNS = ("dataset", "urn", "expectations", "results", "failed")


class QualityWriter:
    """Writes what a tool expects of datasets and found in them, to the catalog."""

    def __init__(self, catalog: Operations, tool: str, *, dry_run: bool) -> None:
        self._catalog, self._tool, self._dry_run = catalog, tool, dry_run

    def write_named(
        self,
        datasets: Iterable[ImportedDataset],
        names: Mapping[str, str],
        resolve: Callable[[str], str],
        show: Callable[[str, int], None],
    ) -> tuple[dict[str, Any], str]:
        """Write datasets by their names in the tool, or those in `names`; return the document and the text to print.

        Raises InvalidConfiguration for a name that is that of no dataset, before anything is written.
        """
        targets = [(_resolve(names.get(item.name, item.name), item.name, resolve), item) for item in datasets]
        edits = [EntityEdit(urn, {EXPECTATIONS: self._replace_expectations(item)}) for urn, item in targets]
        report = write_entity_edits(
            self._catalog, edits, dry_run=self._dry_run, progress=lambda count: show("datasets", count)
        )
        refused = {problem["urn"] for problem in report.problems}
        recorded = sum(self.record_results(urn, item) for urn, item in targets if urn not in refused)
        imported, table = _describe_imports(targets)
        document = {
            "dryRun": self._dry_run,
            "datasets": imported,
            "aspects": {"written": report.written, "unchanged": report.unchanged},
            "results": {"written": recorded},
            "problems": report.problems,
        }
        lines = [table]
        lines += [f"problem: {one['urn']}: {one['problem'].get('detail', '')}" for one in report.problems]
        lines.append(
            f"{report.written} changed, {report.unchanged} unchanged, {recorded} results"
            f"{' (dry run)' if self._dry_run else ''}"
        )
        return document, "\n".join(lines)

    def record_results(self, urn: str, item: ImportedDataset) -> int:
        """Record those results of a dataset that the catalog does not have; return their number. Raises ClientError."""
        entity = find_entity(self._catalog, urn, QUALITY) or {}
        known = (entity.get("aspects", {}).get(QUALITY) or {}).get("value", {}).get("results", {})
        at = item.time or time.time_ns() // 1_000_000
        new = {id_: one for id_, one in item.results.items() if not _has_result(known.get(id_), at, one)}
        if new and not self._dry_run:
            body = {"source": {"kind": "import", "name": self._tool}, "time": at, "results": new}
            self._catalog.record_quality_results(urn, body)
        return len(new)

    def _replace_expectations(self, item: ImportedDataset) -> AspectEdit:
        return lambda stored: item.replace_expectations(stored, self._tool)


def _has_result(known: Mapping[str, Any] | None, at: int, result: Mapping[str, Any]) -> bool:
    history: Sequence[Mapping[str, Any]] = (known or {}).get("history", ())
    return any(entry["time"] == at and entry["status"] == result["status"] for entry in history)


def _resolve(name: str, original: str, resolve: Callable[[str], str]) -> str:
    try:
        return resolve(name)
    except InvalidName as error:
        raise InvalidConfiguration(
            f"{name}: {error.detail}; name the dataset with --dataset={original}=DATASET"
        ) from None


def _describe_imports(targets: Iterable[tuple[str, ImportedDataset]]) -> tuple[list[dict[str, Any]], str]:
    """Return what is imported into each dataset as documents and as a table."""
    rows = [_describe(urn, item) for urn, item in targets]
    documents = [dict(zip(_COLUMNS, row, strict=True)) for row in rows]
    return documents, str(build_table_page(rows, *_COLUMNS, empty="Nothing to ingest."))


def _describe(urn: str, item: ImportedDataset) -> tuple[Any, ...]:
    failed = sum(result["status"] != "passed" for result in item.results.values())
    return (item.name, urn, len(item.expectations), len(item.results), failed)
