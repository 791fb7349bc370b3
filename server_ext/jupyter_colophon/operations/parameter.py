"""Parameters of a request, declared once for the API document and for parsing."""

import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.time_format import parse_time_to_ms

T = TypeVar("T", covariant=True)
Place = Literal["query", "header", "path"]
#: Maximum number of digits of a number.
DIGITS_MAX = 18
#: Maximum number of digits of a count: clients send the largest integer of their machine.
_COUNT_DIGITS_MAX = 40
_TIME = "ISO 8601, milliseconds or seconds since 1970, or `now-1d` (ms s m h d)."


@dataclass(frozen=True, slots=True, eq=False)
class Parameter(Generic[T]):
    """One parameter: its name and place, its JSON Schema, and how its text is parsed.

    `read` raises InvalidQuery.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    read: Callable[[str], T]
    default: T
    place: Place = "query"
    required: bool = False
    #: Whether it may be sent more than once; its value is a tuple then.
    repeated: bool = False


def declare_text(
    name: str, description: str, *, required: bool = False, place: Place = "query", **schema: Any
) -> Parameter[str]:
    """Declare a text, passed on exactly as it was sent; constraints beyond the schema are checked by a later layer."""
    return Parameter(name, description, {"type": "string"} | schema, str, "", place, required)


def declare_texts(name: str, description: str, **schema: Any) -> Parameter[tuple[str, ...]]:
    """Declare texts: the parameter may be sent more than once."""
    read: Callable[[str], Any] = str
    return Parameter(
        name, description, {"type": "array", "items": {"type": "string"} | schema}, read, (), repeated=True
    )


def declare_number(name: str, description: str, *, default: int, minimum: int, maximum: int) -> Parameter[int]:
    """Declare an integer."""

    def read(sent: str) -> int:
        if not (sent.isascii() and sent.isdigit() and len(sent) <= DIGITS_MAX and minimum <= int(sent) <= maximum):
            raise InvalidQuery(f"must be a number between {minimum} and {maximum}", name)
        return int(sent)

    schema = {"type": "integer", "minimum": minimum, "maximum": maximum, "default": default}
    return Parameter(name, description, schema, read, default)


def declare_count(name: str, description: str, *, default: int, minimum: int, maximum: int) -> Parameter[int]:
    """Declare a maximum number of results. More than `maximum` is read as `maximum`, since clients request all they can get."""

    def read(sent: str) -> int:
        if not (sent.isascii() and sent.isdigit() and len(sent) <= _COUNT_DIGITS_MAX and minimum <= int(sent)):
            raise InvalidQuery(f"must be a number of at least {minimum}", name)
        return min(int(sent), maximum)

    schema = {"type": "integer", "minimum": minimum, "default": default}
    return Parameter(name, f"{description} At most {maximum} are returned.", schema, read, default)


def declare_choice(name: str, description: str, *choices: str, default: str = "") -> Parameter[str]:
    """Declare an enumeration. Without a default, the empty text means that no value was sent."""
    allowed = choices if default else ("", *choices)

    def read(sent: str) -> str:
        if sent not in allowed:
            raise InvalidQuery(f"must be one of {', '.join(choices)}", name)
        return sent

    return Parameter(name, description, {"type": "string", "enum": list(allowed), "default": default}, read, default)


def declare_flag(name: str, description: str) -> Parameter[bool]:
    """Declare a boolean, `true` or `false`; the default is false."""

    def read(sent: str) -> bool:
        if sent not in ("true", "false"):
            raise InvalidQuery("must be true or false", name)
        return sent == "true"

    return Parameter(name, description, {"type": "boolean", "default": False}, read, False)


def declare_time(name: str, description: str) -> Parameter[int | None]:
    """Declare a time in ms since 1970 (spec LINEAGE-15); None if it is not sent, or empty."""

    def read(sent: str) -> int | None:
        return parse_time_to_ms(sent, clock.time_ns() // 1_000_000, name) if sent else None

    return Parameter(name, f"{description} {_TIME}", {"type": "string", "format": "colophon-time"}, read, None)
