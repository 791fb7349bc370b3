"""Parse untrusted JSON strictly, with limits (spec SEC-6)."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from math import inf, isfinite
from typing import Any, Final, NoReturn

from jupyter_colophon.core.documents.json_values import is_larger_as_json
from jupyter_colophon.core.errors import MalformedBody, StoreDamaged, TooLarge

#: The limits of a body.
MAX_DEPTH = 64
MAX_KEYS = 200_000
#: How many members of a list are encoded together.
_ENCODED_TOGETHER = 50


class _InvalidJson(ValueError):
    """The text is not JSON that we accept."""


def parse_json(body: bytes, subject: str = "the body", *, repeated_names: list[str] | None = None) -> Any:
    """Parse a body, or another document that messages call `subject`.

    Raises MalformedBody for text that is not JSON or not UTF-8, or contains NaN, infinities, duplicate names, U+0000 or
    lone surrogates, and TooLarge for more than 64 levels or 200,000 members. With a list `repeated`, duplicate names
    are added to it instead and the last value is used, as in Elyra.
    """
    decoder = (
        _STRICT
        if repeated_names is None
        else _create_decoder(partial(_create_object_and_collect_repeated_names, repeated_names))
    )
    text = decode_utf8(body, subject)
    try:
        if text.startswith("\ufeff"):
            raise json.JSONDecodeError("Unexpected UTF-8 BOM (decode using utf-8-sig)", text, 0)
        value = decoder.decode(text)
    except RecursionError:
        raise TooLarge(f"the document is nested deeper than {MAX_DEPTH} levels") from None
    except (json.JSONDecodeError, _InvalidJson) as error:
        raise MalformedBody(f"{subject} is not valid JSON: {error}") from None
    except ValueError:
        # Also raised by Python for integers of thousands of digits.
        raise MalformedBody("a number is too large") from None
    if not _is_within_limits(text, value):
        _require_limits_of_value(value)
    return value


def decode_utf8(body: bytes, subject: str = "the body") -> str:
    """Decode UTF-8. Raises MalformedBody."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedBody(f"{subject} is not UTF-8") from None


def parse_stored_json(text: str) -> Any:
    """Parse a stored document. Raises StoreDamaged, without details, if it is invalid."""
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise StoreDamaged("a document in the catalog's store cannot be read") from error


#: Created once: `json.dumps` creates one for each call. Documents are trees, so that none is checked for cycles.
_PLAIN: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False)
_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False, sort_keys=True, separators=(",", ":"))


def encode_canonical_json(value: Any) -> str:
    """Return a value as the text that is stored and compared: sorted members, no whitespace."""
    text: str = _COMPACT.encode(value)
    return text


def encode_json_in_pieces(value: Any, bytes_max: float = inf) -> str:
    """Return a value as JSON text, encoding the members of lists in an object a few at a time.

    Encoding a large value in one call holds the interpreter lock until it is finished, on any thread. Raises TooLarge
    when the text exceeds `bytes_max`: measuring thousands of members before would take as long as encoding them.
    """
    pieces: list[str] = []
    size = 0
    for piece in _iterate_json_pieces(value, bytes_max):
        size += len(piece)
        if size > bytes_max:
            refuse_too_large_response(bytes_max)
        pieces.append(piece)
    return "".join(pieces)


def _iterate_json_pieces(value: Any, bytes_max: float) -> Iterator[str]:
    """Yield the text of a value: a piece for some members of a list in an object, and one for anything else."""
    if not isinstance(value, dict):
        yield _encode_measured_value(value, bytes_max)
        return
    separator = "{"
    for name, member in value.items():
        yield f"{separator}{_PLAIN.encode(name)}: "
        if isinstance(member, list):
            yield from _iterate_pieces_of_list(member)
        else:
            yield _encode_measured_value(member, bytes_max)
        separator = ", "
    yield "}" if value else "{}"


def _iterate_pieces_of_list(members: list[Any]) -> Iterator[str]:
    separator = "["
    for at in range(0, len(members), _ENCODED_TOGETHER):
        yield separator + _PLAIN.encode(members[at : at + _ENCODED_TOGETHER])[1:-1]
        separator = ", "
    yield "]" if members else "[]"


def _encode_measured_value(value: Any, bytes_max: float) -> str:
    """Return a value as JSON text. Raises TooLarge before encoding it, since it is one piece."""
    if bytes_max < inf and is_larger_as_json(value, bytes_max):
        refuse_too_large_response(bytes_max)
    return _PLAIN.encode(value)


def refuse_too_large_response(bytes_max: float) -> NoReturn:
    """Raise TooLarge for a response that would have more bytes."""
    raise TooLarge(f"the response would have more than {bytes_max} bytes: request less")


def _create_object_without_repeated_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _InvalidJson("an object has a duplicate member")
    return members


def _create_object_and_collect_repeated_names(repeated: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        repeated.extend(name for name, number in counted.items() if number > 1)
    return members


def _create_decoder(create_object: Callable[[list[tuple[str, Any]]], dict[str, Any]]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=create_object, parse_constant=_refuse_nan_and_infinity, parse_float=_parse_finite_number
    )


def _refuse_nan_and_infinity(name: str) -> NoReturn:
    raise _InvalidJson(f"{name} is not a JSON number")


def _parse_finite_number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError("a number is too large")
    return number


#: Created once: `json.loads` creates one for each call.
_STRICT: Final = _create_decoder(_create_object_without_repeated_names)


def _is_within_limits(text: str, value: Any) -> bool:
    """Return whether the text, and if needed the depth of the value, show that a document is within the limits.

    That is faster than to read all values. Only an escape can stand for U+0000 or a lone surrogate.
    """
    return (
        len(text) <= MAX_KEYS
        and "\\u" not in text
        and (text.count("{") + text.count("[") <= MAX_DEPTH or _has_allowed_depth(value))
    )


def _has_allowed_depth(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        inner: list[Any] = []
        for container in level:
            inner.extend(container.values() if type(container) is dict else container)
        level = [item for item in inner if type(item) is dict or type(item) is list]
        if not level:
            return True
    return False


def _require_limits_of_value(value: Any) -> None:
    """Check depth, number of members and strings, without recursion."""
    members = 0
    level = [value]
    for depth in count():
        containers = [item for item in level if isinstance(item, (dict, list))]
        for item in level:
            if type(item) is str and not (item.isascii() and "\x00" not in item):
                _require_valid_string(item)
        if not containers:
            return
        if depth == MAX_DEPTH:
            raise TooLarge(f"the document is nested deeper than {MAX_DEPTH} levels")
        members += sum(map(len, containers))
        if members > MAX_KEYS:
            raise TooLarge(f"the document has more than {MAX_KEYS} members")
        level = _list_children(containers)


def _list_children(containers: list[Any]) -> list[Any]:
    """Return the values in containers; the names of an object's members count as strings too."""
    children: list[Any] = []
    for container in containers:
        children.extend(container)
        if isinstance(container, dict):
            children.extend(container.values())
    return children


def _require_valid_string(text: str) -> None:
    if "\x00" in text:
        raise MalformedBody("a string contains U+0000")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise MalformedBody("a string contains a lone surrogate") from None
