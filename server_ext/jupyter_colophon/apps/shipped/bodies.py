"""Read the bodies and query parameters of requests, and refuse invalid ones."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, ServiceRequest

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_TEXT_MAX: Final = 1_000


class Body:
    """The members of a JSON object. All methods raise BadRequest."""

    def __init__(self, document: Any, allowed: Sequence[str]) -> None:
        if not isinstance(document, dict):
            raise BadRequest("the body must be a JSON object")
        if unknown := sorted(document.keys() - {*allowed}):
            raise BadRequest(f"unknown member {unknown[0][:80]!r}; known: {', '.join(allowed)}")
        self.document: Mapping[str, Any] = document

    def get_text(self, name: str, default: str | None = None, longest: int = _TEXT_MAX) -> str:
        """Return a text; without a default it is mandatory, and must not be empty."""
        value = self.document.get(name, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise BadRequest(
                f"the member {name} must be a text" + ("" if default is not None else " that is not empty")
            )
        if len(value) > longest:
            raise BadRequest(f"the member {name} may have at most {longest} characters")
        return value

    def get_choice(self, name: str, choices: Sequence[str], default: str) -> str:
        """Return one of several texts."""
        value = self.document.get(name, default)
        if value not in choices:
            raise BadRequest(f"the member {name} must be one of {', '.join(choices)}")
        return str(value)

    def get_number(self, name: str, default: int, most: int, least: int = 0) -> int:
        """Return a whole number."""
        value = self.document.get(name, default)
        if type(value) is not int or not least <= value <= most:
            raise BadRequest(f"the member {name} must be a whole number from {least} to {most}")
        return value

    def get_boolean(self, name: str, *, default: bool) -> bool:
        """Return a boolean."""
        value = self.document.get(name, default)
        if not isinstance(value, bool):
            raise BadRequest(f"the member {name} must be true or false")
        return value

    def get_list(self, name: str, most: int) -> list[Any]:
        """Return a list that is not empty."""
        value = self.document.get(name)
        if not isinstance(value, list) or not 0 < len(value) <= most:
            raise BadRequest(f"the member {name} must be a list of 1 to {most} items")
        return value


def parse_body(request: ServiceRequest, *allowed: str) -> Body:
    """Return the members of the body. Raises BadRequest, MalformedBody."""
    return Body(request.parse_json_body(), allowed)


def get_query_text(request: ServiceRequest, name: str, default: str = "") -> str:
    """Return the last value of a query parameter."""
    return next(reversed(request.query.get(name, ())), default)


def get_query_choice(request: ServiceRequest, name: str, choices: Sequence[str], default: str) -> str:
    """Return a query parameter as one of several texts. Raises BadRequest."""
    text = get_query_text(request, name, default)
    if text not in choices:
        raise BadRequest(f"the query parameter {name} must be one of {', '.join(choices)}")
    return text


def get_query_number(request: ServiceRequest, name: str, default: int, most: int, least: int = 0) -> int:
    """Return a query parameter as a whole number. Raises BadRequest."""
    text = get_query_text(request, name, str(default))
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise BadRequest(f"the query parameter {name} must be a whole number from {least} to {most}")
    return int(text)


def require_valid_name(what: str, name: str) -> str:
    """Return a name of a connection. Raises BadRequest."""
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{name[:80]!r} is not a valid name of a {what}: use at most 64 letters, digits, _, . and -")
    return name
