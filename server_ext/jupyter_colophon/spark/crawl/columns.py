"""What is reckoned of a column, by its type: expressions of Spark SQL for one aggregate, and what their values say."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as member
from datetime import datetime, timedelta
from typing import Any

from jupyter_colophon.spark.plans.observation import Field

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: The sketch of distinct values has 2^12 places: a standard error of 1.6 %.
_PLACES = 12
_TEXT_CHARS = 200
_EPOCH = datetime(1970, 1, 1)
_RANKS = f"array({', '.join(f'{rank}D' for rank in QUANTILES)})"
_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
_FRACTIONS = frozenset({"float", "double"})
_PLAIN = re.compile(r"string|char|varchar|binary|boolean|date|timestamp|timestamp_ntz|time|interval")


@dataclass(slots=True)
class ColumnProfile:
    """What is known of a column. Values are texts, as DataHub has them; what is not known or not told is None.

    `skipped` says why there is no more than the nulls. `lengths` are those of texts: shortest, longest, mean.
    """

    field: Field
    filled: int = 0
    distinct: int | None = None
    least: str | None = None
    most: str | None = None
    mean: str | None = None
    deviation: str | None = None
    quantiles: Mapping[str, str] = member(default_factory=dict)
    lengths: tuple[int, int, float] | None = None
    skipped: str = ""

    @property
    def median(self) -> str | None:
        """The middle value."""
        return self.quantiles.get("0.5")


Take = Callable[[ColumnProfile, Any], None]


@dataclass(frozen=True, slots=True)
class Measure:
    """An expression, and where its value goes."""

    sql: str
    take: Take


def measures(column: str, type_: str, *, values: bool, has_kll: bool) -> Iterator[Measure]:
    """What is asked of a column of this name and type; without `values` nothing that shows any."""
    base = type_.partition("(")[0].partition("<")[0].split(" ")[0]
    yield Measure(f"count({column})", lambda profile, value: setattr(profile, "filled", value))
    is_number = base in _INTEGERS or base in _FRACTIONS or base == "decimal"
    if not is_number and _PLAIN.fullmatch(base) is None:
        return
    # Not `approx_count_distinct`: to Spark its sketch is hundreds of columns, which it compiles code for.
    hashed = f"IF({column} IS NULL, NULL, xxhash64({column}))"
    yield Measure(f"hll_sketch_estimate(hll_sketch_agg({hashed}, {_PLACES}))", _take_distinct)
    if not values:
        return
    if base in {"string", "char", "varchar", "binary"}:
        size = f"length({column})"
        yield Measure(f"struct(min({size}) AS a, max({size}) AS b, avg({size}) AS c)", _take_lengths)
    if base != "binary":
        yield from _bounds(column, base)
    if is_number:
        number = column if base != "decimal" else f"CAST({column} AS double)"
        yield Measure(f"avg({number})", lambda profile, value: setattr(profile, "mean", _text(value)))
        yield Measure(f"stddev({number})", lambda profile, value: setattr(profile, "deviation", _text(value)))
    if (quantiles := _quantiles(column, base, has_kll=has_kll)) is not None:
        yield quantiles


def reason(type_: str) -> str:
    """Why nothing but the nulls of a column is told; empty where more is."""
    more = list(measures("c", type_, values=False, has_kll=True))
    return "" if len(more) > 1 else "only its nulls are counted: Spark has no order of such values"


def _bounds(column: str, base: str) -> Iterator[Measure]:
    wrapped = _as_number(base)
    for name, function in (("least", "min"), ("most", "max")):
        found = f"{function}({column})"
        sql = wrapped.format(found) if base.startswith("timestamp") else f"CAST({found} AS string)"
        plain = found if base in _INTEGERS or base in _FRACTIONS or base == "string" else sql
        yield Measure(plain, lambda profile, value, name=name: setattr(profile, name, _shown(base, value)))  # type: ignore[misc]


def _as_number(base: str) -> str:
    """How a value becomes a number that keeps its order."""
    return {
        "date": "unix_date({})",
        "timestamp": "unix_micros({})",
        "timestamp_ntz": "timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01 00:00:00', {})",
        "decimal": "CAST({} AS double)",
    }.get(base, "{}")


def _quantiles(column: str, base: str, *, has_kll: bool) -> Measure | None:
    if base in _FRACTIONS or base == "decimal":
        kind = "float" if base == "float" else "double"
    elif base in _INTEGERS or base in {"date", "timestamp", "timestamp_ntz"}:
        kind = "bigint"
    else:
        return None
    number = _as_number(base).format(column)
    if has_kll:
        sketch = f"kll_sketch_get_quantile_{kind}(kll_sketch_agg_{kind}({number}), {_RANKS})"
        # An empty sketch has no quantiles, and says so by an error.
        sql = f"IF(count({column}) = 0, NULL, {sketch})"
    else:
        sql = f"percentile_approx({number}, {_RANKS}, 1000)"

    def take(profile: ColumnProfile, found: Sequence[Any] | None) -> None:
        shown = zip(QUANTILES, (_shown(base, value) for value in found or ()), strict=False)
        profile.quantiles = {str(rank): value for rank, value in shown if value is not None}

    return Measure(sql, take)


def _take_distinct(profile: ColumnProfile, value: int) -> None:
    # An estimate may be more than there are values.
    profile.distinct = min(value, profile.filled)


def _take_lengths(profile: ColumnProfile, found: Any) -> None:
    if found["a"] is not None:
        profile.lengths = (found["a"], found["b"], round(found["c"], 3))


def _shown(base: str, value: Any) -> str | None:
    """A value as a text: moments in ISO 8601, long texts cut."""
    if value is None:
        return None
    if base == "date" and isinstance(value, int):
        return (_moment(days=value) or "")[:10] or None
    if base.startswith("timestamp"):
        shown = _moment(microseconds=value)
        return f"{shown}Z" if shown and base == "timestamp" else shown
    return _text(value)


def _moment(**since: int) -> str | None:
    try:
        return (_EPOCH + timedelta(**since)).isoformat()
    except OverflowError:
        # Python's calendar ends with the year 9999.
        return None


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return repr(value)
    text = str(value).replace("\0", "\ufffd")
    return text if len(text) <= _TEXT_CHARS else f"{text[: _TEXT_CHARS - 1]}…"
