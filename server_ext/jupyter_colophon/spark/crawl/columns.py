"""Column statistics by type: Spark SQL expressions for one aggregate, and the conversion of their values."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as member
from datetime import datetime, timedelta
from typing import Any

from jupyter_colophon.capture.observation import SchemaField

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
#: log2 of the number of buckets of the distinct-value sketch: a standard error of 1.6 %.
_PLACES = 12
_TEXT_CHARS = 200
_EPOCH = datetime(1970, 1, 1)
_RANKS = f"array({', '.join(f'{rank}D' for rank in QUANTILES)})"
_INTEGERS = frozenset({"tinyint", "smallint", "int", "bigint"})
_FRACTIONS = frozenset({"float", "double"})
_PLAIN = re.compile(r"string|char|varchar|binary|boolean|date|timestamp|timestamp_ntz|time|interval")


@dataclass(slots=True)
class ColumnProfile:
    """Statistics of a column. Values are strings, as in DataHub; None if unknown or not published.

    `skipped` explains why only nulls are counted. `lengths` are those of strings: shortest, longest, mean.
    """

    field: SchemaField
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
        """Return the median."""
        return self.quantiles.get("0.5")


Take = Callable[[ColumnProfile, Any], None]


@dataclass(frozen=True, slots=True)
class Measure:
    """An aggregate expression, and the function that stores its value."""

    sql: str
    take: Take


def list_measures(column: str, type_: str, *, values: bool, has_kll: bool) -> Iterator[Measure]:
    """Yield the measures for a column of this name and type; without `values` none that reveal values."""
    base = type_.partition("(")[0].partition("<")[0].split(" ")[0]
    yield Measure(f"count({column})", lambda profile, value: setattr(profile, "filled", value))
    is_number = base in _INTEGERS or base in _FRACTIONS or base == "decimal"
    if not is_number and _PLAIN.fullmatch(base) is None:
        return
    # Not `approx_count_distinct`: Spark generates code for the hundreds of columns of its sketch.
    hashed = f"IF({column} IS NULL, NULL, xxhash64({column}))"
    yield Measure(f"hll_sketch_estimate(hll_sketch_agg({hashed}, {_PLACES}))", _store_distinct_count)
    if not values:
        return
    if base in {"string", "char", "varchar", "binary"}:
        size = f"length({column})"
        yield Measure(f"struct(min({size}) AS a, max({size}) AS b, avg({size}) AS c)", _store_lengths)
    if base != "binary":
        yield from _create_bound_measures(column, base)
    if is_number:
        number = column if base != "decimal" else f"CAST({column} AS double)"
        yield Measure(f"avg({number})", lambda profile, value: setattr(profile, "mean", _to_text(value)))
        yield Measure(f"stddev({number})", lambda profile, value: setattr(profile, "deviation", _to_text(value)))
    if (quantiles := _create_quantile_measure(column, base, has_kll=has_kll)) is not None:
        yield quantiles


def explain_skipped_statistics(type_: str) -> str:
    """Return why only the nulls of a column are counted; empty if there are other statistics."""
    more = list(list_measures("c", type_, values=False, has_kll=True))
    return "" if len(more) > 1 else "only nulls are counted: values of this type have no order in Spark"


def _create_bound_measures(column: str, base: str) -> Iterator[Measure]:
    wrapped = _build_number_expression(base)
    for name, function in (("least", "min"), ("most", "max")):
        expression = f"{function}({column})"
        sql = wrapped.format(expression) if base.startswith("timestamp") else f"CAST({expression} AS string)"
        plain = expression if base in _INTEGERS or base in _FRACTIONS or base == "string" else sql
        yield Measure(plain, lambda profile, value, name=name: setattr(profile, name, _format_value(base, value)))  # type: ignore[misc]


def _build_number_expression(base: str) -> str:
    """Return a format string for the conversion of a value to a number with the same order."""
    return {
        "date": "unix_date({})",
        "timestamp": "unix_micros({})",
        "timestamp_ntz": "timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01 00:00:00', {})",
        "decimal": "CAST({} AS double)",
    }.get(base, "{}")


def _create_quantile_measure(column: str, base: str, *, has_kll: bool) -> Measure | None:
    if base in _FRACTIONS or base == "decimal":
        kind = "float" if base == "float" else "double"
    elif base in _INTEGERS or base in {"date", "timestamp", "timestamp_ntz"}:
        kind = "bigint"
    else:
        return None
    number = _build_number_expression(base).format(column)
    if has_kll:
        sketch = f"kll_sketch_get_quantile_{kind}(kll_sketch_agg_{kind}({number}), {_RANKS})"
        # An empty sketch raises an error.
        sql = f"IF(count({column}) = 0, NULL, {sketch})"
    else:
        sql = f"percentile_approx({number}, {_RANKS}, 1000)"

    def take(profile: ColumnProfile, values: Sequence[Any] | None) -> None:
        formatted = zip(QUANTILES, (_format_value(base, value) for value in values or ()), strict=False)
        profile.quantiles = {str(rank): value for rank, value in formatted if value is not None}

    return Measure(sql, take)


def _store_distinct_count(profile: ColumnProfile, value: int) -> None:
    # An estimate may exceed the number of values.
    profile.distinct = min(value, profile.filled)


def _store_lengths(profile: ColumnProfile, lengths: Any) -> None:
    if lengths["a"] is not None:
        profile.lengths = (lengths["a"], lengths["b"], round(lengths["c"], 3))


def _format_value(base: str, value: Any) -> str | None:
    """Return a value as a string: times in ISO 8601, long strings truncated."""
    if value is None:
        return None
    if base == "date" and isinstance(value, int):
        return (_format_time(days=value) or "")[:10] or None
    if base.startswith("timestamp"):
        formatted = _format_time(microseconds=value)
        return f"{formatted}Z" if formatted and base == "timestamp" else formatted
    return _to_text(value)


def _format_time(**since: int) -> str | None:
    try:
        return (_EPOCH + timedelta(**since)).isoformat()
    except OverflowError:
        # Python's calendar ends with the year 9999.
        return None


def _to_text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, float):
        return repr(value)
    text = str(value).replace("\0", "\ufffd")
    return text if len(text) <= _TEXT_CHARS else f"{text[: _TEXT_CHARS - 1]}…"
