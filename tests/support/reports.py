"""Report runs as kernels and as clients of OpenLineage do."""

import json
import uuid

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.lineage.run import Run, RunChange
from support.catalog import ADA, record_run
from support.openlineage import build_event, build_event_dataset


def report_run(catalog: Catalog, cell: str, number: int, read: str, written: str) -> Run:
    """Report a run of a cell, the events of a job, and the end of the run."""
    run = record_run(catalog, cell, str(number), ("read", read), ("write", written))
    for second, kind in enumerate(("START", "COMPLETE")):
        event = build_event(
            kind,
            second,
            job=f"job{number % 3}",
            run=str(uuid.UUID(int=number)),
            inputs=[build_event_dataset("shared")],
            outputs=[build_event_dataset(f"out{number % 5}")],
        )
        catalog.collector.parse_and_store_event(json.dumps(event).encode(), ADA)
    return catalog.write_path.update_run(run, RunChange("succeeded"), ADA)
