"""Runs the benchmarks and prints their table: figures of both sides of one run, their ratio, and the goal for it.

`python bench/run.py` runs all of them, for which it fills stores of a million entities; `--small` leaves those out.
Names of benches (`writes start rest openlineage proposals searches walks growth`) run these alone. `--stores FOLDER` keeps the stores.
`capture` and `profile` (Spark), `elyra` and `elyra-cli` (more of the command line) run where they are named, and `--elyra PYTHON` is that of an environment with Elyra 4.1.1.
"""

import argparse
import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

import capture
import elyra_api
import elyra_cli
import growth
import openlineage
import profiling
import proposals
import rest
import searches
import sides
import start
import stores
import walks
import writes

SMALL, LARGE = (100, 10_000), (100, 10_000, 1_000_000)
BENCHES = ("writes", "start", "rest", "openlineage", "proposals", "searches", "walks", "growth")
WHERE_NAMED = ("capture", "elyra", "elyra-cli", "profile")


def main() -> None:
    """Print the table; `bench/results/` keeps those that matter."""
    asked = _arguments()
    # That a bench holds up its own writes is no news.
    logging.disable(logging.WARNING)
    if asked.stores is not None:
        stores.keep(asked.stores)
    sizes = SMALL if asked.small else LARGE
    try:
        if {"searches", "walks", "growth"} & set(asked.benches):
            sides.prepare(sizes)
        print("| what | ours | other side | ratio or difference | goal |\n|---|---|---|---|---|", flush=True)
        for row in _rows(asked.benches, sizes, asked.elyra):
            print("| " + " | ".join(row) + " |", flush=True)
    finally:
        if asked.stores is None:
            stores.remove()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benches", nargs="*", metavar="bench", help=" ".join((*BENCHES, *WHERE_NAMED)))
    parser.add_argument("--small", action="store_true", help="without the stores of a million entities")
    parser.add_argument("--stores", type=Path, help="use the stores in this folder, or fill and keep them there")
    parser.add_argument("--elyra", metavar="PYTHON", help="of an environment with elyra==4.1.1")
    asked = parser.parse_args()
    if unknown := set(asked.benches) - {*BENCHES, *WHERE_NAMED}:
        parser.error(f"no such bench: {', '.join(sorted(unknown))}")
    asked.benches = asked.benches or list(BENCHES)
    return asked


def _rows(benches: Iterable[str], sizes: tuple[int, ...], other: str | None) -> Iterator[tuple[str, ...]]:
    """Rows of each bench; `other` is the Python with Elyra."""
    single = {"writes": writes.rows, "start": start.rows, "rest": rest.rows, "openlineage": openlineage.rows}
    single |= {"proposals": proposals.rows, "profile": profiling.rows, "capture": capture.rows}
    for name in benches:
        if name in single:
            yield from single[name]()
        elif name == "elyra":
            yield from elyra_api.rows(other)
        elif name == "elyra-cli":
            yield from elyra_cli.rows(other)
        elif name == "growth":
            yield from growth.rows(sizes)
        else:
            for size in sizes[1:]:
                yield from (searches.rows if name == "searches" else walks.rows)(size)


if __name__ == "__main__":
    main()
