"""A profile of data: how many rows, and the figures of each column."""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.kernel.counts import counted
from jupyter_colophon.kernel.display.elements import Block, Line, Table
from jupyter_colophon.kernel.display.times import clock

#: Columns whose figures are shown: of a wide table the first ones.
_COLUMNS = 50
_DIGITS = 6
_TITLES = ("column", "nulls", "distinct", "least", "median", "most", "mean", "deviation")


def profile_blocks(profile: Mapping[str, Any] | None) -> Iterator[Block]:
    """The newest profile, as the catalog has it; nothing where there is none."""
    if profile is None:
        return
    told = profile["value"]
    counts = [
        f"{told[key]:,} {word}" for key, word in (("rowCount", "rows"), ("columnCount", "columns")) if key in told
    ]
    caption = f"profile of {clock(profile['time'])}: {', '.join(counts) or 'without counts'}"
    columns = told.get("fieldProfiles") or ()
    if not columns:
        yield Line(caption, quiet=True)
        return
    yield Table(caption, _TITLES, tuple(_row(one) for one in columns[:_COLUMNS]))
    if left := len(columns[_COLUMNS:]):
        yield Line(f"There are figures of {counted(left, 'more column')}: --json has all.", quiet=True)


def _row(told: Mapping[str, Any]) -> tuple[str, ...]:
    counts = (_count(told, "nullCount"), _count(told, "uniqueCount"))
    values = (str(told.get(name, "")) for name in ("min", "median", "max"))
    return (str(told.get("fieldPath", "")), *counts, *values, _short(told, "mean"), _short(told, "stdev"))


def _count(told: Mapping[str, Any], name: str) -> str:
    return f"{told[name]:,}" if isinstance(told.get(name), int) else ""


def _short(told: Mapping[str, Any], name: str) -> str:
    """A figure that was reckoned, with as many digits as a person reads; others may have told a text that is none."""
    try:
        return f"{float(told[name]):.{_DIGITS}g}"
    except (KeyError, TypeError, ValueError):
        return str(told.get(name) or "")
