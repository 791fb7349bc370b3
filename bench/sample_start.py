"""Measure how long a sample notebook takes from the start of its kernel until the catalog knows what a cell read, and what one
wrote: without Spark and with it, in turns on one server.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

EXAMPLES = Path(__file__).parents[1] / "examples"
sys.path.append(str(EXAMPLES))

from live import LiveServer, run_live_kernel, run_live_server  # noqa: E402

ROUNDS = 3
WITHOUT_SPARK, WITH_SPARK = "flights-pandas", "flights"
GOAL = 1 / 3


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        root = Path(folder) / "root"
        root.mkdir()
        with run_live_server(root, Path(folder)) as server:
            # The first start compiles to bytecode and unpacks the file of flights.
            _measure_turn(server, 0)
            turns = [_measure_turn(server, number) for number in range(1, ROUNDS + 1)]
    for mode, what in (("read", "reads"), ("write", "writes")):
        without, spark = (median(turn[name][mode] for turn in turns) for name in (WITHOUT_SPARK, WITH_SPARK))
        yield (
            f"sample without Spark, kernel to first data that a cell {what}, s",
            f"{without:.1f}",
            f"{spark:.1f} (with Spark)",
            f"{without / spark:.2f}x",
            f"<= {GOAL:.2f}",
        )


def _measure_turn(server: LiveServer, number: int) -> dict[str, dict[str, float]]:
    return {name: _measure_first_accesses(server, name, number) for name in (WITHOUT_SPARK, WITH_SPARK)}


def _measure_first_accesses(server: LiveServer, name: str, number: int) -> dict[str, float]:
    """Return the seconds until the catalog knows the first data that was read, and that was written."""
    notebook, taken = f"{name}-{number}.ipynb", dict[str, float]()
    client, began = server.create_client(), time.monotonic()
    with run_live_kernel(server, notebook) as kernel:
        for cell in json.loads((EXAMPLES / f"{name}.ipynb").read_text())["cells"]:
            if cell["cell_type"] == "code":
                assert kernel.run("".join(cell["source"]), cell["id"]).succeeded
                runs = client.list_runs(limit=50)["runs"]
                ours = [run for run in runs if run["facts"].get("notebook") == notebook]
                modes = {access["mode"] for run in ours for access in run["accesses"]}
                taken |= {mode: time.monotonic() - began for mode in modes - taken.keys()}
            if {"read", "write"} <= taken.keys():
                break
    return taken
