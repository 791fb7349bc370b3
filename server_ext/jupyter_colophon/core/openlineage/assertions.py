"""Convert OpenLineage's facet `dataQualityAssertions` to results of checks."""

import hashlib
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

from jupyter_colophon.core.openlineage.event import Event
from jupyter_colophon.core.openlineage.facets import Facets, drop_deleted_facets
from jupyter_colophon.core.quality.imported import ImportedDataset
from jupyter_colophon.core.quality.results import OTHER, WARNING

_FACET: Final = "dataQualityAssertions"
_WARN: Final = "warn"
_ASSERTIONS_MAX: Final = 200
_NAME_MAX, _COLUMN_MAX, _JOB_MAX = 512, 4096, 2048


def read_assertions_of_events(events: Iterable[Event]) -> list[ImportedDataset]:
    """Return the datasets of events with the newest result of each assertion, without their runs."""
    datasets: dict[str, ImportedDataset] = {}
    for event in sorted(events, key=lambda event: event.time):
        for item in event.data:
            time, job = event.time // 1_000, "" if event.job is None else event.job.name
            facets = {**item.facets, **item.input_output_facets}
            if results := convert_assertions_to_results(facets, time, "", job):
                dataset = datasets.setdefault(str(item.urn), ImportedDataset(str(item.urn)))
                dataset.results.update({id_: dict(result) for id_, result in results.items()})
                dataset.time = time
    return list(datasets.values())


def convert_assertions_to_results(facets: Facets, time: int, run: str, job: str) -> dict[str, Mapping[str, Any]]:
    """Return the results of a dataset in the facets of an event, by ids that follow from assertion and column."""
    found = (drop_deleted_facets(facets).get(_FACET) or {}).get("assertions")
    results: dict[str, Mapping[str, Any]] = {}
    for item in islice(found if isinstance(found, list) else (), _ASSERTIONS_MAX):
        name, success = (item.get("assertion"), item.get("success")) if isinstance(item, Mapping) else (None, None)
        if not isinstance(name, str) or not name or not isinstance(success, bool):
            continue
        column = item.get("column")
        about: dict[str, Any] = {"kind": OTHER, "name": name[:_NAME_MAX]}
        if isinstance(column, str) and 0 < len(column) <= _COLUMN_MAX:
            about["column"] = column
        if item.get("severity") == _WARN:
            about["severity"] = WARNING
        made_by = {"run": run, "name": job[:_JOB_MAX]}
        source = {"kind": "openlineage", **{part: text for part, text in made_by.items() if text}}
        status = "passed" if success else "failed"
        results[_make_id(name, column)] = {**about, "status": status, "time": time, "source": source}
    return results


def _make_id(name: str, column: object) -> str:
    digest = hashlib.sha256(f"{name}\0{column or ''}".encode()).hexdigest()
    return f"openlineage:{digest[:32]}"
