"""The profile of a dataset: one aggregate over all its rows, whose parts Spark works out in one pass."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.spark.crawl.columns import ColumnProfile, Measure, measures, reason
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.observation import Field

#: Columns of one aggregate. A format that keeps columns apart is read in parts at no cost; of a text, each part reads all.
COLUMNS, COLUMNS_OF_TEXT = 50, 200
#: Spark has the sketches of quantiles from this version on.
_HAS_KLL = (4, 1)
_SEED = 42


@dataclass(frozen=True, slots=True)
class Profile:
    """What is known of a dataset. `sampled` is how many rows were looked at, None where it was all of them."""

    fields: tuple[Field, ...]
    rows: int
    columns: tuple[ColumnProfile, ...]
    sampled: int | None = None
    #: How many of the rows that were looked at could not be read.
    lost: int = 0

    @property
    def looked_at(self) -> int:
        """How many rows the columns' figures are of."""
        return self.rows if self.sampled is None else self.sampled


def fields_of(data: Any) -> tuple[Field, ...]:
    """The columns of a DataFrame, in one answer however wide it is."""
    return schema.fields(json.loads(data.schema.json()))


def profile(
    data: Any,
    *,
    hidden: Collection[str] = (),
    lost: str | None = None,
    sample: int | None = None,
    is_text: bool = False,
) -> Profile:
    """Look at all rows once, or at about `sample` of them; of `hidden` columns no values are asked for.

    The column `lost` is none of the data's: rows that could not be read have a value in it, and are counted.
    Raises whatever Spark raises.
    """
    fields = fields_of(data)
    if not fields:
        return Profile((), 0, ())
    has_kll = tuple(map(int, data.sparkSession.version.split(".")[:2])) >= _HAS_KLL
    # By their place: names may hold anything, and be there twice.
    placed = data.toDF(*(f"c{at}" for at in range(len(fields))))
    rows, sampled = None, None
    if sample is not None:
        rows = placed.count()
        if rows > sample:
            placed = placed.sample(fraction=sample / rows, seed=_SEED)
    found = [ColumnProfile(one, skipped=reason(one.type)) for one in fields]
    unseen = hidden if lost is None else {*hidden, lost}
    count = 0
    size = COLUMNS_OF_TEXT if is_text else COLUMNS
    for first in range(0, len(found), size):
        part = enumerate(found[first : first + size], first)
        asked = [(column, one) for at, column in part for one in _asked(at, column, unseen, has_kll=has_kll)]
        count, *answers = _answers(placed, ["count(1)", *(measure.sql for _, measure in asked)])
        for (column, measure), answer in zip(asked, answers, strict=True):
            measure.take(column, answer)
    is_part = rows is not None and sample is not None and rows > sample
    sampled = count if is_part else None
    kept = tuple(one for one in found if one.field.path != lost)
    unread = sum(one.filled for one in found if one.field.path == lost)
    return Profile(tuple(one.field for one in kept), rows if rows is not None else count, kept, sampled, unread)


def _asked(at: int, column: ColumnProfile, hidden: Collection[str], *, has_kll: bool) -> Iterator[Measure]:
    return measures(f"c{at}", column.field.type, values=column.field.path not in hidden, has_kll=has_kll)


def _answers(data: Any, expressions: Sequence[str]) -> list[Any]:
    (row,) = data.selectExpr(*(f"{one} AS a{at}" for at, one in enumerate(expressions))).collect()
    return list(row)
