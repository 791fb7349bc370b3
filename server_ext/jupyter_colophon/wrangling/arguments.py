"""Convert the tokens of a line into the arguments of a directive."""

import re
from collections.abc import Sequence
from typing import Any, Final

from jupyter_colophon.wrangling.directive import Directive, DirectiveParameter
from jupyter_colophon.wrangling.errors import ArgumentError, RecipeError
from jupyter_colophon.wrangling.expressions import parse_expression
from jupyter_colophon.wrangling.tokens import Token

_BOOLEANS: Final = {"true": True, "false": False}
_RANGE: Final = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6})?)?")
_INTEGER: Final = re.compile(r"-?[0-9]{1,9}")
_NUMBER: Final = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_EXPECTED: Final = {
    "column": "a column, such as :name",
    "columns": "columns, such as :first, :last",
    "boolean": "true or false",
    "expression": "an expression, such as exp:{price * 2}",
    "integer": "a whole number",
    "number": "a number, such as 0.5",
    "ranges": "positions, such as 1-3 or 1-3,5",
    "regex": "a regular expression in quotes",
    "text": "a text in quotes",
}


class ArgumentReader:
    """Reads arguments from left to right. Raises RecipeError for those that do not match the parameters."""

    def __init__(self, directive: type[Directive], tokens: Sequence[Token], line: int, end: int) -> None:
        self._directive, self._tokens, self._line, self._end = directive, tokens, line, end
        self._position = 0

    def read_all(self) -> dict[str, Any]:
        """Return the arguments by the names of the parameters."""
        arguments = {}
        for parameter in self._directive.parameters:
            if self._position >= len(self._tokens):
                if not parameter.is_optional:
                    raise self._create_error(self._end, f"{parameter.name} is missing")
                arguments[parameter.name] = parameter.default
            else:
                arguments[parameter.name] = self._read_argument(parameter)
        if self._position < len(self._tokens):
            raise self._create_error(self._tokens[self._position].column, "there are too many arguments")
        return arguments

    def _read_argument(self, parameter: DirectiveParameter) -> Any:
        token = self._tokens[self._position]
        if parameter.kind in ("columns", "ranges"):
            return self._read_list(parameter)
        self._position += 1
        try:
            return _convert_token(token, parameter)
        except ArgumentError as error:
            raise self._create_error(token.column + error.offset, error.reason) from None

    def _read_list(self, parameter: DirectiveParameter) -> list[Any]:
        kind = "column" if parameter.kind == "columns" else "word"
        values: list[Any] = []
        while self._position < len(self._tokens):
            token = self._tokens[self._position]
            if token.kind == "comma" and values:
                self._position += 1
                continue
            if token.kind != kind:
                break
            values.append(token.value if kind == "column" else self._parse_range(token))
            self._position += 1
        if not values:
            raise self._create_error(self._tokens[self._position].column, _format_expected(parameter))
        return values

    def _parse_range(self, token: Token) -> tuple[int, int | None]:
        found = _RANGE.fullmatch(token.value)
        if found is None or found[1] == "0":
            raise self._create_error(token.column, f"{token.value} is not a range: use numbers from 1, such as 1-3")
        first = int(found[1])
        if "-" not in token.value:
            return first, first
        return first, int(found[2]) if found[2] else None

    def _create_error(self, column: int, reason: str) -> RecipeError:
        return RecipeError(self._line, column, f"{reason} (usage: {self._directive.format_usage()})")


def _convert_token(token: Token, parameter: DirectiveParameter) -> Any:
    kind, value = parameter.kind, token.value
    if kind == "column" and token.kind == "column":
        return value
    if kind in ("text", "regex") and token.kind in ("text", "word"):
        return value if kind == "text" else _compile_regex(value)
    if kind == "expression" and token.kind == "expression":
        return parse_expression(value)
    if kind == "boolean" and token.kind == "word" and value.lower() in _BOOLEANS:
        return _BOOLEANS[value.lower()]
    if kind == "integer" and token.kind == "word" and _INTEGER.fullmatch(value):
        return _require_within_limits(int(value), parameter)
    if kind == "number" and token.kind == "word" and _NUMBER.fullmatch(value):
        return _require_within_limits(float(value), parameter)
    if kind == "choice" and token.kind in ("word", "text") and value in parameter.choices:
        return value
    raise ArgumentError(_format_expected(parameter))


def _require_within_limits(number: float, parameter: DirectiveParameter) -> float:
    if number < parameter.minimum:
        raise ArgumentError(f"{parameter.name} must be at least {parameter.minimum:g}")
    if number > parameter.maximum:
        raise ArgumentError(f"{parameter.name} must be at most {parameter.maximum:g}")
    return number


def _format_expected(parameter: DirectiveParameter) -> str:
    expected = _EXPECTED.get(parameter.kind, f"one of {', '.join(parameter.choices)}")
    return f"{parameter.name} must be {expected}"


def _compile_regex(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise ArgumentError(f"it is not a valid regular expression: {error}") from None
