"""Directives for values of any type."""

from typing import Any

from jupyter_colophon.wrangling.column_types import TYPES, convert_to_type
from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    Row,
    RowDirective,
    ValueDirective,
    define_column,
    define_columns,
    get_text,
)


class SetType(ValueDirective):
    """Convert values."""

    name = "set-type"
    description = (
        "Converts values to a type. Empty texts become null, and rows with other values that do not match are rejected."
    )
    parameters = (define_column(), DirectiveParameter("type", "choice", "The type", TYPES))
    example = Example(
        "set-type :count integer", [{"count": "12"}, {"count": " "}, {"count": "x"}], [{"count": 12}, {"count": None}]
    )

    def convert_value(self, value: Any) -> Any:
        """Return the converted value."""
        return convert_to_type(value, self.arguments["type"])


class FillNullOrEmpty(RowDirective):
    """Replace missing values."""

    name = "fill-null-or-empty"
    description = "Replaces nulls, and texts without visible characters."
    parameters = (define_column(), DirectiveParameter("value", "text", "The new value"))
    example = Example(
        "fill-null-or-empty :city 'n/a'",
        [{"city": None}, {"city": " "}, {"city": "Rome"}],
        [{"city": "n/a"}, {"city": "n/a"}, {"city": "Rome"}],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the value."""
        value = row.get(self.arguments["column"])
        if _is_missing(value):
            row[self.arguments["column"]] = self.arguments["value"]
        return row


class FillWithPrevious(Directive):
    """Replace missing values by previous ones."""

    name = "fill-with-previous"
    description = "Replaces nulls, and texts without visible characters, by the last value above that is present. Needs all rows in one partition."
    parameters = (define_column(),)
    example = Example(
        "fill-with-previous :city",
        [{"city": "Rome"}, {"city": None}, {"city": "Oslo"}, {"city": ""}],
        [{"city": "Rome"}, {"city": "Rome"}, {"city": "Oslo"}, {"city": "Oslo"}],
    )
    needs_all_rows = True

    def apply(self, rows: Any, reject: Any) -> Any:
        """Yield the filled rows."""
        column, previous = self.arguments["column"], None
        for row in rows:
            if _is_missing(row.get(column)):
                row[column] = previous
            else:
                previous = row[column]
            yield row


class NullIfEqual(ValueDirective):
    """Replace a value by null."""

    name = "null-if-equal"
    description = "Replaces a value, such as a placeholder, by null."
    parameters = (define_column(), DirectiveParameter("value", "text", "The value, as text"))
    example = Example("null-if-equal :age '-1'", [{"age": -1}, {"age": 30}], [{"age": None}, {"age": 30}])

    def convert_value(self, value: Any) -> Any:
        """Return null or the value."""
        return None if get_text(value) == self.arguments["value"] else value


class MapValue(ValueDirective):
    """Replace whole values."""

    name = "replace-value"
    description = "Replaces values that are equal to a text."
    parameters = (
        define_column(),
        DirectiveParameter("old", "text", "The value, as text"),
        DirectiveParameter("new", "text", "The new value"),
    )
    example = Example(
        "replace-value :sex 'f' 'female'", [{"sex": "f"}, {"sex": "off"}], [{"sex": "female"}, {"sex": "off"}]
    )

    def convert_value(self, value: Any) -> Any:
        """Return the value, or the new one."""
        return self.arguments["new"] if get_text(value) == self.arguments["old"] else value


class CoalesceColumns(RowDirective):
    """Take the first value that is present."""

    name = "coalesce"
    description = "Sets a column to the first value of several columns that is neither null nor empty."
    parameters = (
        DirectiveParameter("destination", "column", "The column that gets the value", is_new=True),
        define_columns("The columns, in their order"),
    )
    example = Example(
        "coalesce :phone :mobile, :home",
        [{"mobile": "", "home": "12"}, {"mobile": "34", "home": None}],
        [{"mobile": "", "home": "12", "phone": "12"}, {"mobile": "34", "home": None, "phone": "34"}],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the value."""
        values = (row.get(column) for column in self.arguments["columns"])
        row[self.arguments["destination"]] = next((value for value in values if not _is_missing(value)), None)
        return row


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


DIRECTIVES: tuple[type[Directive], ...] = (
    SetType,
    FillNullOrEmpty,
    FillWithPrevious,
    NullIfEqual,
    MapValue,
    CoalesceColumns,
)
