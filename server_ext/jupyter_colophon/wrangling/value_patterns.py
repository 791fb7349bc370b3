"""What texts look like: numbers, dates, addresses, JSON."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from jupyter_colophon.wrangling.column_types import convert_to_type
from jupyter_colophon.wrangling.date_formats import DateFormat

#: Formats of dates that are recognized, in this order: an ambiguous day, such as 01/02/2026, is that of the first one.
DATE_FORMATS: Final = tuple(
    DateFormat(text)
    for text in (
        "yyyy-MM-dd",
        "yyyy/MM/dd",
        "yyyyMMdd",
        "dd.MM.yyyy",
        "MM/dd/yyyy",
        "dd/MM/yyyy",
        "MM/dd/yy",
        "dd-MM-yyyy",
        "dd MMM yyyy",
        "dd MMMM yyyy",
        "MMM dd, yyyy",
        "MMMM dd, yyyy",
        "dd-MMM-yyyy",
        "yyyy-MM-dd HH:mm:ss",
        "yyyy-MM-dd'T'HH:mm:ss",
        "yyyy-MM-dd HH:mm",
        "MM/dd/yyyy HH:mm:ss",
        "dd.MM.yyyy HH:mm:ss",
        "dd.MM.yyyy HH:mm",
    )
)
_EMAIL: Final = re.compile(r"[^\s@<>]+@[^\s@<>]+\.[A-Za-z]{2,24}")
_URL: Final = re.compile(r"https?://\S+", re.IGNORECASE)
#: The decimal marks of formatted numbers; the other one groups digits.
DECIMAL_MARKS: Final = (".", ",")
_NUMBERS: Final[Mapping[str, re.Pattern[str]]] = {
    mark: re.compile(
        rf"\s*[+-]?\s*[€$£¥]?\s*[+-]?(?:\d{{1,3}}(?:{group}\d{{3}})+|\d+)(?:{re.escape(mark)}\d+)?\s*[€$£¥%]?\s*"
    )
    for mark, group in ((".", ","), (",", r"\."))
}


def is_email(text: str) -> bool:
    """Return whether a text is an e-mail address."""
    return _EMAIL.fullmatch(text) is not None


def is_url(text: str) -> bool:
    """Return whether a text is a URL."""
    return _URL.fullmatch(text) is not None


def is_json(text: str) -> bool:
    """Return whether a text is a JSON object or list."""
    if text[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def is_formatted_number(text: str, mark: str) -> bool:
    """Return whether a text is a number with a decimal mark, and with grouped digits, a currency or a percent sign or not."""
    return _NUMBERS[mark].fullmatch(text) is not None


def find_date_format(texts: Sequence[str]) -> DateFormat | None:
    """Return the first format that all texts have."""
    return next((form for form in DATE_FORMATS if texts and all(_has_format(text, form) for text in texts)), None)


def detect_text_type(texts: Sequence[str]) -> str:
    """Return what all texts look like: a type of columns, `email`, `url`, `json` or `string`."""
    for name, matches in _MATCHERS.items():
        if texts and all(matches(text) for text in texts):
            return name
    form = find_date_format(texts)
    return "string" if form is None else "timestamp" if form.has_time else "date"


def _has_format(text: str, form: DateFormat) -> bool:
    try:
        form.parse(text)
    except ValueError:
        return False
    return True


def _create_type_matcher(type_: str) -> Callable[[str], bool]:
    def matches(text: str) -> bool:
        try:
            convert_to_type(text, type_)
        except ValueError:
            return False
        return text.strip().isascii() and not text.strip()[:1].isalpha()

    return matches


_MATCHERS: Final[Mapping[str, Callable[[str], bool]]] = {
    "boolean": lambda text: text.strip().lower() in ("true", "false", "yes", "no"),
    "integer": lambda text: len(text.strip()) < 19 and re.fullmatch(r"\s*[+-]?\d+\s*", text) is not None,
    "double": _create_type_matcher("double"),
    "json": is_json,
    "url": is_url,
    "email": is_email,
}
