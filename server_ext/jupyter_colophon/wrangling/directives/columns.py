"""Directives that add, remove and rename columns."""

import json
from typing import Any

from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    Row,
    RowDirective,
    define_column,
    define_columns,
    define_new_column,
    get_text,
)
from jupyter_colophon.wrangling.normalization import format_json_value


class DropColumns(RowDirective):
    """Remove columns."""

    name = "drop"
    description = "Removes columns."
    parameters = (define_columns("The columns to remove"),)
    example = Example("drop :a, :b", [{"a": 1, "b": 2, "c": 3}], [{"c": 3}])

    def change_row(self, row: Row) -> Row:
        """Return the row without the columns."""
        for column in self.arguments["columns"]:
            row.pop(column, None)
        return row


class KeepColumns(RowDirective):
    """Remove all other columns."""

    name = "keep"
    description = "Keeps columns, in this order, and removes all others."
    parameters = (define_columns("The columns to keep"),)
    example = Example("keep :c, :a", [{"a": 1, "b": 2, "c": 3}], [{"c": 3, "a": 1}])

    def change_row(self, row: Row) -> Row:
        """Return the columns."""
        return {column: row.get(column) for column in self.arguments["columns"]}


class RenameColumn(RowDirective):
    """Rename a column."""

    name = "rename"
    description = "Renames a column; a column that has the new name is replaced."
    parameters = (define_column(), define_new_column("new_name", "The new name"))
    example = Example("rename :a :amount", [{"a": 1, "b": 2}], [{"amount": 1, "b": 2}])

    def change_row(self, row: Row) -> Row:
        """Return the row with the new name."""
        old, new = self.arguments["column"], self.arguments["new_name"]
        if old == new:
            return row
        return {new if name == old else name: value for name, value in row.items() if name != new or old not in row}


class CopyColumn(RowDirective):
    """Copy a column."""

    name = "copy"
    description = "Copies a column to a new or existing one."
    parameters = (define_column(), define_new_column("destination", "The column that gets the values"))
    example = Example("copy :a :b", [{"a": 1}], [{"a": 1, "b": 1}])

    def change_row(self, row: Row) -> Row:
        """Return the row with the copy."""
        row[self.arguments["destination"]] = row.get(self.arguments["column"])
        return row


class SwapColumns(RowDirective):
    """Exchange the values of two columns."""

    name = "swap"
    description = "Exchanges the values of two columns."
    parameters = (define_column("first", "The first column"), define_column("second", "The second column"))
    example = Example("swap :a :b", [{"a": 1, "b": 2}], [{"a": 2, "b": 1}])

    def change_row(self, row: Row) -> Row:
        """Return the row with exchanged values."""
        first, second = self.arguments["first"], self.arguments["second"]
        row[first], row[second] = row.get(second), row.get(first)
        return row


class MergeColumns(RowDirective):
    """Join the texts of two columns."""

    name = "merge"
    description = "Joins the texts of two columns in a new one. Nulls are left out, with their separator."
    parameters = (
        define_column("first", "The first column"),
        define_column("second", "The second column"),
        define_new_column("destination", "The column that gets the text"),
        DirectiveParameter("separator", "text", "The text between them"),
    )
    example = Example(
        "merge :first :last :name ' '",
        [{"first": "Ada", "last": "Lovelace"}, {"first": "Grace", "last": None}],
        [
            {"first": "Ada", "last": "Lovelace", "name": "Ada Lovelace"},
            {"first": "Grace", "last": None, "name": "Grace"},
        ],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the joined text."""
        values = (row.get(self.arguments["first"]), row.get(self.arguments["second"]))
        texts = [get_text(value) for value in values if value is not None]
        row[self.arguments["destination"]] = self.arguments["separator"].join(texts) if texts else None
        return row


class SetColumn(RowDirective):
    """Compute a column."""

    name = "set-column"
    description = "Sets a new or existing column to the value of an [expression](#expressions)."
    parameters = (
        define_new_column("column", "The column that gets the value"),
        DirectiveParameter("expression", "expression", "The expression"),
    )
    example = Example(
        "set-column :total exp:{round(price * count, 2)}",
        [{"price": 1.25, "count": 3}, {"price": None, "count": 3}],
        [{"price": 1.25, "count": 3, "total": 3.75}, {"price": None, "count": 3, "total": None}],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the value."""
        row[self.arguments["column"]] = _evaluate(self.arguments["expression"], row)
        return row


class SplitToColumns(RowDirective):
    """Split texts into columns."""

    name = "split-to-columns"
    description = (
        "Splits texts at each match of a regular expression into the columns `column_1`, `column_2` …, one for each part."
        " With `count`, there are exactly as many columns: the last one has the rest, and missing parts are null."
    )
    parameters = (
        define_column(),
        DirectiveParameter("separator", "regex", "A regular expression"),
        DirectiveParameter("count", "integer", "The number of columns", is_optional=True),
    )
    example = Example(
        "split-to-columns :day '-' 2",
        [{"day": "2026-11-27"}, {"day": "2026"}],
        [{"day": "2026-11-27", "day_1": "2026", "day_2": "11-27"}, {"day": "2026", "day_1": "2026", "day_2": None}],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the parts."""
        column, count = self.arguments["column"], self.arguments["count"]
        value = row.get(column)
        parts: list[Any] = [] if value is None else self._split_text(get_text(value), count)
        if count:
            parts += [None] * (count - len(parts))
        row.update({f"{column}_{number}": part for number, part in enumerate(parts, 1)})
        return row

    def _split_text(self, text: str, count: int | None) -> list[str]:
        parts: list[str] = []
        begin = 0
        for found in self.arguments["separator"].finditer(text):
            if count and len(parts) == count - 1:
                break
            if found.end() > found.start():
                parts.append(text[begin : found.start()])
                begin = found.end()
        return [*parts, text[begin:]]


class ChangeColumnCase(RowDirective):
    """Change the case of all names of columns."""

    name = "change-column-case"
    description = "Writes the names of all columns in lower or upper case."
    parameters = (DirectiveParameter("case", "choice", "The case", ("lower", "upper")),)
    example = Example("change-column-case lower", [{"ID": 1, "Name": "a"}], [{"id": 1, "name": "a"}])

    def change_row(self, row: Row) -> Row:
        """Return the row with other names."""
        return {name.lower() if self.arguments["case"] == "lower" else name.upper(): row[name] for name in row}


class CleanseColumnNames(RowDirective):
    """Make all names of columns plain."""

    name = "cleanse-column-names"
    description = (
        "Writes the names of all columns in lower case, and replaces other characters than letters, digits and _ by _."
    )
    example = Example("cleanse-column-names", [{"Unit Price (€)": 2}], [{"unit_price____": 2}])

    def change_row(self, row: Row) -> Row:
        """Return the row with other names."""
        return {_normalize_name(name): value for name, value in row.items()}


class WriteAsJson(RowDirective):
    """Write all columns as one JSON text."""

    name = "write-as-json-map"
    description = "Writes all columns of a row as a JSON object into a column."
    parameters = (define_new_column("column", "The column that gets the text"),)
    example = Example("write-as-json-map :all", [{"a": 1, "b": "x"}], [{"a": 1, "b": "x", "all": '{"a": 1, "b": "x"}'}])

    def change_row(self, row: Row) -> Row:
        """Return the row with the text."""
        document = {name: format_json_value(value) for name, value in row.items()}
        row[self.arguments["column"]] = json.dumps(document, ensure_ascii=False)
        return row


def _normalize_name(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in name.lower())


def _evaluate(expression: Any, row: Row) -> Any:
    try:
        return expression.evaluate(row)
    except KeyError as error:
        raise LookupError(f"unknown column {error.args[0]}") from None


DIRECTIVES: tuple[type[Directive], ...] = (
    DropColumns,
    KeepColumns,
    RenameColumn,
    CopyColumn,
    SwapColumns,
    MergeColumns,
    SetColumn,
    SplitToColumns,
    ChangeColumnCase,
    CleanseColumnNames,
    WriteAsJson,
)
