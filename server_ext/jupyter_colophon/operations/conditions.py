"""HTTP's conditions as conditions of a proposal (spec WRITE-4)."""

import re
from email.utils import parsedate_to_datetime
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.core.time_format import parse_iso_time_to_ms
from jupyter_colophon.operations.parameter import Parameter
from jupyter_colophon.operations.request import OperationRequest

_VERSION = re.compile(r'"(-?[0-9]{1,18})"')
_TAG: Final = r'(?:W/)?"[!#-~\x80-\xff]*"'
_TAGS: Final = rf"{_TAG}(?:[ \t]*,[ \t]*{_TAG})*"


#: Of both headers, for the API's documents.
_PATTERN: Final = r'^(\*|(W/)?"[!#-~]*"([ \t]*,[ \t]*(W/)?"[!#-~]*")*)$'


def format_etag(version: int) -> str:
    """Return the ETag of a version."""
    return f'"{version}"'


def _split_entity_tags(value: str, header: str) -> list[str]:
    """Return the entity tags of a header (RFC 9110, 8.8.3). Raises InvalidQuery if the value is not a list of entity tags."""
    if re.fullmatch(_TAGS, value) is None:
        raise InvalidQuery('must be a version in quotes, such as "3", or *', header)
    return re.findall(_TAG, value)


def _parse_if_match_version(value: str) -> int | str:
    """Return the required version, or `*`; a foreign entity tag is returned unchanged and equals no version."""
    if value.strip() == "*":
        return "*"
    tags = _split_entity_tags(value.strip(), "If-Match")
    versions = {int(match[1]) for tag in tags if (match := _VERSION.fullmatch(tag))}
    if len(versions) > 1:
        raise InvalidQuery("must name a single version", "If-Match")
    return versions.pop() if versions else tags[0]


def _is_absence_required(value: str) -> bool:
    """Return whether a write requires that no version exists. Foreign entity tags match nothing and require nothing."""
    if value.strip() == "*":
        return True
    if any(_VERSION.fullmatch(tag) for tag in _split_entity_tags(value.strip(), "If-None-Match")):
        raise InvalidQuery("must be *: a write accepts no version here", "If-None-Match")
    return False


def _parse_http_or_iso_date(value: str) -> int | None:
    """Parse an HTTP date or an ISO 8601 time."""
    try:
        return int(parsedate_to_datetime(value).timestamp() * 1000)
    except (ValueError, OverflowError):
        return parse_iso_time_to_ms(value)


def _declare_date_header(name: str, description: str) -> Parameter[int | None]:
    schema = {"type": "string", "format": "colophon-date"}
    return Parameter(name, f"{description} An HTTP date, or ISO 8601.", schema, _parse_http_or_iso_date, None, "header")


_IF_MATCH: Final[Parameter[int | str | None]] = Parameter(
    "If-Match",
    'Write only if the current version is this one, as in `"3"`, or if there is any: `*`.',
    {"type": "string", "format": "colophon-etag", "pattern": _PATTERN},
    _parse_if_match_version,
    None,
    "header",
)
_IF_NONE_MATCH: Final[Parameter[bool]] = Parameter(
    "If-None-Match",
    "Write only if there is no current version: `*`. ETags that this catalog did not issue match nothing.",
    {"type": "string", "format": "colophon-etag", "pattern": _PATTERN},
    _is_absence_required,
    False,
    "header",
)
_IF_UNMODIFIED_SINCE: Final = _declare_date_header(
    "If-Unmodified-Since", "Write only if nothing was changed after this time."
)
_IF_MODIFIED_SINCE: Final = _declare_date_header(
    "If-Modified-Since", "Write only if something was changed after this time."
)

#: What an operation with `condition` declares.
CONDITIONS: Final = (_IF_MATCH, _IF_NONE_MATCH, _IF_UNMODIFIED_SINCE, _IF_MODIFIED_SINCE)


def require_no_condition(request: OperationRequest) -> None:
    """Raise InvalidQuery for a condition of a request about something that has no version."""
    for condition in CONDITIONS:
        if condition.name.lower() in request.headers:
            raise InvalidQuery("an entity has no version: use conditions on its aspects", condition.name)


def parse_write_condition(request: OperationRequest) -> WriteCondition:
    """Return the condition that the request's headers express."""
    matched, absent = request[_IF_MATCH], request[_IF_NONE_MATCH]
    return WriteCondition(
        version=ABSENT if absent else None if matched == "*" else matched,
        exists=matched == "*",
        unmodified_since=request[_IF_UNMODIFIED_SINCE],
        modified_since=request[_IF_MODIFIED_SINCE],
    )
