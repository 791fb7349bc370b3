"""The functions of expressions."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.wrangling.directive import get_text


@dataclass(frozen=True, slots=True)
class ExpressionFunction:
    """A function with its usage, its numbers of arguments, and whether it is called with nulls."""

    usage: str
    description: str
    least: int
    most: int
    work: Callable[..., Any]
    accepts_null: bool = False

    def call(self, arguments: Sequence[Any]) -> Any:
        """Return the value; null for a null, unless the function accepts nulls."""
        if not self.accepts_null and None in arguments:
            return None
        return self.work(*arguments)


def _take_substring(text: Any, begin: int, length: int | None = None) -> str:
    rest = get_text(text)[max(begin - 1, 0) :]
    return rest if length is None else rest[: max(length, 0)]


def _round_number(number: float, digits: int = 0) -> float:
    rounded = round(number, digits)
    return int(rounded) if digits <= 0 and math.isfinite(rounded) else rounded


def _parse_number(value: Any) -> float:
    text = get_text(value).strip()
    try:
        return int(text) if len(text) < 400 else float(text)
    except ValueError:
        return float(text)


_ALL: Final = (
    ExpressionFunction("upper(text)", "in upper case", 1, 1, lambda text: get_text(text).upper()),
    ExpressionFunction("lower(text)", "in lower case", 1, 1, lambda text: get_text(text).lower()),
    ExpressionFunction("trim(text)", "without blanks at both ends", 1, 1, lambda text: get_text(text).strip()),
    ExpressionFunction("length(text)", "the number of characters", 1, 1, lambda text: len(get_text(text))),
    ExpressionFunction("substring(text, begin, length)", "a part; begin counts from 1", 2, 3, _take_substring),
    ExpressionFunction(
        "replace(text, old, new)",
        "with all occurrences replaced",
        3,
        3,
        lambda text, old, new: get_text(text).replace(old, get_text(new)),
    ),
    ExpressionFunction(
        "concat(value, …)",
        "the texts one after the other; nulls are left out",
        1,
        20,
        lambda *values: "".join(get_text(value) for value in values if value is not None),
        accepts_null=True,
    ),
    ExpressionFunction("contains(text, part)", "whether it occurs", 2, 2, lambda text, part: part in get_text(text)),
    ExpressionFunction(
        "starts_with(text, part)",
        "whether it is the beginning",
        2,
        2,
        lambda text, part: get_text(text).startswith(part),
    ),
    ExpressionFunction(
        "ends_with(text, part)", "whether it is the end", 2, 2, lambda text, part: get_text(text).endswith(part)
    ),
    ExpressionFunction("abs(number)", "without its sign", 1, 1, abs),
    ExpressionFunction("round(number, digits)", "rounded; to a whole number by default", 1, 2, _round_number),
    ExpressionFunction("floor(number)", "the next lower whole number", 1, 1, math.floor),
    ExpressionFunction("ceil(number)", "the next higher whole number", 1, 1, math.ceil),
    ExpressionFunction("min(value, …)", "the smallest value", 2, 20, min),
    ExpressionFunction("max(value, …)", "the largest value", 2, 20, max),
    ExpressionFunction("number(text)", "as a number", 1, 1, _parse_number),
    ExpressionFunction("text(value)", "as text", 1, 1, get_text),
    ExpressionFunction("year(date)", "the year of a date or timestamp", 1, 1, lambda date: date.year),
    ExpressionFunction("month(date)", "the month, from 1", 1, 1, lambda date: date.month),
    ExpressionFunction("day(date)", "the day of the month", 1, 1, lambda date: date.day),
    ExpressionFunction("is_null(value)", "whether it is null", 1, 1, lambda value: value is None, accepts_null=True),
    ExpressionFunction(
        "is_empty(value)",
        "whether it is null or a text without visible characters",
        1,
        1,
        lambda value: value is None or (isinstance(value, str) and not value.strip()),
        accepts_null=True,
    ),
    ExpressionFunction(
        "coalesce(value, …)",
        "the first value that is not null",
        1,
        20,
        lambda *values: next((value for value in values if value is not None), None),
        accepts_null=True,
    ),
)
FUNCTIONS: Final[Mapping[str, ExpressionFunction]] = {function.usage.partition("(")[0]: function for function in _ALL}
