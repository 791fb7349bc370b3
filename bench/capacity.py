"""Estimate what a catalog beyond one machine needs, from the figures that `growth_curves.py` measured.

`python bench/capacity.py FIGURES --entities 100000000 --writes 1000` fits the costs of an operation at all measured sizes but the
largest, and compares the fit with the largest. If it is wrong by more than a third there, nothing is estimated. Then it fits all
sizes, and simulates processes of the service that write. Without figures of PostgreSQL, it only checks the model. The tables
are Markdown; `--page FILE` writes them between the marks of a page instead.

A search costs a constant, and something for each hit of its page, each match that is read, and each page of the index's entries
that has such a match, on PostgreSQL also for each block of the index. It ends when it has enough matches. So its costs are fitted
to those of rare, middling and common words at all sizes together.

The model: processes of the service share one PostgreSQL, whose tables are not partitioned. Writes of different entities run side
by side, except for the lock of the log, which a commit holds until it is flushed. Replicas answer reads. What the
model does not know is listed as an assumption. No machine with this load was measured.
"""

import argparse
import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from corpus import VOCABULARY, WORDS
from jupyter_colophon.service.search.search import COUNTED_MAX
from simulated_writers import simulate_writes

#: How wrong the fit may be at the largest size that was measured.
TOLERANCE = 1 / 3
WRITE, READ, SEARCH = "update", "read", "search, middling word"
#: The share of searches among reads.
SEARCHES = 0.2
#: The words of each search of `growth_curves.py` by their ranks; one entity has a rare word. A page has this many hits.
_RANKS = {"search, rare word": range(0), SEARCH: range(200, 2_000), "search, common word": range(12)}
_HITS = 20
#: What is compared with a fit.
CHECKED = (WRITE, READ, *_RANKS)
#: How many entries of the full-text index a page of a database has, of about 100 bytes.
_ENTRIES_OF_PAGE = 40
#: How many entities have an index of their own on PostgreSQL; SQLite's index is read match by match.
_BLOCK = 32_768
_BEGIN, _END = "<!-- figures of bench/capacity.py -->", "<!-- end of the figures -->"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What was not measured here: CPU of a request besides the catalog's work, the network, and what a machine has."""

    request_ms: float = 3.0
    round_trip_ms: float = 0.2
    flush_ms: float = 0.5
    busy: float = 0.6
    cores: int = 16
    memory_gb: int = 128
    disk_tb: float = 16.0
    #: How fast a replica applies the log with its one process, in MB a second.
    replay_mb: float = 100.0
    #: The share of the entities' disk space that should stay in memory.
    hot: float = 0.15
    #: The disk space of a change with its history (docs/how-to/size-a-service.md), and how long changes are kept.
    kb_of_change: float = 8.5
    days: int = 30
    dollars_of_machine: int = 900
    dollars_of_tb: int = 100


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked of a catalog, each second."""

    entities: int
    writes: float
    reads: float


@cache
def list_factors(operation: str, size: int, block: int = 1) -> tuple[float, ...]:
    """Return what the cost of an operation grows with, at a number of entities: a B-tree has log(n) levels.

    `block` is the number of entities whose index a search reads at once.
    """
    if operation not in _RANKS:
        return (math.log2(size),)
    factors = [_list_factors_of_word(share, size, block) for share in _list_shares(_RANKS[operation]) or [1 / size]]
    return tuple(np.mean(factors, axis=0).tolist())


def _list_factors_of_word(share: float, size: int, block: int) -> tuple[float, ...]:
    """Return the hits, the matches that are read, the pages with them, and the blocks, for a share of all entities.

    The newest matches are read, so those of a common word are on few pages, and those of a rare one on a page each.
    """
    newest = size % block
    blocks = math.ceil(max(0.0, COUNTED_MAX / share - newest) / block)
    searched = min(size, newest + blocks * block)
    pages = searched / _ENTRIES_OF_PAGE * (1 - (1 - share) ** _ENTRIES_OF_PAGE)
    return min(_HITS, share * size), share * searched, pages, searched / block if block > 1 else 0.0


def _list_shares(ranks: Iterable[int]) -> list[float]:
    """Return the share of entities with each of the words, as `corpus.py` distributes them."""
    harmonic = sum(1 / rank for rank in range(1, VOCABULARY + 1))
    return [1 - (1 - 1 / (rank + 1) / harmonic) ** WORDS for rank in ranks]


@dataclass(frozen=True, slots=True)
class Curve:
    """A constant cost, and one for each factor."""

    base: float
    slopes: Sequence[float]

    @classmethod
    def fit(cls, points: Sequence[tuple[Sequence[float], float]]) -> "Curve":
        """Fit the factors and costs of points, with the smallest sum of squares of relative errors.

        No cost is negative: it must not become negative far away.
        """
        factors, costs = np.array([(1, *at) for at, _ in points]), np.array([cost for _, cost in points])
        weights, used = 1 / np.maximum(costs, 1e-3), list(range(factors.shape[1]))
        while True:
            fitted = np.linalg.lstsq(factors[:, used] * weights[:, None], costs * weights, rcond=None)[0]
            if min(fitted, default=0.0) >= 0:
                break
            used.pop(int(np.argmin(fitted)))
        costs_of_factors = np.zeros(factors.shape[1])
        costs_of_factors[used] = fitted
        base, *slopes = costs_of_factors.tolist()
        return cls(base, slopes)

    def estimate(self, factors: Sequence[float]) -> float:
        """Return the cost for these factors."""
        return self.base + sum(slope * factor for slope, factor in zip(self.slopes, factors, strict=True))


@dataclass(frozen=True, slots=True)
class Figures:
    """The newest figures of a store, by operation and size."""

    store: str
    items: dict[tuple[str, int], dict[str, float]]

    @classmethod
    def read(cls, file: Path, store: str) -> "Figures":
        """Read a file of `growth_curves.py`."""
        lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        return cls(store, {(line["operation"], line["entities"]): line for line in lines if line["store"] == store})

    def list_sizes(self) -> list[int]:
        """Return the sizes at which all used operations were measured."""
        return sorted(
            size for name, size in self.items if name == WRITE and {(n, size) for n in CHECKED} <= set(self.items)
        )

    def estimate_costs(self, operation: str, size: int, fitted: Iterable[int]) -> tuple[float, float]:
        """Return the CPU milliseconds of our process and of PostgreSQL at a size, from a fit to other sizes."""
        names = tuple(_RANKS) if operation in _RANKS else (operation,)
        figures = [(name, n, self.items[name, n]) for n in fitted for name in names]
        ours = [(list_factors(name, n), figure["cpu_ms"] - figure["server_ms"]) for name, n, figure in figures]
        servers = [(list_factors(name, n, _BLOCK), figure["server_ms"]) for name, n, figure in figures]
        return (
            Curve.fit(ours).estimate(list_factors(operation, size)),
            Curve.fit(servers).estimate(list_factors(operation, size, _BLOCK)),
        )

    def estimate_log_kb(self, size: int) -> float:
        """Return the kilobytes of the write-ahead log of a write."""
        points = [(list_factors(WRITE, n), self.items[WRITE, n]["log_kb"]) for n in self.list_sizes()]
        return Curve.fit(points).estimate(list_factors(WRITE, size))

    def get_kb_of_entity(self) -> float:
        """Return the disk space of an entity at the largest size."""
        return self.items["disk", self.list_sizes()[-1]]["kb_an_entity"]


def main() -> int:
    """Check the model, and print the estimate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", type=Path, help="figures.jsonl of growth_curves.py")
    parser.add_argument("--entities", type=int, default=100_000_000)
    parser.add_argument("--writes", type=float, default=1_000, help="a second")
    parser.add_argument("--reads", type=float, default=5_000, help="a second, a fifth of them searches")
    parser.add_argument("--page", type=Path, help="write the tables into this page")
    options = parser.parse_args()
    lines: list[str] = []
    wrong: list[str] = []
    for store in ("sqlite", "postgresql"):
        figures = Figures.read(options.figures, store)
        if len(figures.list_sizes()) < 3:
            print(f"{store} was measured at fewer than three sizes: one is kept to check the model", file=sys.stderr)
            continue
        table, failed = _check_model(figures)
        lines, wrong = [*lines, *table, ""], [*wrong, *failed]
        if store == "postgresql" and not failed:
            load = Load(options.entities, options.writes, options.reads)
            lines += ["| estimate | |", "|---|---|", *(f"| {row} |" for row in _estimate(load, figures, Assumptions()))]
    _print_or_write("\n".join(lines).strip(), options.page)
    if wrong:
        print(f"the model is wrong at the largest size: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


def _print_or_write(text: str, page: Path | None) -> None:
    if page is None:
        print(text)
        return
    before, found, rest = page.read_text(encoding="utf-8").partition(_BEGIN)
    _, ended, after = rest.partition(_END)
    if not (found and ended):
        sys.exit(f"{page} does not contain {_BEGIN} and {_END}")
    page.write_text(f"{before}{_BEGIN}\n\n{text}\n\n{_END}{after}", encoding="utf-8")


def _check_model(figures: Figures) -> tuple[list[str], list[str]]:
    """Return a table with what was measured at the largest size beside a fit to the others, and what is too far from it."""
    *fitted, size = figures.list_sizes()
    lines = [
        f"| {figures.store}: CPU ms at {size:,} | measured | predicted from {', '.join(f'{n:,}' for n in fitted)} | error |",
        "|---|---|---|---|",
    ]
    wrong = []
    for name in CHECKED:
        measured = figures.items[name, size]["cpu_ms"]
        predicted = sum(figures.estimate_costs(name, size, fitted))
        error = predicted / measured - 1
        lines.append(f"| {name} | {measured:.2f} | {predicted:.2f} | {error:+.0%} |")
        if abs(error) > TOLERANCE:
            wrong.append(f"{name} on {figures.store}")
    return lines, wrong


def _estimate(load: Load, figures: Figures, given: Assumptions) -> Iterator[str]:
    costs = {name: figures.estimate_costs(name, load.entities, figures.list_sizes()) for name in (WRITE, READ, SEARCH)}
    own = {name: ours + given.request_ms for name, (ours, _) in costs.items()}
    rates = {WRITE: load.writes, READ: load.reads * (1 - SEARCHES), SEARCH: load.reads * SEARCHES}
    cores = {name: rates[name] * own[name] / 1e3 / given.busy for name in costs}
    primary_cores = load.writes * costs[WRITE][1] / 1e3 / given.busy
    replica_cores = sum(rates[name] * costs[name][1] for name in (READ, SEARCH)) / 1e3 / given.busy
    writers = math.ceil(cores[WRITE])
    wait_ms, lock = simulate_writes(load.writes, writers, sum(costs[WRITE]), 2 * given.round_trip_ms + given.flush_ms)
    entities_tb = load.entities * figures.get_kb_of_entity() / 1e9
    tb_a_day = load.writes * 86_400 * given.kb_of_change / 1e9
    disk_tb = entities_tb + tb_a_day * given.days
    memory_gb = entities_tb * 1e3 * given.hot
    log_mb = load.writes * figures.estimate_log_kb(load.entities) / 1e3
    services, replicas = (max(2, math.ceil(n / given.cores)) for n in (sum(cores.values()), replica_cores))
    dollars = (services + 1 + replicas) * given.dollars_of_machine + (1 + replicas) * disk_tb * given.dollars_of_tb
    yield f"entities, writes and reads a second (a fifth are searches) | {load.entities:,}, {load.writes:g}, {load.reads:g}"
    for name, (ours, servers) in costs.items():
        yield f"{name}: CPU ms of the service, of PostgreSQL | {ours + given.request_ms:.1f}, {servers:.1f}"
    yield f"the service: cores, machines with {given.cores} | {sum(cores.values()):.0f}, {services}"
    yield f"the primary: cores, memory for {given.hot:.0%} of the entities | {primary_cores:.0f}, {memory_gb:.0f} GB"
    yield f"replicas: cores in all, machines | {replica_cores:.0f}, {replicas}"
    yield f"disk of each copy: entities, changes of {given.days} days | {entities_tb:.1f} TB, {tb_a_day * given.days:.1f} TB"
    yield f"the write-ahead log | {log_mb:.0f} MB a second, {log_mb * 86_400 / 1e6:.1f} TB a day"
    yield (
        f"a write in one of {writers} processes, p99 | {wait_ms:.0f} ms"
        if wait_ms < 1e3
        else "writes | more than the log can take"
    )
    yield f"cost a month, at {given.dollars_of_machine} dollars a machine and {given.dollars_of_tb} a TB | {dollars:,.0f} dollars"
    yield from _rank_uses(
        {
            "the lock of the log": lock,
            "cores of the primary": primary_cores / given.cores,
            f"memory of the primary, {given.memory_gb} GB": memory_gb / given.memory_gb,
            f"disk of a machine, {given.disk_tb:g} TB": disk_tb / given.disk_tb,
            f"a replica's replay, {given.replay_mb:g} MB a second": log_mb / given.replay_mb,
        }
    )


def _rank_uses(uses: dict[str, float]) -> Iterator[str]:
    """Yield what breaks first, and so on."""
    for what, share in sorted(uses.items(), key=lambda item: -item[1]):
        yield f"use of {what} | {share:.0%}"


if __name__ == "__main__":
    sys.exit(main())
