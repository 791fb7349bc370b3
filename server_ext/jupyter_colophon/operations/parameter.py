"""Parameters of a request, declared once: what the API's document says of them is what reads them."""

import time as clock
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.time_format import parse_time

T = TypeVar("T", covariant=True)
Place = Literal["query", "header", "path"]
#: No number in a parameter has more digits.
DIGITS_MAX = 18
#: A count that is bounded anyway may be any number of a client's machine.
_COUNT_DIGITS_MAX = 40
_TIME = "ISO 8601, milliseconds or seconds since 1970, or `now-1d` (ms s m h d)."


@dataclass(frozen=True, slots=True, eq=False)
class Parameter(Generic[T]):
    """One parameter: its name and place, its JSON Schema, and how its text is read where it is sent.

    `read` raises InvalidQuery.
    """

    name: str
    says: str
    schema: Mapping[str, Any]
    read: Callable[[str], T]
    default: T
    place: Place = "query"
    required: bool = False
    #: Whether it may be sent more than once: its value is a tuple then.
    repeated: bool = False


def text(name: str, says: str, *, required: bool = False, place: Place = "query", **schema: Any) -> Parameter[str]:
    """A text, taken exactly as it was sent; what it has to be beyond the schema, a later layer says."""
    return Parameter(name, says, {"type": "string"} | schema, str, "", place, required)


def texts(name: str, says: str, **schema: Any) -> Parameter[tuple[str, ...]]:
    """Texts: the parameter may be sent more than once."""
    read: Callable[[str], Any] = str
    return Parameter(name, says, {"type": "array", "items": {"type": "string"} | schema}, read, (), repeated=True)


def number(name: str, says: str, *, default: int, least: int, most: int) -> Parameter[int]:
    """A whole number."""

    def read(told: str) -> int:
        if not (told.isascii() and told.isdigit() and len(told) <= DIGITS_MAX and least <= int(told) <= most):
            raise InvalidQuery(f"a number from {least} to {most}", name)
        return int(told)

    schema = {"type": "integer", "minimum": least, "maximum": most, "default": default}
    return Parameter(name, says, schema, read, default)


def count(name: str, says: str, *, default: int, least: int, most: int) -> Parameter[int]:
    """A number of items to answer with: more than `most` is read as `most`, since a client asks for all it can get."""

    def read(told: str) -> int:
        if not (told.isascii() and told.isdigit() and len(told) <= _COUNT_DIGITS_MAX and least <= int(told)):
            raise InvalidQuery(f"a number from {least} on", name)
        return min(int(told), most)

    schema = {"type": "integer", "minimum": least, "default": default}
    return Parameter(name, f"{says} At most {most} are answered.", schema, read, default)


def choice(name: str, says: str, *words: str, default: str = "") -> Parameter[str]:
    """One of some words. Without a default, the empty text stands for none of them."""
    allowed = words if default else ("", *words)

    def read(told: str) -> str:
        if told not in allowed:
            raise InvalidQuery(f"one of {', '.join(words)}", name)
        return told

    return Parameter(name, says, {"type": "string", "enum": list(allowed), "default": default}, read, default)


def flag(name: str, says: str) -> Parameter[bool]:
    """`true` or `false`, which is the default."""

    def read(told: str) -> bool:
        if told not in ("true", "false"):
            raise InvalidQuery("one of true, false", name)
        return told == "true"

    return Parameter(name, says, {"type": "boolean", "default": False}, read, False)


def time(name: str, says: str) -> Parameter[int | None]:
    """A time in ms since 1970 (spec LINEAGE-15); None where it is not sent, or empty."""

    def read(told: str) -> int | None:
        return parse_time(told, clock.time_ns() // 1_000_000, name) if told else None

    return Parameter(name, f"{says} {_TIME}", {"type": "string", "format": "colophon-time"}, read, None)
