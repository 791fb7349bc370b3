"""Write a project of dbt to the catalog, and list what the project no longer has."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.ingest.dbt_project import DbtProject
from jupyter_colophon.cli.ingest.quality_writer import QualityWriter
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.entity_edits import EditReport, write_entity_edits
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.run_imports import record_finished_run
from jupyter_colophon.core.dbt.descriptions import NODE, PROJECT, describe_entity, replace_expectations
from jupyter_colophon.core.dbt.runs import read_runs
from jupyter_colophon.core.dbt.tables import get_place
from jupyter_colophon.core.entities.entity_edit import EntityEdit
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.quality.dbt import read_test_results
from jupyter_colophon.core.quality.imported import ImportedDataset, make_id
from jupyter_colophon.core.quality.results import EXPECTATIONS
from jupyter_colophon.rendering.page import build_table_page

_TOOL: Final = "dbt"
_REMOVED: Final = {"removed": True}


class DbtWriter:
    """Writes a project: descriptions and lineage first, so that runs and results find their datasets."""

    def __init__(
        self, catalog: Operations, project: DbtProject, *, dry_run: bool, show: Callable[[str, int], None]
    ) -> None:
        self._catalog, self._project, self._dry_run, self._show = catalog, project, dry_run, show
        self._name = project.artifacts.project
        self._quality = QualityWriter(catalog, _TOOL, dry_run=dry_run)

    def write(self, *, with_runs: bool, remove_missing: bool) -> tuple[dict[str, Any], str]:
        """Write everything; return the document and the text to print. Raises ClientError, UnreadableResults."""
        tests = self._read_tests()
        edits = [*self._list_edits(tests)]
        report = self._write(edits)
        missing = list(self._find_missing())
        if remove_missing:
            report = _add(
                report, self._write([EntityEdit(urn, {"status": _mark_removed}) for urn in _list_urns(missing)])
            )
        refused = {problem["urn"] for problem in report.problems}
        document = {
            "dryRun": self._dry_run,
            "project": self._name,
            "entities": dict(sorted(Counter(entity.node.kind for entity in self._project.entities.values()).items())),
            "aspects": {"written": report.written, "unchanged": report.unchanged},
            "runs": self._write_runs(refused if with_runs else None),
            "tests": self._write_results(tests, refused),
            "missing": missing,
            "removed": remove_missing and bool(missing) and not self._dry_run,
            "notes": self._project.notes,
            "problems": report.problems,
        }
        return document, self._format(document)

    def _write(self, edits: list[EntityEdit]) -> EditReport:
        return write_entity_edits(
            self._catalog, edits, dry_run=self._dry_run, progress=lambda count: self._show("entities", count)
        )

    def _read_tests(self) -> dict[str, ImportedDataset]:
        """Return the tests by the ids of the nodes that they are about; tests of ephemeral models have no dataset."""
        artifacts = self._project.artifacts
        found = read_test_results(artifacts.manifest, artifacts.run_results or {"results": []})
        return {item.id: item for item in found if item.id in self._project.entities}

    def _list_edits(self, tests: dict[str, ImportedDataset]) -> Iterator[EntityEdit]:
        packages = {self._name} | {id_.split(".")[1] for id_ in self._project.entities}
        ids = [make_id(_TOOL, f"test.{package}.") for package in sorted(packages)]
        for id_, entity in self._project.entities.items():
            for edit in describe_entity(entity, self._name):
                if edit.urn == entity.dataset:
                    expected = tests.get(id_, ImportedDataset(id_))
                    yield EntityEdit(edit.urn, {**edit.aspects, EXPECTATIONS: replace_expectations(expected, ids)})
                else:
                    yield edit

    def _write_runs(self, refused: set[str] | None) -> dict[str, int]:
        """Record the runs, but those of refused entities; none if `refused` is None."""
        results, counts = None if refused is None else self._project.artifacts.run_results, Counter[bool]()
        runs = read_runs(results, self._project.entities, self._name, self._project.job_namespace) if results else []
        for run in runs:
            if {run.start["program"], *(access["data"] for access in run.accesses)} & (refused or set()):
                continue
            counts[record_finished_run(self._catalog, run.start, run.accesses, dry_run=self._dry_run)] += 1
            self._show("runs", counts.total())
        return {"written": counts[True], "unchanged": counts[False]}

    def _write_results(self, tests: dict[str, ImportedDataset], refused: set[str]) -> dict[str, int]:
        written = 0
        for id_, item in tests.items():
            urn = self._project.entities[id_].dataset
            if item.results and urn not in refused:
                written += self._quality.record_results(urn, item)
        found = [result["status"] for item in tests.values() for result in item.results.values()]
        return {
            "expectations": sum(len(item.expectations) for item in tests.values()),
            "results": len(found),
            "failed": sum(status != "passed" for status in found),
            "written": written,
        }

    def _find_missing(self) -> Iterator[dict[str, str]]:
        """Yield the jobs of the project, with what they build, that it no longer has: those of the schemas that it uses.

        Jobs of other schemas are of another target, which ingests them itself.
        """
        places = {get_place(entity.node) for entity in self._project.entities.values() if entity.job}
        for job in self._list_jobs_without_node():
            aspects = self._read_aspects(job, "dataJobInfo", "dataJobInputOutput")
            node = _get_properties(aspects.get("dataJobInfo", {})).get(NODE, "")
            name = Urn.parse(job).parts[1]
            if node.startswith("exposure.") or any(
                node and name.startswith(f"{place}.{node.partition('.')[2]}") for place in places
            ):
                outputs = aspects.get("dataJobInputOutput", {}).get("outputDatasets", [])
                yield {"node": node, "job": job, "dataset": next(filter(self._is_without_node, outputs), "")}

    def _is_without_node(self, dataset: str) -> bool:
        """Return whether neither the project nor another one has a node for a dataset."""
        if any(entity.dataset == dataset for entity in self._project.entities.values()):
            return False
        aspects = self._read_aspects(dataset, "datasetProperties")
        return _get_properties(aspects.get("datasetProperties", {})).get(PROJECT) == self._name

    def _read_aspects(self, urn: str, *names: str) -> dict[str, Any]:
        found = (find_entity(self._catalog, urn, *names) or {}).get("aspects", {})
        return {name: aspect["value"] for name, aspect in found.items()}

    def _list_jobs_without_node(self) -> list[str]:
        """Return the jobs in the catalog that this project described, and for which it has no node."""
        present = {entity.job for entity in self._project.entities.values()}
        flow = {str(Urn.parse(entity.job).parts[0]) for entity in self._project.entities.values() if entity.job}
        hits = read_all_pages(
            lambda **page: self._catalog.search(f'{PROJECT}:"{self._name}"', type="dataJob", **page), "hits"
        )
        return [urn for hit in hits if (urn := hit["urn"]) not in present and str(Urn.parse(urn).parts[0]) in flow]

    def _format(self, document: dict[str, Any]) -> str:
        rows = [(kind, count) for kind, count in document["entities"].items()]
        lines = [str(build_table_page(rows, "kind", "entities", empty="The project has no tables."))]
        lines += [f"note: {note}" for note in document["notes"]]
        verb = "removed" if document["removed"] else "missing in the project"
        lines += [f"{verb}: {one['node']} ({one['dataset'] or one['job']})" for one in document["missing"]]
        lines += [
            f"problem: {one['aspect']} of {one['urn']}: {one['problem'].get('detail', '')}"
            for one in document["problems"]
        ]
        aspects, runs, tests = document["aspects"], document["runs"], document["tests"]
        lines.append(
            f"{aspects['written']} changed, {aspects['unchanged']} unchanged, {runs['written']} runs,"
            f" {tests['written']} results{' (dry run)' if self._dry_run else ''}"
        )
        return "\n".join(lines)


def _get_properties(aspect: dict[str, Any]) -> dict[str, str]:
    properties: dict[str, str] = aspect.get("customProperties", {})
    return properties


def _mark_removed(stored: dict[str, Any]) -> dict[str, Any]:
    return {**stored, **_REMOVED}


def _list_urns(missing: list[dict[str, str]]) -> list[str]:
    return [urn for one in missing for urn in (one["job"], one["dataset"]) if urn]


def _add(first: EditReport, second: EditReport) -> EditReport:
    return EditReport(
        first.written + second.written, first.unchanged + second.unchanged, [*first.problems, *second.problems]
    )
