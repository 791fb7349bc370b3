"""What the handlers of `/colophon/v3` share: entities in paths, and errors as its clients know them."""

import json
from collections.abc import Mapping
from http.client import responses
from typing import Any
from urllib.parse import unquote

from jupyter_colophon.core.cdap.names import from_v3
from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.errors import InvalidName, InvalidQuery, MetadataError, NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.operation import Shape
from jupyter_colophon.operations.problems import row_of

PREFIX = "/colophon/v3"
_PROBLEMS_TOLD = 5
#: The path that stands for an entity which is told by `?entity=` alone.
_ELSEWHERE = ["-"]


class V3Handler(ApiHandler):
    """A handler of `/colophon/v3`. Paths are split first and decoded then: names may hold a slash (spec CDAP-2)."""

    def read(self, raw: bytes, shape: Shape) -> Any:
        """Return a body of this shape; an optional member that is null is absent, as in CDAP's own documents.

        Raises MalformedBody, TooLarge, InvalidInstance.
        """
        value = parse(raw)
        if isinstance(shape, Mapping):
            _drop_nulls(shape, value)
        self.state.schemas.validate(shape, value)
        return value

    def segments(self, *behind: str) -> list[str]:
        """The decoded segments of the path behind the prefix, without what it ends with. Raises NotFound, InvalidName."""
        path = self.request.path.removeprefix(self.base_url.rstrip("/") + PREFIX + "/").rstrip("/")
        found = [_decoded(one) for one in path.split("/")]
        if not all(found):
            raise NotFound("path", path)
        return found[: len(found) - len(behind)] if behind else found

    def place(self, segments: list[str]) -> tuple[Urn, str]:
        """The entity that a path, or `?entity=`, names, and the namespace that the path says ("" where it says none)."""
        told = self._sent("entity")
        if told is not None:
            return Urn.parse(told), ""
        if segments == _ELSEWHERE:
            raise InvalidName("v3 path", "-", "?entity= says which entity is meant")
        identity = self.state.identity
        says = segments[1] if segments[0].casefold() == "namespaces" and len(segments) > 1 else ""
        return from_v3(segments, identity, self._sent("type")), says

    def many(self, name: str) -> list[str]:
        """All values of a parameter that may be sent more than once."""
        found: list[str] = self.get_query_arguments(name, strip=False)
        return found

    def refuse_parameter(self, name: str, why: str) -> None:
        """Raise InvalidQuery where a parameter is sent that is not served: to leave it out would change the answer."""
        if self.get_query_arguments(name):
            raise InvalidQuery(why, name)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Tell an error as `{"message", "reason", "status"}`; an unexpected one without its message."""
        error = kwargs.get("exc_info", (None, None, None))[1]
        status = row_of(type(error)).status if isinstance(error, MetadataError) else status_code
        reason = responses.get(status, "Error")
        message = _message(error) if isinstance(error, MetadataError) else reason
        self.set_status(status)
        self.retry_later(status)
        self.finish(json.dumps({"message": message, "reason": reason, "status": status}))


def _drop_nulls(schema: Mapping[str, Any], value: Any) -> None:
    """Remove the members that are null from an object, at each depth that the schema names members of."""
    if isinstance(value, list):
        for item in value if isinstance(schema.get("items"), Mapping) else ():
            _drop_nulls(schema["items"], item)
        return
    if not isinstance(value, dict):
        return
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        if name in value and value[name] is None and name not in required and "null" not in inner.get("type", ()):
            del value[name]
        elif name in value:
            _drop_nulls(inner, value[name])


def _decoded(segment: str) -> str:
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        raise InvalidName("v3 path", segment, "it is not percent-encoded UTF-8") from None


def _message(error: MetadataError) -> str:
    told = [f"{one.pointer or 'the body'}: {one.message}" for one in error.problems[:_PROBLEMS_TOLD]]
    return "; ".join([error.detail, *told])
