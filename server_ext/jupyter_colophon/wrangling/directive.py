"""The base classes of directives, which declare their arguments and examples."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from jupyter_colophon.wrangling.errors import RowRejected

Row = dict[str, Any]
#: Called with a row that is removed, and the reason.
Reject = Callable[[Row, str], None]
Kind = Literal["column", "columns", "boolean", "choice", "expression", "integer", "number", "ranges", "regex", "text"]


@dataclass(frozen=True, slots=True)
class DirectiveParameter:
    """A parameter of a directive. `is_new` marks a column that the directive creates; the limits are those of numbers."""

    name: str
    kind: Kind
    description: str
    choices: tuple[str, ...] = ()
    is_optional: bool = False
    default: Any = None
    is_new: bool = False
    minimum: float = 0
    maximum: float = math.inf


@dataclass(frozen=True, slots=True)
class Example:
    """A line of a recipe, rows, and what becomes of them."""

    line: str
    rows: Sequence[Mapping[str, Any]]
    result: Sequence[Mapping[str, Any]]


class Directive(ABC):
    """One step of a recipe. `arguments` are the parsed values by the names of the parameters."""

    name: ClassVar[str]
    description: ClassVar[str]
    parameters: ClassVar[tuple[DirectiveParameter, ...]] = ()
    example: ClassVar[Example]
    #: Whether the result depends on all rows, so that Spark must process them in one partition.
    needs_all_rows: ClassVar[bool] = False

    def __init__(self, arguments: Mapping[str, Any]) -> None:
        self.arguments = arguments
        self.prepare()

    def prepare(self) -> None:  # noqa: B027  optional hook
        """Check and convert the arguments once. Raises ArgumentError."""

    @abstractmethod
    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the output rows; the input rows may be changed."""

    @classmethod
    def format_usage(cls) -> str:
        """Return the usage, such as `rename :column :new_name`."""
        return " ".join([cls.name, *(_format_parameter(parameter) for parameter in cls.parameters)])

    def list_input_columns(self) -> list[str]:
        """Return the columns that must exist."""
        columns: list[str] = []
        for parameter in self.parameters:
            value = self.arguments[parameter.name]
            if parameter.is_new or value is None:
                continue
            if parameter.kind == "column":
                columns.append(value)
            elif parameter.kind == "columns":
                columns += value
        return columns


class RowDirective(Directive):
    """A directive that processes each row separately."""

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the changed rows."""
        for row in rows:
            try:
                changed = self.change_row(row)
            except (RowRejected, ValueError, TypeError, ArithmeticError, LookupError) as error:
                reject(row, str(error) or type(error).__name__)
                continue
            if changed is not None:
                yield changed

    @abstractmethod
    def change_row(self, row: Row) -> Row | None:
        """Return the row, or None to remove it. Raises RowRejected, ValueError, TypeError, ArithmeticError, LookupError."""


class ValueDirective(RowDirective):
    """A directive that replaces the values of one column; nulls stay."""

    def change_row(self, row: Row) -> Row:
        """Replace the value."""
        column = self.arguments["column"]
        if row.get(column) is not None:
            row[column] = self.convert_value(row[column])
        return row

    @abstractmethod
    def convert_value(self, value: Any) -> Any:
        """Return the new value. Raises as `change_row`."""


def define_column(name: str = "column", description: str = "The column") -> DirectiveParameter:
    """Return the parameter for an existing column."""
    return DirectiveParameter(name, "column", description)


def define_columns(description: str, name: str = "columns") -> DirectiveParameter:
    """Return the parameter for existing columns."""
    return DirectiveParameter(name, "columns", description)


def define_new_column(name: str, description: str) -> DirectiveParameter:
    """Return the parameter for a column that is created or replaced."""
    return DirectiveParameter(name, "column", description, is_new=True)


def get_text(value: Any) -> str:
    """Return a value as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def replace_column(row: Row, column: str, values: Mapping[str, Any]) -> Row:
    """Return the row with new columns after a column; existing ones of the same names are replaced."""
    result: Row = {}
    for name, value in row.items():
        if name not in values or name == column:
            result[name] = values.get(name, value)
        if name == column:
            result.update(values)
    return result


def _format_parameter(parameter: DirectiveParameter) -> str:
    name = parameter.name
    text = {
        "column": f":{name}",
        "columns": f":{name}, …",
        "boolean": "true|false",
        "choice": "|".join(parameter.choices),
        "expression": f"exp:{{{name}}}",
        "integer": name,
        "number": name,
        "ranges": name,
    }.get(parameter.kind, f"'{name}'")
    return f"[{text}]" if parameter.is_optional else text
