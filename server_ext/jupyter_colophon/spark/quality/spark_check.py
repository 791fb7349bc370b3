"""Evaluate expectations on a Spark DataFrame: one aggregate for all of them, and a limited read for each that fails."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from jupyter_colophon.spark.error_messages import get_error_class
from jupyter_colophon.spark.quality.outcome import (
    CheckImpossible,
    Expectation,
    Result,
    build_columns_result,
    build_error_result,
    build_freshness_result,
    build_row_count_result,
    build_rows_result,
    format_extent,
    format_samples,
    parse_limit_as_time,
)

#: How many rows are read to find different failing values, and for how many expectations.
_SAMPLE_ROWS: Final = 50
_SAMPLED_MAX: Final = 10
_NUMBERS: Final = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
_TIMES: Final = ("date", "timestamp", "timestamp_ntz")


@dataclass(frozen=True, slots=True)
class _Measurement:
    """What an expectation needs: aggregates, the function of their values and the number of rows, and failing rows."""

    aggregates: tuple[Any, ...]
    finish: Callable[[tuple[Any, ...], int], Result]
    #: The condition of failing rows, and their values.
    failing: Any = None
    values: Any = None


@dataclass(slots=True)
class SparkCheck:
    """A check of one DataFrame. `now` is the time for freshness; values are read only where `may_show` is true."""

    data: Any
    now: datetime
    may_show: Callable[[str], bool] = lambda _: False
    _results: dict[str, Result] = field(default_factory=dict)

    def evaluate(self, expectations: Mapping[str, Expectation]) -> dict[str, Result]:
        """Return the result of each expectation; one that cannot be evaluated does not affect the others.

        Raises all exceptions of Spark that reading the data raises.
        """
        from pyspark.sql import functions

        measurements: dict[str, _Measurement] = {}
        for id_, expectation in expectations.items():
            try:
                measurement = self._measure(expectation)
                # Analysed one by one, so that an impossible aggregate is the error of its expectation alone.
                self.data.agg(functions.count(functions.lit(1)), *measurement.aggregates)
                measurements[id_] = measurement
            except CheckImpossible as error:
                self._results[id_] = build_error_result(str(error))
            except Exception as error:  # noqa: BLE001  Spark may raise anything for a type that it cannot aggregate
                self._results[id_] = build_error_result(f"Spark cannot evaluate it ({get_error_class(error)})")
        aggregates = [aggregate for item in measurements.values() for aggregate in item.aggregates]
        rows, *values = tuple(self.data.agg(functions.count(functions.lit(1)), *aggregates).first())
        for id_, measurement in measurements.items():
            own, values = tuple(values[: len(measurement.aggregates)]), values[len(measurement.aggregates) :]
            try:
                self._results[id_] = measurement.finish(own, rows)
            except CheckImpossible as error:
                self._results[id_] = build_error_result(str(error))
        self._add_samples(expectations, measurements)
        return {id_: self._results[id_] for id_ in expectations}

    def _add_samples(self, expectations: Mapping[str, Expectation], measurements: Mapping[str, _Measurement]) -> None:
        failed = [
            id_
            for id_, item in measurements.items()
            if item.failing is not None
            and self._results[id_].get("failing")
            and self.may_show(expectations[id_]["column"])
        ]
        for id_ in failed[:_SAMPLED_MAX]:
            item = measurements[id_]
            if expectations[id_]["kind"] == "unique":
                found = self.data.where(item.values.isNotNull()).groupBy(item.values.alias("c")).count()
                shown = found.where("count > 1").selectExpr("cast(c as string)")
            else:
                shown = self.data.where(item.failing).select(item.values.cast("string"))
            self._results[id_]["samples"] = format_samples(row[0] for row in shown.limit(_SAMPLE_ROWS).collect())

    def _measure(self, expectation: Expectation) -> _Measurement:
        kind = expectation["kind"]
        if kind == "rowCount":
            return _Measurement((), lambda _, rows: build_row_count_result(expectation, rows))
        if kind == "columns":
            types = {item.name: item.dataType.simpleString() for item in self.data.schema.fields}
            return _Measurement((), lambda _, rows: build_columns_result(expectation, types, rows))
        column, type_ = self._find_column(expectation["column"])
        if kind == "freshness":
            return self._measure_freshness(expectation, column, type_)
        return self._measure_rows(expectation, column, type_)

    def _measure_rows(self, expectation: Expectation, column: Any, type_: str) -> _Measurement:
        from pyspark.sql import functions

        kind = expectation["kind"]
        if kind == "unique":
            number = functions.count(column) - functions.count_distinct(column)
            return _Measurement(
                (number,), lambda own, rows: build_rows_result(expectation, own[0], rows), functions.lit(True), column
            )
        if kind == "notNull":
            number = functions.count(functions.when(column.isNull(), 1))
            return _Measurement((number,), lambda own, rows: build_rows_result(expectation, own[0], rows))
        holds = {"range": _is_in_range, "set": _is_in_set, "pattern": _has_match}[kind](expectation, column, type_)
        failing = column.isNotNull() & ~functions.coalesce(holds, functions.lit(False))
        number = functions.count(functions.when(failing, 1))
        ends = (functions.min(column).cast("string"), functions.max(column).cast("string")) if kind == "range" else ()

        def finish(own: tuple[Any, ...], rows: int) -> Result:
            observed = format_extent(*own[1:]) if ends and self.may_show(expectation["column"]) else ""
            return build_rows_result(expectation, own[0], rows, observed)

        return _Measurement((number, *ends), finish, failing, column)

    def _measure_freshness(self, expectation: Expectation, column: Any, type_: str) -> _Measurement:
        from pyspark.sql import functions

        if type_ not in _TIMES:
            raise CheckImpossible(f"the column {expectation['column']} is {type_}, and not a date or a timestamp")
        newest = functions.max(column.cast("timestamp")).cast("double")

        def finish(own: tuple[Any, ...], rows: int) -> Result:
            at = None if own[0] is None else datetime.fromtimestamp(own[0], UTC)
            # A date counts until its end.
            at = at + timedelta(days=1) if at is not None and type_ == "date" else at
            result = build_freshness_result(expectation, at, self.now, rows)
            if not self.may_show(expectation["column"]):
                result.pop("observed")
            return result

        return _Measurement((newest,), finish)

    def _find_column(self, path: str) -> tuple[Any, str]:
        """Return a column, which may be inside a structure, and its type. Raises CheckImpossible."""
        from pyspark.errors import AnalysisException
        from pyspark.sql import functions

        names = [path] if path in self.data.columns else path.split(".")
        column = functions.col(".".join(f"`{name.replace('`', '``')}`" for name in names))
        try:
            (found,) = self.data.select(column).schema.fields
        except AnalysisException:
            raise CheckImpossible(f"the data has no column {path}") from None
        return column, found.dataType.simpleString()


def _is_number(type_: str) -> bool:
    return type_.partition("(")[0] in _NUMBERS


def _is_in_range(expectation: Expectation, column: Any, type_: str) -> Any:
    from pyspark.sql import functions

    holds = functions.lit(True)
    for name in ("min", "max"):
        if name in expectation:
            value, limit = _convert_for_limit(column, type_, expectation[name], expectation["column"])
            holds = holds & (value >= limit if name == "min" else value <= limit)
    return holds


def _convert_for_limit(column: Any, type_: str, limit: float | str, path: str) -> tuple[Any, Any]:
    """Return column and limit in one type. Raises CheckImpossible."""
    from pyspark.sql import functions

    if not isinstance(limit, str):
        if _is_number(type_):
            return column, functions.lit(limit)
        if type_ == "string":
            return column.try_cast("double"), functions.lit(limit)
    elif type_ in _TIMES:
        seconds = column.cast("timestamp").cast("double")
        return seconds, functions.lit(parse_limit_as_time(limit).timestamp())
    elif type_ == "string":
        return column, functions.lit(limit)
    raise CheckImpossible(f"the column {path} is {type_}, which cannot be compared with the limit {limit}")


def _is_in_set(expectation: Expectation, column: Any, type_: str) -> Any:
    values = expectation["values"]
    if _is_number(type_):
        return column.isin(
            [value for value in values if isinstance(value, int | float) and not isinstance(value, bool)]
        )
    if type_ == "boolean":
        return column.isin([value for value in values if isinstance(value, bool)])
    return column.cast("string").isin([str(value) for value in values if not isinstance(value, bool)])


def _has_match(expectation: Expectation, column: Any, type_: str) -> Any:
    return column.cast("string").rlike(expectation["pattern"])
