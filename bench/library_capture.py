"""Measure the cost of capturing libraries: small reads and writes, computations, imports, and memory with many live frames.

Without capture and with it take turns of a few calls, each in processes of their own that live throughout, so that load on the
machine affects both: to begin and end capture again and again in one process would slow down the interpreter. Each side has
several processes, since one may be some hundredths faster than its equal. What counts is the median of the CPU time of the
thread that runs the cell; beside it is the mean of that of the whole process, since the thread that reports works in few turns.
"""

import statistics
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from jupyter_colophon.capture.data_capture import DataCapture
from jupyter_colophon.capture.executions import current_execution

#: Processes of each side, turns of each process, and calls in a turn.
PROCESSES, TURNS, CALLS = 2, 40, 10
WARM_UP = 60
#: The rows of the files: as few as a sample has, and as many as the extract that a person looks at.
ROWS = (20, 1_000)
FRAMES = 100_000
#: Imports of each side.
IMPORTS = 9
LIBRARIES = ("pandas", "polars", "duckdb", "pyarrow.parquet", "sqlalchemy")
SIDES = ("without", "captured")

#: What a kernel has imported before its first cell.
_IMPORT = """
import pickle, threading, time
from jupyter_colophon.capture import declarations
from jupyter_colophon.capture.data_capture import DataCapture
capture = DataCapture(lambda *_: None, get_execution=lambda: None, get_time_ms=lambda: 0,
    name_variable=lambda *_: None, on_error=lambda *_: None)
{start}
time.sleep(0.2)
began = time.process_time()
import {library}
print(time.process_time() - began)
"""


def measure_rows() -> Iterator[tuple[str, ...]]:
    """Measure, and yield the rows of the table."""
    for job, (_, what, goal) in JOBS.items():
        for rows in ROWS if "{rows}" in what else ROWS[:1]:
            yield _measure_job(job, rows, what.format(rows=f"{rows:,}"), goal)
    for library in LIBRARIES:
        yield _measure_import(library)
    yield _measure_memory()


def _write_files(rows: int) -> None:
    import pandas as pd

    Path("in.csv").write_text("a,b,c\n" + "1,2.5,x\n" * rows)
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


def _copy_with_polars() -> None:
    import polars as pl

    pl.read_parquet("in.parquet").write_parquet("out.parquet")


def _copy_with_duckdb() -> None:
    import duckdb

    relation = duckdb.sql("SELECT a, b FROM 'in.parquet' WHERE a > 0")
    assert relation is not None
    relation.write_parquet("out.parquet")


def _copy_with_pyarrow() -> None:
    import pyarrow.parquet as pq

    pq.write_table(pq.read_table("in.parquet"), "out.parquet")


def _copy_with_sqlalchemy() -> None:
    engine, insert, select = _create_tables()
    with engine.begin() as connection:
        connection.execute(insert)
        connection.execute(select).fetchall()


_tables: list[Any] = []


def _create_tables() -> list[Any]:
    if not _tables:
        import sqlalchemy as sa

        engine = sa.create_engine("sqlite:///bench.db")
        with engine.begin() as connection:
            connection.execute(sa.text("CREATE TABLE t (a INTEGER, b TEXT)"))
        _tables.extend(
            (engine, sa.text("INSERT INTO t VALUES (1, 'x')"), sa.text("SELECT a FROM t WHERE b = 'x' LIMIT 5"))
        )
    return _tables


#: By name: what is measured, its description, and the goal.
JOBS: dict[str, tuple[Callable[[], None], str, str]] = {
    "copy_csv": (_copy_csv, "pandas, 1,000 reads and writes of CSV files of {rows} rows", "<= 1.05"),
    "copy_parquet": (_copy_parquet, "pandas, 1,000 reads and writes of Parquet files of {rows} rows", "<= 1.05"),
    "compute": (_compute, "pandas, 1,000 filters, columns and groups of 20 rows", ""),
    "polars": (_copy_with_polars, "polars, 1,000 reads and writes of Parquet files of {rows} rows", "<= 1.05"),
    "duckdb": (_copy_with_duckdb, "DuckDB, 1,000 queries of a Parquet file of {rows} rows into another", "<= 1.05"),
    "pyarrow": (_copy_with_pyarrow, "pyarrow, 1,000 reads and writes of Parquet files of {rows} rows", "<= 1.05"),
    "sqlalchemy": (_copy_with_sqlalchemy, "SQLAlchemy, 1,000 inserts and selects in SQLite", "<= 1.05"),
}


@contextmanager
def _start_capture() -> Iterator[DataCapture]:
    errors: list[Any] = []
    cell = object()
    capture = DataCapture(
        lambda observation, execution: None,
        get_execution=lambda: cell,
        get_time_ms=lambda: time.time_ns() // 1_000_000,
        name_variable=lambda execution, name, number: None,
        on_error=lambda library, error: errors.append(error),
    )
    capture.start()
    # As a kernel does.
    current_execution.set(cell)
    yield capture
    capture.stop()
    if errors:
        raise SystemExit(f"{len(errors)} errors, the first: {errors[0]!r}")


class _Side:
    """A process that runs a job without capture or with it, a turn at a time; `times` are those of the thread and the process."""

    def __init__(self, job: str, rows: int, side: str) -> None:
        command = [sys.executable, __file__, job, str(rows), side]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.name = side
        self.times: list[tuple[float, float]] = []

    def run_turn(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print("turn", file=self._process.stdin, flush=True)
        of_thread, of_process = self._process.stdout.readline().split()
        self.times.append((float(of_thread), float(of_process)))

    def end(self) -> None:
        self._process.communicate()
        if self._process.returncode:
            raise SystemExit(f"a process ended with {self._process.returncode}")


def _measure_job(job: str, rows: int, what: str, goal: str) -> tuple[str, ...]:
    with ExitStack() as stack:
        sides = [_Side(job, rows, name) for _ in range(PROCESSES) for name in SIDES]
        for side in sides:
            stack.callback(side.end)
        for turn in range(TURNS):
            # In both orders: a process that waited longer has colder caches.
            for side in sides if turn % 2 else reversed(sides):
                side.run_turn()
    (without, all_without), (captured, all_captured) = (
        _summarize([times for side in sides if side.name == name for times in side.times]) for name in SIDES
    )
    return (
        f"capture of {what}, CPU of the cell's thread",
        f"{captured * 1000 / CALLS:.2f} s",
        f"{without * 1000 / CALLS:.2f} s without",
        f"{captured / without:.3f}x (process, mean: {all_captured / all_without:.3f}x)",
        goal,
    )


def _summarize(times: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the median of the thread's times and the mean of the process's."""
    return statistics.median(each[0] for each in times), statistics.mean(each[1] for each in times)


def run_job(job: str, rows: str, side: str) -> None:
    """Run a turn of a job for each line of standard input, and print its CPU seconds: of the thread, and of the process."""
    run = JOBS[job][0]
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        _write_files(int(rows))
        with _start_capture() if side == "captured" else nullcontext():
            for _ in range(WARM_UP):
                run()
            for _ in sys.stdin:
                thread, process = time.thread_time(), time.process_time()
                for _ in range(CALLS):
                    run()
                print(time.thread_time() - thread, time.process_time() - process, flush=True)


def _measure_import(library: str) -> tuple[str, ...]:
    without: list[float] = []
    captured: list[float] = []
    for _ in range(IMPORTS):
        for times, start in ((without, ""), (captured, "capture.start()")):
            script = _IMPORT.format(start=start, library=library)
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
            times.append(float(done.stdout))
    first, other = min(captured), min(without)
    return (
        f"capture, import {library}, CPU, the quietest of {IMPORTS}",
        f"{first * 1000:.0f} ms",
        f"{other * 1000:.0f} ms without",
        f"{first / other:.3f}x",
        "<= 1.02" if library == "pandas" else "",
    )


def _measure_memory() -> tuple[str, ...]:
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder, chdir(folder), _start_capture() as capture:
        _write_files(ROWS[0])
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
    run_job(*sys.argv[1:])
