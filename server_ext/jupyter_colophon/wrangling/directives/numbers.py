"""Directives for numbers."""

import re
from typing import Any, Final

from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    Row,
    RowDirective,
    ValueDirective,
    define_column,
    define_new_column,
    get_text,
)
from jupyter_colophon.wrangling.errors import ArgumentError

_BIN: Final = re.compile(r"\s*(-?[0-9.]+)\s*:\s*(-?[0-9.]+)\s*=\s*([^,]*)")


class QuantizeNumbers(RowDirective):
    """Name ranges of numbers."""

    name = "quantize"
    description = "Sets a column to the label of the range that has the number: the lower end included, the upper one not; null outside of all."
    parameters = (
        define_column("source", "The column with numbers"),
        define_new_column("destination", "The column that gets the label"),
        DirectiveParameter("ranges", "text", "The ranges with labels, such as 0:18=minor,18:120=adult"),
    )
    example = Example(
        "quantize :age :group '0:18=minor,18:120=adult'",
        [{"age": 18}, {"age": "7"}, {"age": None}],
        [{"age": 18, "group": "adult"}, {"age": "7", "group": "minor"}, {"age": None, "group": None}],
    )

    def prepare(self) -> None:
        """Parse the ranges."""
        self._bins = []
        for text in self.arguments["ranges"].split(","):
            found = _BIN.fullmatch(text)
            try:
                self._bins.append((float(found[1]), float(found[2]), found[3].strip()) if found else (1.0, 0.0, ""))
            except ValueError:
                found = None
            if found is None:
                raise ArgumentError(f"{text!r} is not a valid range: use lower:upper=label")

    def change_row(self, row: Row) -> Row:
        """Return the row with the label."""
        value = row.get(self.arguments["source"])
        number = None if value is None else float(get_text(value))
        row[self.arguments["destination"]] = next(
            (label for lower, upper, label in self._bins if number is not None and lower <= number < upper), None
        )
        return row


class RoundNumbers(ValueDirective):
    """Round numbers."""

    name = "round"
    description = "Rounds numbers to a number of decimal places."
    parameters = (
        define_column(),
        DirectiveParameter("digits", "integer", "The decimal places", is_optional=True, default=0),
    )
    example = Example("round :a 1", [{"a": 1.26}, {"a": "2"}], [{"a": 1.3}, {"a": 2.0}])

    def convert_value(self, value: Any) -> Any:
        """Return the rounded number."""
        digits = self.arguments["digits"]
        number = round(float(get_text(value)), digits)
        return number if digits else int(number)


class ParseNumber(ValueDirective):
    """Parse numbers as people write them."""

    name = "parse-as-number"
    description = "Parses numbers with grouped digits, signs of currency or a percent sign, which divides by 100."
    parameters = (
        define_column(),
        DirectiveParameter("decimal_mark", "choice", "The decimal mark", (".", ","), is_optional=True, default="."),
    )
    example = Example(
        "parse-as-number :price ','", [{"price": "1.234,50 €"}, {"price": "19 %"}], [{"price": 1234.5}, {"price": 0.19}]
    )

    def convert_value(self, value: Any) -> Any:
        """Return the number."""
        text = get_text(value)
        kept = "".join(letter for letter in text if letter in "+-0123456789.,")
        if any(letter.isalpha() for letter in text) or not any(letter.isdigit() for letter in kept):
            raise ValueError(f"{text[:80]!r} is not a number")
        mark = self.arguments["decimal_mark"]
        separator = "." if mark == "," else ","
        whole, _, decimals = kept.lstrip("+-").partition(mark)
        if separator in decimals or not _is_grouped(whole.split(separator)):
            raise ValueError(
                f"{text[:80]!r} is not a number with the decimal mark {mark!r}: {separator} must group three digits"
            )
        number = float(kept.replace(separator, "").replace(mark, "."))
        return number / 100 if "%" in text else number


def _is_grouped(parts: list[str]) -> bool:
    """Return whether the parts between separators are groups of digits: three in the last, two or three before it."""
    first, *others = parts
    return not others or (len(first) <= 3 and len(others[-1]) == 3 and all(len(part) in (2, 3) for part in others[:-1]))


DIRECTIVES: tuple[type[Directive], ...] = (QuantizeNumbers, RoundNumbers, ParseNumber)
