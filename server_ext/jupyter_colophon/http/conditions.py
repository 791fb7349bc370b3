"""HTTP's conditions as conditions of a proposal (native.md, entities; RFC 9110, 13)."""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final, Literal

from jupyter_colophon.core.errors import IllegalQuery
from jupyter_colophon.core.proposal import ABSENT, Condition
from jupyter_colophon.core.timegrammar import parse_instant
from jupyter_colophon.http.base import Identified
from jupyter_colophon.http.parameter import Parameter

_VERSION = re.compile(r'"(-?[0-9]{1,18})"')


def etag_of(version: int) -> str:
    """The ETag of a version."""
    return f'"{version}"'


def _version(told: str) -> int | Literal["*"]:
    if told.strip() == "*":
        return "*"
    found = _VERSION.fullmatch(told.strip())
    if found is None:
        raise IllegalQuery('one version in quotes, as in "3", or *', "If-Match")
    return int(found[1])


def _any(told: str) -> bool:
    if told.strip() != "*":
        raise IllegalQuery("only * can be asked for in a write", "If-None-Match")
    return True


def _time(told: str) -> int | None:
    """An HTTP date, or ISO 8601 (seed 003)."""
    try:
        return int(parsedate_to_datetime(told).timestamp() * 1000)
    except (ValueError, OverflowError):
        return parse_instant(told)


def _header(name: str, says: str) -> Parameter[int | None]:
    schema = {"type": "string", "format": "colophon-date"}
    return Parameter(name, f"{says} An HTTP date, or ISO 8601.", schema, _time, None, "header")


_IF_MATCH: Final[Parameter[int | Literal["*"] | None]] = Parameter(
    "If-Match",
    'Only if the aspect is at this version, as in `"3"`, or at any: `*`.',
    {"type": "string", "format": "colophon-etag", "pattern": rf"^({_VERSION.pattern}|\*)$"},
    _version,
    None,
    "header",
)
_IF_NONE_MATCH: Final[Parameter[bool]] = Parameter(
    "If-None-Match", "Only if there is no such aspect.", {"type": "string", "enum": ["*"]}, _any, False, "header"
)
_IF_UNMODIFIED_SINCE: Final = _header("If-Unmodified-Since", "Only if it was not written since.")
_IF_MODIFIED_SINCE: Final = _header("If-Modified-Since", "Only if it was written since.")

#: What an operation with `condition` declares.
CONDITIONS: Final = (_IF_MATCH, _IF_NONE_MATCH, _IF_UNMODIFIED_SINCE, _IF_MODIFIED_SINCE)


def require_none(headers: Mapping[str, str]) -> None:
    """Raise IllegalQuery for a condition of a request about something that has no version."""
    for one in CONDITIONS:
        if one.name in headers:
            raise IllegalQuery("an entity has no version: conditions are for its aspects", one.name)


def condition(handler: Identified) -> Condition:
    """What the request's headers ask to be true. Raises IllegalQuery."""
    matched, absent = handler.asked(_IF_MATCH), handler.asked(_IF_NONE_MATCH)
    return Condition(
        version=ABSENT if absent else None if matched == "*" else matched,
        exists=matched == "*",
        unmodified_since=handler.asked(_IF_UNMODIFIED_SINCE),
        modified_since=handler.asked(_IF_MODIFIED_SINCE),
    )
