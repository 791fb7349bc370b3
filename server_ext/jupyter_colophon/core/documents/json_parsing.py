"""JSON from strangers: strict, and bounded before anything else looks at it (spec SEC-6)."""

import json
from collections import Counter
from functools import partial
from itertools import count
from math import isfinite
from typing import Any, NoReturn

from jupyter_colophon.core.errors import MalformedBody, StoreDamaged, TooLarge

#: Limits of a body.
MAX_DEPTH = 64
MAX_KEYS = 200_000


class _Refused(ValueError):
    """What others may call JSON, and we do not."""


def parse(body: bytes, subject: str = "the body", *, repeated: list[str] | None = None) -> Any:
    """A body, or whatever else `subject` names in sentences, as Python values.

    Raises MalformedBody for what is no JSON, no UTF-8, or holds NaN, infinities, a name twice, U+0000 or lone
    surrogates, and TooLarge over 64 levels or 200,000 members. Where a list `repeated` is given, a name that an object
    has twice is added to it instead, and the last value counts, as in Elyra.
    """
    members = _members if repeated is None else partial(_last_members, repeated)
    try:
        value = json.loads(decoded(body, subject), object_pairs_hook=members, parse_constant=_refuse_constant)
    except RecursionError:
        raise TooLarge(f"the document is nested deeper than {MAX_DEPTH} levels") from None
    except (json.JSONDecodeError, _Refused) as error:
        raise MalformedBody(f"{subject} is not valid JSON: {error}") from None
    except ValueError:
        # Python reads no whole number of thousands of digits.
        raise _too_large() from None
    _check(value)
    return value


def decoded(body: bytes, subject: str = "the body") -> str:
    """Decode UTF-8. Raises MalformedBody."""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise MalformedBody(f"{subject} is not UTF-8") from None


def stored(text: str) -> Any:
    """Parse a stored document. Raises StoreDamaged, without details, if it is invalid."""
    try:
        return json.loads(text)
    except (TypeError, ValueError) as error:
        raise StoreDamaged("a document in the catalog's store cannot be read") from error


#: Made once: `json.dumps` makes one for each text.
_COMPACT = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def compact(value: Any) -> str:
    """A value as the text that is stored and compared: members sorted, no blanks."""
    text: str = _COMPACT.encode(value)
    return text


def encode_in_pieces(value: Any) -> str:
    """Return a value as JSON text. The members of the lists in an object are encoded one by one.

    A whole that is encoded at once holds the interpreter until it is done, on whatever thread.
    """
    if not isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return (
        "{"
        + ", ".join(f"{json.dumps(name, ensure_ascii=False)}: {_encode_list(one)}" for name, one in value.items())
        + "}"
    )


def _encode_list(value: Any) -> str:
    if not isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return "[" + ", ".join(json.dumps(one, ensure_ascii=False) for one in value) + "]"


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused("an object has the same member twice")
    return members


def _last_members(repeated: list[str], pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        counted = Counter(name for name, _ in pairs)
        repeated.extend(name for name, number in counted.items() if number > 1)
    return members


def _refuse_constant(name: str) -> NoReturn:
    raise _Refused(f"{name} is not a JSON number")


def _check(value: Any) -> None:
    """Depth, number of members, numbers and text, without recursion."""
    members = 0
    level = [value]
    for depth in count():
        containers = [item for item in level if isinstance(item, (dict, list))]
        for item in level:
            # Nearly all that anybody sends is such text.
            if not (type(item) is str and item.isascii() and "\x00" not in item):
                _check_scalar(item)
        if not containers:
            return
        if depth == MAX_DEPTH:
            raise TooLarge(f"the document is nested deeper than {MAX_DEPTH} levels")
        members += sum(map(len, containers))
        if members > MAX_KEYS:
            raise TooLarge(f"the document has more than {MAX_KEYS} members")
        level = _inside(containers)


def _inside(containers: list[Any]) -> list[Any]:
    """What is in them; the names of an object's members are text of the document, too."""
    found: list[Any] = []
    for one in containers:
        found.extend(one)
        if isinstance(one, dict):
            found.extend(one.values())
    return found


def _check_scalar(item: Any) -> None:
    if isinstance(item, str):
        _check_text(item)
    elif isinstance(item, float) and not isfinite(item):
        raise _too_large()


def _too_large() -> MalformedBody:
    return MalformedBody("a number is too large")


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise MalformedBody("text holds U+0000")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise MalformedBody("text holds half of a surrogate pair") from None
