"""Formats of dates and times, in the letters of Java and Spark, such as yyyy-MM-dd."""

import re
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any, Final

from jupyter_colophon.wrangling.errors import ArgumentError

#: Python's directive for each group of letters, and its meaning.
FORMAT_LETTERS: Final[Mapping[str, tuple[str, str]]] = {
    "yyyy": ("%Y", "the year"),
    "yy": ("%y", "the year without its century"),
    "MMMM": ("%B", "the name of the month"),
    "MMM": ("%b", "the short name of the month"),
    "MM": ("%m", "the month, with two digits"),
    "M": ("%m", "the month"),
    "dd": ("%d", "the day of the month, with two digits"),
    "d": ("%d", "the day of the month"),
    "EEEE": ("%A", "the name of the day"),
    "EEE": ("%a", "the short name of the day"),
    "HH": ("%H", "the hour from 00 to 23"),
    "H": ("%H", "the hour from 0 to 23"),
    "hh": ("%I", "the hour from 01 to 12"),
    "a": ("%p", "AM or PM"),
    "mm": ("%M", "the minute"),
    "ss": ("%S", "the second"),
    "SSS": ("%f", "milliseconds"),
}
_PART: Final = re.compile(r"'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+")
_TIME_LETTERS: Final = frozenset("HhmsSa")
_MILLISECONDS: Final = 1_000


class DateFormat:
    """A format. Month names are English."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._parts = [*_iterate_parts(text)]
        letters = {letters[0] for letters, _ in self._parts if letters}
        self.has_time = bool(letters & _TIME_LETTERS)
        self._python = "".join(
            FORMAT_LETTERS[letters][0] if letters else text.replace("%", "%%") for letters, text in self._parts
        )

    def parse(self, text: str) -> date:
        """Return the date, or the timestamp if the format has a time. Raises ValueError."""
        try:
            parsed = datetime.strptime(text.strip(), self._python)
        except ValueError:
            raise ValueError(f"{text[:80]!r} does not have the format {self.text}") from None
        return parsed if self.has_time else parsed.date()

    def format_date(self, value: date) -> str:
        """Return a date or timestamp as text."""
        moment = value if isinstance(value, datetime) else datetime.combine(value, time())
        return "".join(_format_part(moment, letters) if letters else text for letters, text in self._parts)


def _iterate_parts(text: str) -> Any:
    """Yield pairs of a group of letters ("" for a literal) and a literal. Raises ArgumentError."""
    position = 0
    while position < len(text):
        found = _PART.match(text, position)
        if found is None:
            raise ArgumentError(f"the format {text} has a quote without an end")
        if found[1] is not None:
            yield "", found[1] or "'"
        elif found[2] is None:
            yield "", found[0]
        elif found[0] in FORMAT_LETTERS:
            yield found[0], ""
        else:
            raise ArgumentError(
                f"the format {text} has {found[0]}: use {', '.join(FORMAT_LETTERS)}, and quotes for other letters"
            )
        position = found.end()


def _format_part(moment: datetime, letters: str) -> str:
    if letters in ("M", "d", "H"):
        return str({"M": moment.month, "d": moment.day, "H": moment.hour}[letters])
    if letters == "SSS":
        return f"{moment.microsecond // _MILLISECONDS:03d}"
    return f"{moment.year:04d}" if letters == "yyyy" else moment.strftime(FORMAT_LETTERS[letters][0])
