"""Run the benchmarks and print a table with the figures of both sides, their ratio, and the goal for it.

`python bench/run.py` runs all of them, with stores of up to a million entities; `--small` omits those, and `--minutes N`
begins none after N minutes. With names of benchmarks (`writes start rest openlineage fairness proposals searches walks access throughput writers growth reports`), only
these are run. `--stores FOLDER` keeps the stores. `capture` and `profile` (Spark), `libraries` (capture of pandas and others), `sample` (its start without Spark), `instances`, `elyra` and `elyra-cli` (more of the command line) are only run if
they are named; `--elyra PYTHON` is the Python of an environment with Elyra 4.1.1.

At the end it prints which ratios became worse than those stored for machines like this one (`bench/baselines`); with
`--compare` it fails if there are any, and with `--store` it stores the ratios (`bench/baselines.py`).
"""

import argparse
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import access
import baselines
import capture
import elyra_api
import elyra_cli
import elyra_floor
import fairness
import growth
import instances
import library_capture
import openlineage
import profiling
import proposals
import reports
import rest
import sample_start
import searches
import sides
import start
import stores
import throughput
import walks
import writers
import writes

SMALL, LARGE = (100, 10_000), (100, 10_000, 1_000_000)
BENCHES = (
    "writes",
    "start",
    "rest",
    "openlineage",
    "fairness",
    "proposals",
    "searches",
    "walks",
    "access",
    "throughput",
    "writers",
    "growth",
    "reports",
)
WHERE_NAMED = ("capture", "elyra", "elyra-cli", "instances", "libraries", "profile", "sample")


def main() -> None:
    """Print the table; those worth keeping are in `bench/results/`."""
    options = _parse_arguments()
    # A benchmark blocks its own writes on purpose.
    logging.disable(logging.WARNING)
    if options.stores is not None:
        stores.keep_and_use(options.stores)
    try:
        rows = _measure_and_print(options)
    finally:
        if options.stores is None:
            stores.delete_stores()
    ratios = baselines.extract_ratios(rows)
    if not baselines.print_comparison(ratios, options.baseline, options.tolerance) and options.compare:
        raise SystemExit(1)
    if options.store:
        baselines.store_ratios(options.baseline, ratios)


def _measure_and_print(options: argparse.Namespace) -> list[tuple[str, ...]]:
    """Run the benchmarks until the time is over, print their rows, and return these."""
    sizes = SMALL if options.small else LARGE
    until = time.monotonic() + 60 * options.minutes
    if {"searches", "walks", "growth"} & set(options.benches):
        sides.create_missing_stores(sizes)
    print("| what | ours | other side | ratio or difference | goal |\n|---|---|---|---|---|", flush=True)
    rows = []
    for at, bench in enumerate(options.benches):
        if time.monotonic() > until:
            print(f"\nNot measured within {options.minutes:g} minutes: {' '.join(options.benches[at:])}")
            break
        for row in _measure_rows(bench, sizes, options.elyra):
            print("| " + " | ".join(row) + " |", flush=True)
            rows.append(row)
    return rows


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", metavar="bench", help=" ".join((*BENCHES, *WHERE_NAMED)))
    parser.add_argument("--small", action="store_true", help="without the stores of a million entities")
    parser.add_argument("--stores", type=Path, help="use the stores in this folder, or fill and keep them there")
    parser.add_argument("--elyra", metavar="PYTHON", help="of an environment with elyra==4.1.1")
    parser.add_argument(
        "--minutes", type=float, default=float("inf"), help="begin no benchmark after this number of minutes"
    )
    parser.add_argument("--compare", action="store_true", help="fail if a ratio is worse than the stored one")
    parser.add_argument("--store", action="store_true", help="store the ratios for this class of machines")
    baselines.add_baseline_option(parser)
    baselines.add_tolerance_option(parser)
    options = parser.parse_args()
    if unknown := set(options.benches) - {*BENCHES, *WHERE_NAMED}:
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    options.benches = options.benches or list(BENCHES)
    return options


def _measure_rows(name: str, sizes: tuple[int, ...], other: str | None) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a benchmark; `other` is the Python with Elyra."""
    single = {
        "writes": writes.measure_rows,
        "start": start.measure_rows,
        "rest": rest.measure_rows,
        "openlineage": openlineage.measure_rows,
        "access": access.measure_rows,
        "fairness": fairness.measure_rows,
        "throughput": throughput.measure_rows,
        "writers": writers.measure_rows,
    }
    single |= {"proposals": proposals.measure_rows, "profile": profiling.measure_rows, "capture": capture.measure_rows}
    single |= {"instances": instances.measure_rows, "libraries": library_capture.measure_rows}
    single |= {"sample": sample_start.measure_rows}
    if name in single:
        yield from single[name]()
    elif name == "elyra":
        yield from elyra_floor.measure_rows()
        yield from elyra_api.measure_rows(other)
    elif name == "elyra-cli":
        yield from elyra_cli.measure_rows(other)
    elif name == "reports":
        yield from reports.measure_rows(sizes[-1])
    elif name == "growth":
        yield from growth.measure_rows(sizes)
    else:
        for size in sizes[1:]:
            yield from (searches.measure_rows if name == "searches" else walks.measure_rows)(size)


if __name__ == "__main__":
    main()
