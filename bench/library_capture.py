"""Measure the cost of capturing pandas: small reads and writes, computations, the import, and memory with many live frames.

Without capture and with it take turns, each in processes of its own, so that load on the machine affects both: to begin and end
capture again and again in one process would slow down the interpreter. What counts is the CPU time of the thread that runs the
cell; reports are written by another one.
"""

import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from jupyter_colophon.capture.data_capture import DataCapture

#: Processes of each side; turns in a process, of which the quietest count, and calls in a turn.
PROCESSES, TURNS, CALLS = 5, 10, 100
FRAMES = 100_000
IMPORTS = 7

_IMPORT = """
import time
from jupyter_colophon.capture.data_capture import DataCapture
capture = DataCapture(lambda *_: None, get_execution=lambda: CELL, get_time_ms=lambda: 0,
    name_variable=lambda *_: None, on_error=lambda *_: None)
{start}
began = time.process_time()
import pandas
print(time.process_time() - began)
"""


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    yield _measure_job("copy_csv", "1,000 small reads and writes of CSV", "<= 1.05")
    yield _measure_job("copy_parquet", "1,000 small reads and writes of Parquet", "<= 1.05")
    yield _measure_job("compute", "1,000 filters, columns and groups of 20 rows", "")
    yield _measure_import()
    yield _measure_memory()


def _write_files() -> None:
    import pandas as pd

    Path("in.csv").write_text("a,b,c\n" + "1,2.5,x\n" * 20)
    pd.read_csv("in.csv").to_parquet("in.parquet")


def _copy_csv() -> None:
    import pandas as pd

    pd.read_csv("in.csv").to_csv("out.csv", index=False)


def _copy_parquet() -> None:
    import pandas as pd

    pd.read_parquet("in.parquet").to_parquet("out.parquet")


def _compute() -> None:
    import pandas as pd

    frame = pd.read_csv("in.csv")
    frame[frame["a"] > 0].assign(d=lambda rows: rows["a"] + 1).groupby("c")["d"].sum()


CELL = object()


@contextmanager
def _start_capture() -> Iterator[DataCapture]:
    errors: list[Any] = []
    capture = DataCapture(
        lambda observation, execution: None,
        get_execution=lambda: CELL,
        get_time_ms=lambda: 0,
        name_variable=lambda execution, name, number: None,
        on_error=lambda library, error: errors.append(error),
    )
    capture.start()
    yield capture
    capture.stop()
    if errors:
        raise SystemExit(f"{len(errors)} errors, the first: {errors[0]!r}")


JOBS: dict[str, Callable[[], None]] = {"copy_csv": _copy_csv, "copy_parquet": _copy_parquet, "compute": _compute}


def _measure_job(job: str, what: str, goal: str) -> tuple[str, ...]:
    costs: dict[str, list[float]] = {"without": [], "captured": []}
    for _ in range(PROCESSES):
        for side, found in costs.items():
            done = subprocess.run([sys.executable, __file__, job, side], capture_output=True, text=True, check=True)
            found.append(float(done.stdout))
    without, captured = min(costs["without"]), min(costs["captured"])
    ratios = sorted(one / other for one, other in zip(costs["captured"], costs["without"], strict=True))
    return (
        f"capture of pandas, {what}, CPU of the cell's thread",
        f"{captured * 1000 / CALLS:.2f} s",
        f"{without * 1000 / CALLS:.2f} s without",
        f"{captured / without:.3f}x (processes {ratios[0]:.2f} to {ratios[-1]:.2f})",
        goal,
    )


def run_job(job: str, side: str) -> float:
    """Return the CPU seconds of the quietest turn of a job, on one side."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        _write_files()
        with _start_capture() if side == "captured" else nullcontext():
            turns = [_measure_cpu(JOBS[job]) for _ in range(TURNS)]
    return min(turns[1:])


def _measure_cpu(job: Callable[[], None]) -> float:
    began = time.thread_time()
    for _ in range(CALLS):
        job()
    return time.thread_time() - began


def _measure_import() -> tuple[str, ...]:
    without: list[float] = []
    captured: list[float] = []
    for _ in range(IMPORTS):
        for times, start in ((without, ""), (captured, "capture.start()")):
            script = _IMPORT.format(start=start)
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
            times.append(float(done.stdout))
    first, other = min(captured), min(without)
    return (
        "capture of pandas, import pandas, CPU",
        f"{first:.2f} s",
        f"{other:.2f} s without",
        f"{first / other:.3f}x",
        "",
    )


def _measure_memory() -> tuple[str, ...]:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder, chdir(folder), _start_capture() as capture:
        _write_files()
        frame = pd.read_csv("in.csv")
        tracemalloc.start()
        frames = [frame.head(1) for _ in range(1_000)]
        alone = tracemalloc.get_traced_memory()[0] * (FRAMES // 1_000)
        frames += [frame.head(1) for _ in range(FRAMES - len(frames))]
        total = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        followed = len(capture.context.origins)
    return (
        f"capture of pandas, {FRAMES:,} live frames, memory",
        f"{total / 2**20:.0f} MiB, {followed:,} followed",
        f"{alone / 2**20:.0f} MiB if all were followed",
        f"{total / alone:.2f}x",
        "",
    )


if __name__ == "__main__":
    print(run_job(*sys.argv[1:]))
