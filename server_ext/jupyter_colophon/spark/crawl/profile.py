"""The profile of a dataset, computed by one aggregate over all rows."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.spark.crawl.columns import ColumnProfile, Measure, explain_skipped_statistics, list_measures
from jupyter_colophon.spark.plans import schema

#: Maximum number of columns of one aggregate. Columnar formats read only these columns; text formats read all.
COLUMNS, COLUMNS_OF_TEXT = 50, 200
#: The first Spark version with quantile sketches.
_HAS_KLL = (4, 1)
_SEED = 42


@dataclass(frozen=True, slots=True)
class Profile:
    """The profile of a dataset. `sampled` is the number of rows of the sample; None if all rows were read."""

    fields: tuple[SchemaField, ...]
    rows: int
    columns: tuple[ColumnProfile, ...]
    sampled: int | None = None
    #: Number of rows that could not be parsed.
    corrupt_rows: int = 0

    @property
    def inspected_rows(self) -> int:
        """Return the number of rows that the column statistics cover."""
        return self.rows if self.sampled is None else self.sampled


def read_dataframe_fields(data: Any) -> tuple[SchemaField, ...]:
    """Return the columns of a DataFrame, in one call however many there are."""
    return schema.parse_fields(json.loads(data.schema.json()))


def compute_profile(
    data: Any,
    *,
    hidden: Collection[str] = (),
    corrupt_column: str | None = None,
    sample: int | None = None,
    is_text: bool = False,
) -> Profile:
    """Read all rows once, or about `sample` of them; no values are requested for `hidden` columns.

    `corrupt_column` is not part of the data: rows that could not be parsed have a value in it, and are counted.
    Raises all exceptions of Spark.
    """
    fields = read_dataframe_fields(data)
    if not fields:
        return Profile((), 0, ())
    has_kll = tuple(map(int, data.sparkSession.version.split(".")[:2])) >= _HAS_KLL
    # By position: names may contain any character, and may be duplicates.
    placed = data.toDF(*(f"c{at}" for at in range(len(fields))))
    rows, sampled = None, None
    if sample is not None:
        rows = placed.count()
        if rows > sample:
            placed = placed.sample(fraction=sample / rows, seed=_SEED)
    profiles = [ColumnProfile(item, skipped=explain_skipped_statistics(item.type)) for item in fields]
    without_values = hidden if corrupt_column is None else {*hidden, corrupt_column}
    count = 0
    size = COLUMNS_OF_TEXT if is_text else COLUMNS
    for first in range(0, len(profiles), size):
        part = enumerate(profiles[first : first + size], first)
        requested = [
            (column, item)
            for at, column in part
            for item in _list_column_measures(at, column, without_values, has_kll=has_kll)
        ]
        count, *answers = _compute_values(placed, ["count(1)", *(measure.sql for _, measure in requested)])
        for (column, measure), answer in zip(requested, answers, strict=True):
            measure.take(column, answer)
    is_part = rows is not None and sample is not None and rows > sample
    sampled = count if is_part else None
    data_profiles = tuple(item for item in profiles if item.field.path != corrupt_column)
    unread = sum(item.filled for item in profiles if item.field.path == corrupt_column)
    return Profile(
        tuple(item.field for item in data_profiles), rows if rows is not None else count, data_profiles, sampled, unread
    )


def _list_column_measures(
    column_index: int, column: ColumnProfile, hidden: Collection[str], *, has_kll: bool
) -> Iterator[Measure]:
    return list_measures(f"c{column_index}", column.field.type, values=column.field.path not in hidden, has_kll=has_kll)


def _compute_values(data: Any, expressions: Sequence[str]) -> list[Any]:
    (row,) = data.selectExpr(*(f"{expression} AS a{at}" for at, expression in enumerate(expressions))).collect()
    return list(row)
