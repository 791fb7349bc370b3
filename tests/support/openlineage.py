"""Events of OpenLineage: recorded and generated ones."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RECORDINGS = Path(__file__).parents[1] / "conformance" / "openlineage"
RUN = "01a1f874-f0d4-7cde-ab58-240223d68fd6"


def read_recording(name: str) -> list[dict[str, Any]]:
    """Read the requests of a client: `uri`, `headers`, `body`, and the `status` of the response."""
    recording: list[dict[str, Any]] = json.loads((RECORDINGS / f"{name}.json").read_text())
    return recording


def read_recorded_events(*names: str) -> Iterator[dict[str, Any]]:
    """Yield the events of these recordings."""
    for name in names:
        yield from (request["body"] for request in read_recording(name))


def build_event(
    type_: str = "COMPLETE",
    second: int = 0,
    *,
    run: str = RUN,
    job: str = "load",
    inputs: Any = (),
    outputs: Any = (),
    run_facets: Any = None,
    job_facets: Any = None,
) -> dict[str, Any]:
    """Build a RunEvent of the job `etl` `load`."""
    return {
        "eventTime": f"2026-01-01T00:00:{second:02d}Z",
        "eventType": type_,
        "producer": "https://example.org/etl",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run, "facets": run_facets or {}},
        "job": {"namespace": "etl", "name": job, "facets": job_facets or {}},
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def build_event_dataset(
    name: str, namespace: str = "postgres://db:5432", own: Any = None, **facets: Any
) -> dict[str, Any]:
    """Build a dataset of an event; `own` are its input and output facets."""
    dataset = {"namespace": namespace, "name": name, "facets": facets}
    return dataset | ({"inputFacets": own, "outputFacets": own} if own else {})
