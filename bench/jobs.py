"""Compare the jobs of `jupyter colophon jobs` on a Spark cluster with the same work in one process.

`python bench/jobs.py --folder F [--entities 50000] [--rounds 1]` fills a SQLite catalog in the folder, unless it is there,
and measures each job on three sides in turns: one process without Spark, and a standalone cluster of this machine with one
and with two executors. An executor has one core, for its JVM and its Python worker. Each figure is appended to
`F/figures.jsonl` at once, so that an interrupted run loses none; `--table` only prints the table of that file.

The start of Spark (cluster, driver, executors, and Python with the modules of the tasks) is a row of its own: a command pays
for it once, and the first job of a session also for classes that JVMs load. CPU seconds are those of all processes of a side,
ended ones included, divided into Python and JVMs.
"""

import argparse
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import bulk_fill
import corpus
import pyarrow as pa
import pyarrow.parquet as pq
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.service.changes.sealing import seal_unsealed_rows
from jupyter_colophon.storage.secret import read_or_create_store_key
from jupyter_colophon.store_jobs.partition_count import choose_partition_count_of_store
from jupyter_colophon.store_jobs.store_address import StoreAddress

_REPOSITORY = Path(__file__).parents[1]
# The real server of the examples, and the Spark cluster of the tests, which executors do not need.
sys.path += [str(_REPOSITORY / "examples"), str(_REPOSITORY / "tests")]
import job_sides  # noqa: E402
from live import run_live_server  # noqa: E402

SIDES = (0, 1, 2)
#: Proposals that `import` writes to a server, which commits them one after the other.
IMPORTED, IMPORTED_FILES = 5_000, 4
#: A side that takes longer hangs.
SIDE_TIMEOUT_S = 1_800
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure all sides, or one of them in a process of its own, and print the table."""
    options = _parse_arguments()
    options.folder.mkdir(parents=True, exist_ok=True)
    if options.side is not None:
        _measure_side(options)
        return
    if not options.table:
        _fill_catalog(options)
        _write_proposals(options.folder / "proposals")
        for round_ in range(1, options.rounds + 1):
            for side in options.sides:
                _show(f"round {round_} of {options.rounds}: {_describe_side(side)}")
                _run_side(options, side)
    print("\n".join(_format_table(options)))


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--entities", type=int, default=50_000, help="a multiple of 500; default: 50000")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--sides", type=int, nargs="+", choices=SIDES, default=SIDES, help="numbers of executors")
    parser.add_argument("--jobs", nargs="+", default=[], metavar="JOB", help="only these")
    parser.add_argument("--table", action="store_true", help="only print the table")
    parser.add_argument("--side", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def _get_catalog_path(options: argparse.Namespace) -> Path:
    return Path(options.folder) / f"catalog-{options.entities}.db"


def _fill_catalog(options: argparse.Namespace) -> None:
    """Fill the catalog to its size; an interrupted fill continues."""
    _show(f"filling a catalog with {options.entities:,} entities")
    logging.disable(logging.WARNING)
    catalog = open_or_create_catalog(choose_sqlite_store(_get_catalog_path(options)), IdentityRules())
    try:
        bulk_fill.fill_catalog(catalog, options.entities)
        # Otherwise the first side would seal for the others.
        seal_unsealed_rows(catalog.provider, read_or_create_store_key(catalog.provider), lambda: int(time.time() * 1e3))
    finally:
        catalog.close()


def _write_proposals(folder: Path) -> None:
    """Write the files that `import` reads, unless they exist."""
    if (folder / f"part{IMPORTED_FILES - 1}.parquet").exists():
        return
    folder.mkdir(exist_ok=True)
    rows = [
        # Technical metadata creates the namespaces of its entities.
        {"urn": corpus.build_urn(entity.number), "aspect": "technicalMetadata", "value": json.dumps(entity.value)}
        for entity in corpus.generate_entities(IMPORTED)
    ]
    for number in range(IMPORTED_FILES):
        pq.write_table(pa.Table.from_pylist(rows[number::IMPORTED_FILES]), folder / f"part{number}.parquet")


def _run_side(options: argparse.Namespace, side: int) -> None:
    """Measure a side in a process of its own, which appends its figures."""
    arguments = [f"--folder={options.folder}", f"--entities={options.entities}", f"--side={side}"]
    if options.jobs:
        arguments += ["--jobs", *options.jobs]
    subprocess.run([sys.executable, __file__, *arguments], check=True, timeout=SIDE_TIMEOUT_S)


def _measure_side(options: argparse.Namespace) -> None:
    logging.disable(logging.WARNING)
    address = StoreAddress.from_choice(choose_sqlite_store(_get_catalog_path(options)), None)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="colophon-jobs-")))
        spark: Any = None
        if options.side == 0:
            jobs = job_sides.list_jobs_without_spark(address, folder)
        else:
            parts = choose_partition_count_of_store(address)
            with _record(options, "start of Spark"):
                spark = job_sides.start_spark(options.side, parts, folder, stack)
            jobs = job_sides.list_spark_jobs(spark, address, parts, folder)
        for name, job in jobs.items():
            if not options.jobs or name in options.jobs:
                with _record(options, name):
                    job()
        if not options.jobs or "import" in options.jobs:
            (folder / "root").mkdir()
            server = stack.enter_context(run_live_server(folder / "root", folder / "home"))
            with _record(options, "import"):
                job_sides.import_proposals(spark, server, options.folder / "proposals")


@contextmanager
def _record(options: argparse.Namespace, job: str) -> Iterator[None]:
    """Append the figures of what is done within, and show them."""
    began, began_cpu = time.perf_counter(), _read_cpu_s()
    yield
    wall, ended_cpu = time.perf_counter() - began, _read_cpu_s()
    cpu = {kind: round(ended_cpu[kind] - began_cpu[kind], 2) for kind in ended_cpu}
    figure = {"entities": options.entities, "side": options.side, "job": job, "wall": round(wall, 2), "cpu": cpu}
    figure["load"] = round(os.getloadavg()[0], 1)
    with (options.folder / "figures.jsonl").open("a", encoding="utf-8") as figures:
        figures.write(f"{json.dumps(figure)}\n")
    _show(f"  {job}: {wall:.1f} s, {sum(cpu.values()):.1f} CPU s")


def _show(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


def _describe_side(side: int) -> str:
    return f"Spark, {side} executor{'s' * (side > 1)}" if side else "one process"


def _read_cpu_s() -> dict[str, float]:
    """Return the CPU seconds of this process and of all that it started, in Python and in JVMs.

    Ended processes are counted by their parents, as Python: JVMs of a cluster end after what is measured, and JVMs end idle
    workers of Python.
    """
    parents: dict[int, int] = {}
    ticks: dict[int, dict[str, int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, _, rest = stat.read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        fields, pid = rest.split(), int(stat.parent.name)
        own, ended = (sum(map(int, fields[begin : begin + 2])) for begin in (11, 13))
        parents[pid] = int(fields[1])
        ticks[pid] = {"Python": ended, "JVMs": own} if name == "java" else {"Python": own + ended, "JVMs": 0}

    def is_mine(pid: int) -> bool:
        while pid not in (0, os.getpid()):
            pid = parents.get(pid, 0)
        return pid != 0

    mine = [counts for pid, counts in ticks.items() if is_mine(pid)]
    return {kind: sum(counts[kind] for counts in mine) / _TICKS for kind in ("Python", "JVMs")}


def _format_table(options: argparse.Namespace) -> Iterator[str]:
    """Yield a Markdown table of the medians of all figures of this number of entities."""
    lines = (options.folder / "figures.jsonl").read_text(encoding="utf-8").splitlines()
    figures = [figure for figure in map(json.loads, lines) if figure["entities"] == options.entities]
    yield f"{options.entities:,} entities; `import`: {IMPORTED:,} proposals."
    yield ""
    yield "| job | side | seconds | CPU seconds | in Python | in JVMs | cores in use | speed-up |"
    yield "|---|---|---|---|---|---|---|---|"
    for job in dict.fromkeys(figure["job"] for figure in figures):
        alone = 0.0
        for side in SIDES:
            rounds = [figure for figure in figures if (figure["job"], figure["side"]) == (job, side)]
            if not rounds:
                continue
            wall = statistics.median(figure["wall"] for figure in rounds)
            cpu = {kind: statistics.median(figure["cpu"][kind] for figure in rounds) for kind in ("Python", "JVMs")}
            alone = alone if side else wall
            yield (
                f"| {job} | {_describe_side(side)} | {wall:.1f} | {sum(cpu.values()):.1f} | {cpu['Python']:.1f} |"
                f" {cpu['JVMs']:.1f} | {sum(cpu.values()) / wall:.1f} | {f'{alone / wall:.2f}x' if alone else ''} |"
            )
    loads = [figure["load"] for figure in figures]
    yield f"\n{os.cpu_count()} cores, load {min(loads):g} to {max(loads):g}."


if __name__ == "__main__":
    main()
