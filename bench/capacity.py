"""Estimate what a catalog beyond one machine needs, from the curves that `growth_curves.py` measured.

`python bench/capacity.py FIGURES --entities 100000000 --writes 1000` fits each operation's CPU time as `a + b log2(entities)`
to all measured sizes but the largest, and compares the fit with the largest. If one of the operations that the estimate uses is
wrong by more than a third there, nothing is estimated. Then it fits all sizes, and simulates writers that wait for partitions.

The model assumes partitions of PostgreSQL by namespace, each with one writer at a time and its replicas, and readers that are
spread over replicas. What it does not know is printed as an assumption. No machine with this load was measured.
"""

import argparse
import heapq
import json
import math
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

#: How wrong the fit may be at the largest size that was measured.
TOLERANCE = 1 / 3
WRITE, READ, SEARCH = "update", "read", "search, middling word"
USED = (WRITE, READ, SEARCH)
#: Assumptions: how busy a core may be, what one machine has, how often it commits, and what it costs.
BUSY, CORES, MEMORY_GB, COMMITS, DOLLARS_A_MONTH = 0.6, 16, 128, 1_000, 900
#: The share of a catalog that should stay in memory: upper levels of indexes, and what is read again.
HOT, CHANGES_OF_ENTITY, KB_OF_CHANGE, SEARCHES = 0.15, 5, 5.0, 0.2
SIMULATED_S = 30.0


@dataclass(frozen=True, slots=True)
class Curve:
    """The CPU milliseconds of an operation by the number of entities."""

    base: float
    slope: float

    @classmethod
    def fit(cls, points: Sequence[tuple[int, float]]) -> "Curve":
        """Fit by least squares; the cost of one point is a constant."""
        logs = [math.log2(size) for size, _ in points]
        mean_x, mean_y = sum(logs) / len(logs), sum(cost for _, cost in points) / len(points)
        spread = sum((x - mean_x) ** 2 for x in logs)
        pairs = zip(logs, points, strict=True)
        slope = sum((x - mean_x) * (cost - mean_y) for x, (_, cost) in pairs) / spread if spread else 0.0
        return cls(mean_y - slope * mean_x, slope)

    def estimate_ms(self, size: int) -> float:
        """Return the cost at a size."""
        return self.base + self.slope * math.log2(size)


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked of a catalog."""

    entities: int
    writes: float
    reads: float
    partitions: int


def main() -> int:
    """Check the model, and print the estimate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path, help="figures.jsonl of growth_curves.py")
    parser.add_argument("--store", default="postgresql")
    parser.add_argument("--entities", type=int, default=100_000_000)
    parser.add_argument("--writes", type=float, default=1_000, help="a second")
    parser.add_argument("--reads", type=float, default=5_000, help="a second, a fifth of them searches")
    parser.add_argument("--partitions", type=int, default=16)
    options = parser.parse_args()
    points = _read_points(options.figures, options.store)
    wrong = list(_check_model(points))
    if wrong:
        print(f"nothing is estimated: the model is wrong at the largest size for {', '.join(wrong)}", file=sys.stderr)
        return 1
    curves = {name: Curve.fit(values) for name, values in points.items()}
    disk = json.loads(_find_newest_line(options.figures, options.store, "disk"))["kb_an_entity"]
    load = Load(options.entities, options.writes, options.reads, options.partitions)
    for what, figure in _estimate(load, curves, disk):
        print(f"| {what} | {figure} |")
    return 0


def _read_points(file: Path, store: str) -> dict[str, list[tuple[int, float]]]:
    """Return the newest cost of each used operation by size, in ascending order."""
    newest: dict[str, dict[int, float]] = {name: {} for name in USED}
    for line in file.read_text(encoding="utf-8").splitlines():
        figure = json.loads(line)
        if figure["store"] == store and figure["operation"] in newest:
            newest[figure["operation"]][figure["entities"]] = figure["cpu_ms"]
    if min(map(len, newest.values())) < 3:
        sys.exit(f"{file} has fewer than three sizes of {store}: one is kept to check the model")
    return {name: sorted(costs.items()) for name, costs in newest.items()}


def _find_newest_line(file: Path, store: str, operation: str) -> str:
    lines = file.read_text(encoding="utf-8").splitlines()
    return next(
        line
        for line in reversed(lines)
        if (json.loads(line)["store"], json.loads(line)["operation"]) == (store, operation)
    )


def _check_model(points: dict[str, list[tuple[int, float]]]) -> Iterator[str]:
    """Print the fit without the largest size beside what was measured there, and yield what is too far from it."""
    print("| operation | size | measured, CPU ms | predicted | error |\n|---|---|---|---|---|")
    for name, values in points.items():
        size, measured = values[-1]
        predicted = Curve.fit(values[:-1]).estimate_ms(size)
        error = predicted / measured - 1
        print(f"| {name} | {size:,} | {measured:.2f} | {predicted:.2f} | {error:+.0%} |")
        if abs(error) > TOLERANCE:
            yield name
    print()


def _estimate(load: Load, curves: dict[str, Curve], kb_of_entity: float) -> Iterator[tuple[str, str]]:
    write_ms, read_ms, search_ms = (curves[name].estimate_ms(load.entities) for name in USED)
    disk_tb = load.entities * (kb_of_entity + CHANGES_OF_ENTITY * KB_OF_CHANGE) / 1e9
    write_cores = load.writes * write_ms / 1e3 / BUSY
    read_cores = load.reads * ((1 - SEARCHES) * read_ms + SEARCHES * search_ms) / 1e3 / BUSY
    memory_gb = disk_tb * 1e3 * HOT
    machines = max(math.ceil((write_cores + read_cores) / CORES), math.ceil(memory_gb / MEMORY_GB))
    wait_ms, busy = simulate_writes(load, write_ms)
    uses = {
        "the writer of a partition": busy,
        "CPU of the machines": (write_cores + read_cores) * BUSY / (machines * CORES),
        "memory of the machines": memory_gb / (machines * MEMORY_GB),
        "commits of a partition's disk": load.writes / load.partitions / COMMITS,
    }
    yield "entities, writes a second, reads a second", f"{load.entities:,}, {load.writes:g}, {load.reads:g}"
    yield "CPU ms of a write, a read, a search", f"{write_ms:.1f}, {read_ms:.1f}, {search_ms:.1f}"
    yield f"disk of one copy, {CHANGES_OF_ENTITY} changes of an entity kept", f"{disk_tb:.1f} TB"
    yield "cores for writes, for reads", f"{write_cores:.0f}, {read_cores:.0f}"
    yield "memory", f"{memory_gb:.0f} GB"
    yield f"machines with {CORES} cores and {MEMORY_GB} GB, each with a replica", f"2 x {machines}"
    yield f"cost a month at {DOLLARS_A_MONTH} dollars a machine", f"{2 * machines * DOLLARS_A_MONTH:,} dollars"
    yield f"waiting for a partition's writer of {load.partitions}, p99", f"{wait_ms:.0f} ms"
    for what, share in sorted(uses.items(), key=lambda item: -item[1]):
        yield f"use of {what}", f"{share:.0%}"
    yield "breaks first", max(uses, key=lambda what: uses[what])


def simulate_writes(load: Load, write_ms: float) -> tuple[float, float]:
    """Simulate writes that arrive at random, for partitions as unequal as namespaces are (half of the writes for a fifth).

    Return the 99th percentile of the wait in ms, and the share of time in which the busiest partition's writer works.
    """
    chance = random.Random(7)
    popular = max(1, load.partitions // 5)
    free_at, work, waits = [0.0] * load.partitions, [0.0] * load.partitions, []
    now = 0.0
    while now < SIMULATED_S:
        now += chance.expovariate(load.writes)
        is_popular = chance.random() < 0.5 or popular == load.partitions
        at = chance.randrange(popular) if is_popular else chance.randrange(popular, load.partitions)
        took = chance.expovariate(1e3 / write_ms)
        waits.append(max(0.0, free_at[at] - now))
        free_at[at] = max(now, free_at[at]) + took
        work[at] += took
    return heapq.nlargest(max(1, len(waits) // 100), waits)[-1] * 1e3, max(work) / SIMULATED_S


if __name__ == "__main__":
    sys.exit(main())
