"""HTTP's conditions as conditions of a proposal (spec WRITE-4)."""

import re
from email.utils import parsedate_to_datetime
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.core.time_format import parse_instant
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.request import Request

_VERSION = re.compile(r'"(-?[0-9]{1,18})"')
_TAG: Final = r'(?:W/)?"[!#-~\x80-\xff]*"'
_TAGS: Final = rf"{_TAG}(?:[ \t]*,[ \t]*{_TAG})*"


#: Of both headers, for the API's documents.
_PATTERN: Final = r'^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$'


def etag_of(version: int) -> str:
    """The ETag of a version."""
    return f'"{version}"'


def _entity_tags(value: str, header: str) -> list[str]:
    """Return the entity tags of a header (RFC 9110, 8.8.3). Raises InvalidQuery for what is not a list of them."""
    if re.fullmatch(_TAGS, value) is None:
        raise InvalidQuery('a version in quotes, as in "3", or *', header)
    return re.findall(_TAG, value)


def _version(value: str) -> int | str:
    """Return the version that a write requires, or `*`; of tags that are not ours one, which no version equals."""
    if value.strip() == "*":
        return "*"
    tags = _entity_tags(value.strip(), "If-Match")
    versions = {int(found[1]) for tag in tags if (found := _VERSION.fullmatch(tag))}
    if len(versions) > 1:
        raise InvalidQuery("one version, and not several", "If-Match")
    return versions.pop() if versions else tags[0]


def _any(value: str) -> bool:
    """Return whether a write requires that nothing exists. Tags that are not ours match nothing: they require nothing."""
    if value.strip() == "*":
        return True
    if any(_VERSION.fullmatch(tag) for tag in _entity_tags(value.strip(), "If-None-Match")):
        raise InvalidQuery("only * can be asked for in a write", "If-None-Match")
    return False


def _time(value: str) -> int | None:
    """An HTTP date, or ISO 8601."""
    try:
        return int(parsedate_to_datetime(value).timestamp() * 1000)
    except (ValueError, OverflowError):
        return parse_instant(value)


def _header(name: str, description: str) -> Parameter[int | None]:
    schema = {"type": "string", "format": "colophon-date"}
    return Parameter(name, f"{description} An HTTP date, or ISO 8601.", schema, _time, None, "header")


_IF_MATCH: Final[Parameter[int | str | None]] = Parameter(
    "If-Match",
    'Write only if the current version is this one, as in `"3"`, or if there is any: `*`.',
    {"type": "string", "format": "colophon-etag", "pattern": _PATTERN},
    _version,
    None,
    "header",
)
_IF_NONE_MATCH: Final[Parameter[bool]] = Parameter(
    "If-None-Match",
    "Write only if there is no current version: `*`. ETags that this catalog did not issue match nothing.",
    {"type": "string", "format": "colophon-etag", "pattern": _PATTERN},
    _any,
    False,
    "header",
)
_IF_UNMODIFIED_SINCE: Final = _header("If-Unmodified-Since", "Write only if it was not changed since.")
_IF_MODIFIED_SINCE: Final = _header("If-Modified-Since", "Write only if it was changed since.")

#: What an operation with `condition` declares.
CONDITIONS: Final = (_IF_MATCH, _IF_NONE_MATCH, _IF_UNMODIFIED_SINCE, _IF_MODIFIED_SINCE)


def require_none(request: Request) -> None:
    """Raise InvalidQuery for a condition of a request about something that has no version."""
    for one in CONDITIONS:
        if one.name.lower() in request.headers:
            raise InvalidQuery("an entity has no version: conditions are for its aspects", one.name)


def condition(request: Request) -> Condition:
    """Return what the request's headers require to be true."""
    matched, absent = request[_IF_MATCH], request[_IF_NONE_MATCH]
    return Condition(
        version=ABSENT if absent else None if matched == "*" else matched,
        exists=matched == "*",
        unmodified_since=request[_IF_UNMODIFIED_SINCE],
        modified_since=request[_IF_MODIFIED_SINCE],
    )
