"""`make sample`: runs flights.ipynb on a real server, without a browser, and looks whether the catalog tells the story.

Ends with 0 only if every check holds. Two of them at once do not disturb each other.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from jupyter_colophon.client.catalog import Catalog
from jupyter_colophon.core.names import DEFAULT_NAMESPACE, cell_program, home_dataset, notebook_program
from live import LiveFailure, LiveKernel, LiveServer, live_kernel, live_server

#: What the run of a cell says of it.
Facts: TypeAlias = dict[str, Any]

NOTEBOOK = Path(__file__).with_name("flights.ipynb")


def main() -> int:
    """Runs the sample; answers the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data-dir", type=Path, help="Jupyter data directory to use, instead of one that is removed")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="colophon-sample-", ignore_cleanup_errors=True) as folder:
        home, root = Path(folder), Path(folder) / "root"
        root.mkdir()
        shutil.copy(NOTEBOOK, root)
        _say("starting a server …")
        try:
            with live_server(root, home, data=asked.data_dir) as server:
                return 0 if run_and_check(server, NOTEBOOK.name) else 1
        except LiveFailure as failure:
            _say(f"FAIL  {failure}")
            return 1


def run_and_check(server: LiveServer, notebook: str) -> bool:
    """Runs the notebook and prints the checks; whether all hold."""
    cells = dict(code_cells(server.root / notebook))
    with live_kernel(server, notebook) as kernel:
        counts = run_cells(kernel, cells)
    if counts is None:
        return False
    runs = {cell_id: _facts(notebook, cell_id, cells[cell_id], count) for cell_id, count in counts.items()}
    held = [_held(name, check) for name, check in checks(server.catalog(), runs)]
    return all(held)


def code_cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """Id and source of each code cell, in order."""
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield cell["id"], "".join(cell["source"])


def run_cells(kernel: LiveKernel, cells: Mapping[str, str]) -> dict[str, int] | None:
    """Runs one cell after the other, with what they print; their execution counts, or None where one failed."""
    counts = {}
    for cell_id, source in cells.items():
        began = time.monotonic()
        outcome = kernel.run(source, cell_id)
        _say(f"[{outcome.execution_count}] {cell_id}  ({time.monotonic() - began:.1f} s)")
        for line in outcome.text.splitlines():
            _say(f"    {line}")
        if not outcome.succeeded:
            _say(f"cell {cell_id} failed")
            return None
        counts[cell_id] = outcome.execution_count
    return counts


def checks(catalog: Catalog, runs: Mapping[str, Facts]) -> Iterator[tuple[str, Callable[[], bool]]]:
    """What the catalog must show of the cells' runs when they are over: a sentence, and what finds out."""
    yield "flights.flights has the tags faa and raw-data", partial(_has_tags, catalog, "flights", {"faa", "raw-data"})
    yield "the search owner:op* finds flights.daily_delays", partial(_finds, catalog, "owner:op*", "daily_delays")
    for source in ("flights", "weather", "planes"):
        leads = partial(_leads, catalog, source, "daily_delays", runs["daily-delays"])
        yield f"flights.{source} goes into flights.daily_delays", leads
    leads = partial(_leads, catalog, "daily_delays", "carrier_report", runs["carrier-report"])
    yield "flights.daily_delays goes into flights.carrier_report", leads
    for table, cell_id in (("daily_delays", "daily-delays"), ("worst_days", "worst-days")):
        names = partial(_wrote_last, catalog, table, runs[cell_id])
        yield f"the run that wrote flights.{table} names notebook, cell, source and count", names
    yield "the run of the notebook has ended with its kernel", partial(_has_ended, catalog, runs["tag"]["notebook"])
    yield (
        "what the cell with --tag reviewed wrote has that tag",
        partial(_has_tags, catalog, "worst_days", {"reviewed"}),
    )


def _urn(table: str) -> str:
    return str(home_dataset("flights", table))


def _has_tags(catalog: Catalog, table: str, tags: set[str]) -> bool:
    return tags <= set(catalog.aspect(_urn(table), "businessMetadata").value.get("tags", []))


def _finds(catalog: Catalog, query: str, table: str) -> bool:
    return _urn(table) in {hit["urn"] for hit in catalog.search(query)["hits"]}


def _leads(catalog: Catalog, source: str, target: str, facts: Facts) -> bool:
    """Whether data went from one table to another through that cell."""
    graph = catalog.lineage(_urn(target), direction="upstream", levels=1)
    ends = {(edge["source"], edge["target"]) for edge in graph["edges"]}
    program = str(cell_program(DEFAULT_NAMESPACE, facts["notebook"], facts["cellId"]))
    return {(_urn(source), program), (program, _urn(target))} <= ends


def _facts(notebook: str, cell_id: str, source: str, count: int) -> Facts:
    digest = hashlib.sha256(source.encode()).hexdigest()
    return {"notebook": notebook, "cellId": cell_id, "sourceHash": f"sha256:{digest}", "executionCount": count}


def _wrote_last(catalog: Catalog, table: str, facts: Facts) -> bool:
    """Whether the newest run that wrote a table has ended well and has these facts."""
    run = next(run for run in catalog.runs(data=_urn(table))["runs"] if _wrote(run, _urn(table)))
    return bool(facts.items() <= run["facts"].items() and run["status"] == "succeeded" and run["end"])


def _has_ended(catalog: Catalog, notebook: str) -> bool:
    (run,) = catalog.runs(program=str(notebook_program(DEFAULT_NAMESPACE, notebook)), limit=1)["runs"]
    return bool(run["status"] == "succeeded" and run["end"])


def _wrote(run: Mapping[str, Any], urn: str) -> bool:
    return any(access["data"] == urn and access["mode"] == "write" for access in run["accesses"])


def _held(name: str, check: Callable[[], bool]) -> bool:
    holds = check()
    _say(f"{'ok  ' if holds else 'FAIL'}  {name}")
    return holds


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
