"""A small profile of a frame that a program writes: rows, missing and distinct values, and the range of numbers and times.

It is computed before the write returns, since a frame may change later, and so from a limited number of rows. Of texts and of
other values only numbers of values are taken.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

#: Number of rows that are examined; of a frame with more, rows at equal distances are.
MAX_ROWS: Final = 20_000
#: Number of columns that are examined.
MAX_COLUMNS: Final = 200


@dataclass(frozen=True, slots=True)
class ColumnSummary:
    """The missing and distinct values of a column in the examined rows, None if unknown, and its least and greatest value as text."""

    path: str
    nulls: int
    distinct: int | None = None
    least: str | None = None
    most: str | None = None


@dataclass(frozen=True, slots=True)
class WriteProfile:
    """The profile of a frame. `sampled` is the number of examined rows; None if all were."""

    rows: int
    column_count: int
    columns: tuple[ColumnSummary, ...]
    sampled: int | None = None


def compute_write_profile(value: Any) -> WriteProfile | None:
    """Return the profile of a frame of pandas or polars or a table of Arrow; None for other values."""
    read = _READERS.get(type(value).__module__.partition(".")[0])
    summaries = None if read is None else read(value)
    if summaries is None:
        return None
    rows, column_count = value.shape
    columns = tuple(column for _, column in zip(range(MAX_COLUMNS), summaries, strict=False))
    step = _get_step(rows)
    return WriteProfile(rows, column_count, columns, None if step == 1 else math.ceil(rows / step))


def _get_step(rows: int) -> int:
    return max(math.ceil(rows / MAX_ROWS), 1)


def _read_pandas(frame: Any) -> Iterator[ColumnSummary] | None:
    import pandas as pd
    from pandas.api import types

    if not isinstance(frame, pd.DataFrame):
        return None
    rows = frame.iloc[:: _get_step(len(frame))]

    def summarize() -> Iterator[ColumnSummary]:
        for at, label in enumerate(frame.columns):
            values = rows.iloc[:, at]
            present = values.dropna()
            is_number = types.is_numeric_dtype(values) and values.dtype.kind not in "bc"
            has_range = len(present) > 0 and (is_number or types.is_datetime64_any_dtype(values))
            yield ColumnSummary(
                str(label),
                len(values) - len(present),
                _try_count(present.nunique),
                *(_format_range(present.min(), present.max()) if has_range else ()),
            )

    return summarize()


def _read_polars(frame: Any) -> Iterator[ColumnSummary] | None:
    import polars as pl

    if not isinstance(frame, pl.DataFrame):
        return None
    rows = frame.gather_every(_get_step(frame.height))

    def summarize() -> Iterator[ColumnSummary]:
        for values in rows.iter_columns():
            has_range = values.dtype.is_numeric() or values.dtype in (pl.Date, pl.Datetime)
            yield ColumnSummary(
                values.name,
                values.null_count(),
                _try_count(values.drop_nulls().n_unique),
                *(_format_range(values.min(), values.max()) if has_range else ()),
            )

    return summarize()


def _read_arrow(table: Any) -> Iterator[ColumnSummary] | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    if not isinstance(table, pa.Table):
        return None
    step = _get_step(table.num_rows)
    rows = table if step == 1 else table.take(pa.array(range(0, table.num_rows, step)))

    def summarize() -> Iterator[ColumnSummary]:
        for name, values in zip(rows.column_names, rows.columns, strict=True):
            kind = values.type
            is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
            has_range = is_number or pa.types.is_date(kind) or pa.types.is_timestamp(kind)
            bounds = pc.min_max(values).as_py() if has_range else {}
            distinct = _try_count(lambda values=values: pc.count_distinct(values).as_py())  # type: ignore[misc]
            yield ColumnSummary(name, values.null_count, distinct, *_format_range(bounds.get("min"), bounds.get("max")))

    return summarize()


#: By library: the function that yields the summaries of the columns, or returns None for another value.
_READERS: Final[dict[str, Callable[[Any], Iterator[ColumnSummary] | None]]] = {
    "pandas": _read_pandas,
    "polars": _read_polars,
    "pyarrow": _read_arrow,
}


def _try_count(count: Callable[[], int]) -> int | None:
    """Return a number of distinct values; None for values that cannot be compared, such as lists."""
    try:
        return int(count())
    except Exception:  # noqa: BLE001  each library has exceptions of its own for them
        return None


def _format_range(least: Any, most: Any) -> tuple[str | None, str | None]:
    return _format_value(least), _format_value(most)


def _format_value(value: Any) -> str | None:
    """Return a number or a time as text, times in ISO 8601; None for a missing or infinite one."""
    plain = value.item() if hasattr(value, "item") else value
    if plain is None or plain != plain or (isinstance(plain, float) and math.isinf(plain)):
        return None
    return (
        str(plain.isoformat())
        if hasattr(plain, "isoformat")
        else repr(plain)
        if isinstance(plain, float)
        else str(plain)
    )
