"""Directives that remove rows."""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from hashlib import blake2b
from typing import Any

from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    Reject,
    Row,
    RowDirective,
    define_column,
    define_columns,
    get_text,
)
from jupyter_colophon.wrangling.errors import RowRejected

_CONDITION = DirectiveParameter("condition", "expression", "An [expression](#expressions)")
_PATTERN = DirectiveParameter("pattern", "regex", "The regular expression, which must match the whole text")


class ConditionDirective(RowDirective):
    """A directive with a condition."""

    parameters = (_CONDITION,)

    def is_true(self, row: Row) -> bool:
        """Return whether the condition is true for a row. Raises as `change_row`."""
        try:
            return bool(self.arguments["condition"].evaluate(row))
        except KeyError as error:
            raise LookupError(f"unknown column {error.args[0]}") from None


class KeepRowsIfTrue(ConditionDirective):
    """Keep rows with a true condition."""

    name = "filter-rows-on"
    description = "Keeps the rows for which a condition is true, and removes all others."
    example = Example("filter-rows-on exp:{age >= 18}", [{"age": 18}, {"age": 7}, {"age": None}], [{"age": 18}])

    def change_row(self, row: Row) -> Row | None:
        """Return the row if the condition is true."""
        return row if self.is_true(row) else None


class RemoveRowsIfTrue(ConditionDirective):
    """Remove rows with a true condition."""

    name = "filter-row-if-true"
    description = "Removes the rows for which a condition is true."
    example = Example("filter-row-if-true exp:{age < 18}", [{"age": 18}, {"age": 7}], [{"age": 18}])

    def change_row(self, row: Row) -> Row | None:
        """Return the row unless the condition is true."""
        return None if self.is_true(row) else row


class RemoveRowsIfMatched(RowDirective):
    """Remove rows with matching texts."""

    name = "filter-row-if-matched"
    description = "Removes the rows whose text matches a regular expression."
    parameters = (define_column(), _PATTERN)
    example = Example("filter-row-if-matched :id 'T.*'", [{"id": "T1"}, {"id": "AT"}], [{"id": "AT"}])

    def change_row(self, row: Row) -> Row | None:
        """Return the row unless its text matches."""
        value = row.get(self.arguments["column"])
        return None if value is not None and self.arguments["pattern"].fullmatch(get_text(value)) else row


class RemoveRowsIfNotMatched(RowDirective):
    """Keep rows with matching texts."""

    name = "filter-row-if-not-matched"
    description = "Removes the rows whose text does not match a regular expression, and those with null."
    parameters = (define_column(), _PATTERN)
    example = Example(r"filter-row-if-not-matched :id '\d+'", [{"id": "12"}, {"id": "x"}, {"id": None}], [{"id": "12"}])

    def change_row(self, row: Row) -> Row | None:
        """Return the row if its text matches."""
        value = row.get(self.arguments["column"])
        return row if value is not None and self.arguments["pattern"].fullmatch(get_text(value)) else None


class RemoveEmptyRows(RowDirective):
    """Remove rows without values."""

    name = "filter-empty-or-null"
    description = "Removes the rows in which any of some columns is null, or a text without visible characters."
    parameters = (define_columns("The columns"),)
    example = Example("filter-empty-or-null :a, :b", [{"a": 1, "b": " "}, {"a": 1, "b": 2}], [{"a": 1, "b": 2}])

    def change_row(self, row: Row) -> Row | None:
        """Return the row if all values are present."""
        values = [row.get(column) for column in self.arguments["columns"]]
        return None if any(value is None or not get_text(value).strip() for value in values) else row


class SendToError(ConditionDirective):
    """Reject rows with a true condition."""

    name = "send-to-error"
    description = "Rejects the rows for which a condition is true: they are removed and reported, with the condition as the reason."
    example = Example("send-to-error exp:{amount < 0}", [{"amount": 5}, {"amount": -1}], [{"amount": 5}])

    def change_row(self, row: Row) -> Row:
        """Return the row unless the condition is true."""
        if self.is_true(row):
            raise RowRejected(self.arguments["condition"].text)
        return row


class DedupeRows(Directive):
    """Keep the first of equal rows."""

    name = "dedupe"
    description = "Keeps the first of several rows that are equal in some columns, or in all. Needs all rows in one partition, and 16 bytes of memory and more for each different row."
    parameters = (
        DirectiveParameter("columns", "columns", "The columns that are compared; all by default", is_optional=True),
    )
    example = Example(
        "dedupe :id",
        [{"id": 1, "a": "x"}, {"id": 1, "a": "y"}, {"id": 2, "a": "x"}],
        [{"id": 1, "a": "x"}, {"id": 2, "a": "x"}],
    )
    needs_all_rows = True

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the first ones."""
        seen: set[bytes] = set()
        for row in rows:
            columns = self.arguments["columns"] or sorted(row)
            values: list[Any] = [(column, row.get(column)) for column in columns]
            digest = blake2b(repr(values).encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if digest not in seen:
                seen.add(digest)
                yield row


class SortRows(Directive):
    """Order rows."""

    name = "sort"
    description = "Orders the rows by some columns: null first, then booleans, numbers, dates and timestamps, texts, and lists and mappings by their texts. Rows with equal values keep their order. Needs all rows in one partition, and in memory."
    parameters = (
        define_columns("The columns, of which the first counts most"),
        DirectiveParameter(
            "order",
            "choice",
            "The order of all of them",
            ("ascending", "descending"),
            is_optional=True,
            default="ascending",
        ),
    )
    example = Example(
        "sort :age descending", [{"age": 7}, {"age": None}, {"age": 18}], [{"age": 18}, {"age": 7}, {"age": None}]
    )
    needs_all_rows = True

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the rows in their order."""
        columns = self.arguments["columns"]
        yield from sorted(
            rows,
            key=lambda row: [_build_sort_key(row.get(column)) for column in columns],
            reverse=self.arguments["order"] == "descending",
        )


class LimitRows(Directive):
    """Keep the first rows."""

    name = "limit"
    description = "Keeps the first rows. Needs all rows in one partition."
    parameters = (DirectiveParameter("count", "integer", "The number of rows"),)
    example = Example("limit 1", [{"a": 1}, {"a": 2}], [{"a": 1}])
    needs_all_rows = True

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the first rows."""
        for number, row in enumerate(rows):
            if number < self.arguments["count"]:
                yield row


DIRECTIVES: tuple[type[Directive], ...] = (
    KeepRowsIfTrue,
    RemoveRowsIfTrue,
    RemoveRowsIfMatched,
    RemoveRowsIfNotMatched,
    RemoveEmptyRows,
    SendToError,
    DedupeRows,
    SortRows,
    LimitRows,
)


def _build_sort_key(value: Any) -> tuple[int, Any]:
    """Return a key by which values of different types can be compared."""
    if value is None:
        return 0, 0
    if isinstance(value, bool):
        return 1, value
    if isinstance(value, (int, float)):
        # NaN would have no order.
        return (2, value) if value == value else (3, 0)
    if isinstance(value, datetime):
        return 4, value
    if isinstance(value, date):
        return 4, datetime.combine(value, time.min)
    return (5, value) if isinstance(value, str) else (6, str(value))
