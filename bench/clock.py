"""CPU time and minima: the machine is never quiet, so wall times are no verdict."""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """The middle and the end of many figures, in CPU milliseconds."""

    p50: float
    p99: float

    def __str__(self) -> str:
        return f"{self.p50:.3g} / {self.p99:.3g} ms"


def cpu_ms(work: Callable[[], object]) -> float:
    """The CPU time of this process for one call."""
    begun = time.process_time_ns()
    work()
    return (time.process_time_ns() - begun) / 1e6


def side_by_side(sides: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """The least CPU time of each side; they take turns, so that a busy minute is everybody's."""
    least = [float("inf")] * len(sides)
    gc.collect()
    for _ in range(rounds):
        for at, side in enumerate(sides):
            least[at] = min(least[at], cpu_ms(side))
    return least


def spreads(cases: Sequence[Sequence[Callable[[], object]]], rounds: int) -> list[Spread]:
    """The spread over the cases, for each of their sides."""
    measured = [side_by_side(case, rounds) for case in cases]
    return [_spread(sorted(side)) for side in zip(*measured, strict=True)]


def _spread(figures: list[float]) -> Spread:
    def at(part: float) -> float:
        return figures[min(len(figures) - 1, int(len(figures) * part))]

    return Spread(at(0.5), at(0.99))
