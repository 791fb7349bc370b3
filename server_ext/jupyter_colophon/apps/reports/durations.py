"""Durations of runs, counted in classes: what is known of them can be added up, and does not grow with the runs."""

import math
from dataclasses import dataclass, field
from typing import Final

#: Durations are counted in classes that grow by 2 %, so that a percentile is exact to 1 %.
_GROWTH: Final = math.log(1.02)
_PERCENTILE: Final = 0.95


@dataclass(slots=True)
class Durations:
    """The durations of runs that have ended, in milliseconds."""

    count: int = 0
    total: int = 0
    least: int = 0
    most: int = 0
    #: How many durations each class has.
    classes: dict[int, int] = field(default_factory=dict)

    def add(self, duration: int) -> None:
        """Count a duration."""
        self.add_all(Durations(1, duration, duration, duration, {_compute_class(duration): 1}))

    def add_all(self, other: "Durations") -> None:
        """Count the durations of another group."""
        if not other.count:
            return
        self.least = min(self.least, other.least) if self.count else other.least
        self.most = max(self.most, other.most)
        self.count += other.count
        self.total += other.total
        classes = self.classes
        for number, count in other.classes.items():
            classes[number] = classes.get(number, 0) + count

    def calculate_percentile(self) -> int:
        """Return the duration that 95 % of the runs do not exceed, exact to 1 %."""
        left = math.ceil(_PERCENTILE * self.count)
        for number, count in sorted(self.classes.items()):
            left -= count
            if left <= 0:
                return min(self.most, max(self.least, round(math.expm1(number * _GROWTH))))
        return self.most


def _compute_class(duration: int) -> int:
    """Return the number of the class of a duration."""
    return round(math.log1p(duration) / _GROWTH)
