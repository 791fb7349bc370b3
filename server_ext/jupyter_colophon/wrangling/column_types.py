"""The types of values and columns."""

from collections.abc import Iterable
from datetime import date, datetime, time
from typing import Any, Final

from jupyter_colophon.wrangling.directive import get_text

#: The types to which values can be converted.
TYPES: Final = ("string", "integer", "double", "boolean", "date", "timestamp")
_TRUE, _FALSE = frozenset({"true", "yes", "y", "t", "1"}), frozenset({"false", "no", "n", "f", "0"})
_NULL: Final = "null"


def get_type(value: Any) -> str:
    """Return the type of a value: one of TYPES, `list`, `object` or `null`."""
    for kind, name in _PYTHON_TYPES:
        if isinstance(value, kind):
            return name
    return _NULL if value is None else "string"


def combine_types(types: Iterable[str]) -> str:
    """Return the type of a column from those of its values: `string` for different ones."""
    found = {*types} - {_NULL}
    if len(found) == 1:
        return found.pop()
    if found == {"integer", "double"}:
        return "double"
    if found == {"date", "timestamp"}:
        return "timestamp"
    return "string"


def convert_to_type(value: Any, type_: str) -> Any:
    """Return a value as one of TYPES; empty texts become null, except as string. Raises ValueError."""
    if type_ == "string":
        return get_text(value)
    text = get_text(value).strip()
    if not text:
        return None
    try:
        return _CONVERTERS[type_](value, text)
    except (ValueError, OverflowError):
        raise ValueError(f"{text[:80]!r} is not a valid {type_}") from None


def _convert_to_integer(value: Any, text: str) -> int:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) or "." in text:
        number = float(text)
        if number != int(number):
            raise ValueError
        return int(number)
    return int(text)


def _convert_to_boolean(_: Any, text: str) -> bool:
    if text.lower() in _TRUE:
        return True
    if text.lower() in _FALSE:
        return False
    raise ValueError


def _convert_to_date(value: Any, text: str) -> date:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(text)


def _convert_to_timestamp(value: Any, text: str) -> datetime:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    return datetime.fromisoformat(text).replace(tzinfo=None)


_CONVERTERS: Final = {
    "integer": _convert_to_integer,
    "double": lambda value, text: float(value) if isinstance(value, bool) else float(text),
    "boolean": _convert_to_boolean,
    "date": _convert_to_date,
    "timestamp": _convert_to_timestamp,
}
#: In this order: a boolean is an integer, and a timestamp a date.
_PYTHON_TYPES: Final[tuple[tuple[Any, str], ...]] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "double"),
    (datetime, "timestamp"),
    (date, "date"),
    (list, "list"),
    (dict, "object"),
)
