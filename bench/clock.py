"""Measure CPU time and take minima, because wall times vary with the load of the machine."""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 95th percentile of many figures, in CPU milliseconds."""

    p50: float
    p99: float

    def __str__(self) -> str:
        return f"{self.p50:.3g} / {self.p99:.3g} ms"


def measure_cpu_ms(work: Callable[[], object]) -> float:
    """Return the CPU time of this process for one call."""
    begun = time.process_time_ns()
    work()
    return (time.process_time_ns() - begun) / 1e6


def compare_sides(sides: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """Return the minimum CPU time of each side; the sides take turns, so that load on the machine affects all of them."""
    minimum = [float("inf")] * len(sides)
    gc.collect()
    for _ in range(rounds):
        for at, side in enumerate(sides):
            minimum[at] = min(minimum[at], measure_cpu_ms(side))
    return minimum


def measure_spreads(cases: Sequence[Sequence[Callable[[], object]]], rounds: int) -> list[Spread]:
    """Return the spread over the cases, for each side."""
    measured = [compare_sides(case, rounds) for case in cases]
    return [_create_spread(sorted(side)) for side in zip(*measured, strict=True)]


def _create_spread(figures: list[float]) -> Spread:
    def get_quantile(part: float) -> float:
        return figures[min(len(figures) - 1, int(len(figures) * part))]

    return Spread(get_quantile(0.5), get_quantile(0.99))
