"""Evaluate expectations on a pandas DataFrame: each column is read once for each of its expectations."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from numbers import Real
from typing import Any, Final

from jupyter_colophon.spark.quality.outcome import (
    CheckImpossible,
    Expectation,
    Result,
    build_columns_result,
    build_error_result,
    build_freshness_result,
    build_row_count_result,
    build_rows_result,
    convert_to_utc,
    end_of_day,
    format_extent,
    format_samples,
    parse_limit_as_time,
)

#: The names of pandas' types in Spark.
_SPARK_TYPES: Final = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float32": "float",
    "float64": "double",
    "bool": "boolean",
    "boolean": "boolean",
    "object": "string",
    "str": "string",
    "string": "string",
}


def evaluate_on_pandas(
    data: Any, expectations: Mapping[str, Expectation], now: datetime, may_show: Callable[[str], bool]
) -> dict[str, Result]:
    """Return the result of each expectation; one that cannot be evaluated does not affect the others."""
    return {id_: _evaluate_or_explain(data, item, now, may_show) for id_, item in expectations.items()}


def _evaluate_or_explain(data: Any, expectation: Expectation, now: datetime, may_show: Callable[[str], bool]) -> Result:
    try:
        result, failing = _evaluate(data, expectation, now)
    except CheckImpossible as error:
        return build_error_result(str(error))
    if "column" in expectation and not may_show(expectation["column"]):
        return {name: value for name, value in result.items() if name != "observed"}
    return result | ({"samples": format_samples(failing)} if failing else {})


def _evaluate(data: Any, expectation: Expectation, now: datetime) -> tuple[Result, Sequence[Any]]:
    """Return the result, and the failing values."""
    kind, rows = expectation["kind"], len(data)
    if kind == "rowCount":
        return build_row_count_result(expectation, rows), ()
    if kind == "columns":
        types = {str(name): _name_type(str(type_)) for name, type_ in data.dtypes.items()}
        return build_columns_result(expectation, types, rows), ()
    if expectation["column"] not in data.columns:
        raise CheckImpossible(f"the data has no column {expectation['column']}")
    values = [value for value in data[expectation["column"]].tolist() if not _is_null(value)]
    if kind == "notNull":
        return build_rows_result(expectation, rows - len(values), rows), ()
    if kind == "freshness":
        times = [end_of_day(value) for value in values if isinstance(value, date)]
        if len(times) < len(values):
            raise CheckImpossible(f"the column {expectation['column']} has values that are not dates or timestamps")
        return build_freshness_result(expectation, max(times, default=None), now, rows), ()
    failing = _FIND_FAILING[kind](expectation, values)
    observed = _describe_extent(values) if kind == "range" else ""
    return build_rows_result(expectation, len(failing), rows, observed), failing


def _find_repeated(expectation: Expectation, values: Sequence[Any]) -> Sequence[Any]:
    try:
        counts = Counter(values)
    except TypeError:
        raise CheckImpossible(f"values of the column {expectation['column']} cannot be compared") from None
    return [value for value, count in counts.items() for _ in range(count - 1)]


def _find_outside_range(expectation: Expectation, values: Sequence[Any]) -> Sequence[Any]:
    tests = [
        _create_limit_test(expectation[name], is_minimum=name == "min")
        for name in ("min", "max")
        if name in expectation
    ]
    return [value for value in values if not all(test(value) for test in tests)]


def _create_limit_test(limit: float | str, *, is_minimum: bool) -> Callable[[Any], bool]:
    time = None

    def convert(value: Any) -> Any:
        nonlocal time
        if isinstance(limit, str):
            if isinstance(value, date):
                time = parse_limit_as_time(limit) if time is None else time
                return convert_to_utc(value), time
            return (value, limit) if isinstance(value, str) else None
        if isinstance(value, str):
            try:
                return float(value), limit
            except ValueError:
                return None
        return None if isinstance(value, bool) or not isinstance(value, Real) else (value, limit)

    def is_within_limit(value: Any) -> bool:
        pair = convert(value)
        return pair is not None and bool(pair[0] >= pair[1] if is_minimum else pair[0] <= pair[1])

    return is_within_limit


def _find_outside_set(expectation: Expectation, values: Sequence[Any]) -> Sequence[Any]:
    allowed = {(isinstance(value, bool), value) for value in expectation["values"]}
    texts = {str(value) for value in expectation["values"] if not isinstance(value, bool)}
    return [
        value
        for value in values
        if (value not in texts if isinstance(value, str) else (isinstance(value, bool), value) not in allowed)
    ]


def _find_without_match(expectation: Expectation, values: Sequence[Any]) -> Sequence[Any]:
    try:
        pattern = re.compile(expectation["pattern"])
    except re.error as error:
        raise CheckImpossible(f"the pattern is not valid: {error}") from None
    return [value for value in values if not pattern.search(str(value))]


_FIND_FAILING: Final = {
    "unique": _find_repeated,
    "range": _find_outside_range,
    "set": _find_outside_set,
    "pattern": _find_without_match,
}


def _describe_extent(values: Sequence[Any]) -> str:
    try:
        return format_extent(min(values, default=None), max(values, default=None))
    except TypeError:
        # Values of several types have no order.
        return ""


def _is_null(value: Any) -> bool:
    # NaN and NaT differ from themselves; pandas.NA has no truth value.
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _name_type(type_: str) -> str:
    return "timestamp" if type_.startswith("datetime64") else _SPARK_TYPES.get(type_.lower(), type_)
