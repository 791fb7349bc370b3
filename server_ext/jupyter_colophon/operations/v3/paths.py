"""Entities in paths: a path is split into segments before they are decoded, since names may hold a slash (spec CDAP-2)."""

from typing import Final
from urllib.parse import unquote

from jupyter_colophon.core.cdap.names import parse_v3_path
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.operations.request import OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3.parameters import declare_optional_text

PREFIX: Final = "/colophon/v3"
_ENTITY: Final = declare_optional_text(
    "entity", "The URN of the entity. It takes precedence over the entity in the path, which may be `-`."
)
_TYPE: Final = declare_optional_text("type", "The type of a custom entity, if it is not the last key of the path.")
#: What an operation with `entity_in_path` declares.
ENTITY_PARAMETERS: Final = (_ENTITY, _TYPE)
#: The path that refers to the entity in `?entity=`.
_ELSEWHERE: Final = ["-"]


def split_path(request: OperationRequest) -> list[str]:
    """Return the decoded segments of the path below the API's prefix. Raises InvalidName."""
    path = request.raw_path.removeprefix(f"{PREFIX}/").rstrip("/")
    return [_decode_segment(segment) for segment in path.split("/")]


def parse_entity_of_request(services: ProcessServices, request: OperationRequest, trailing: int = 0) -> tuple[Urn, str]:
    """Return the entity that `?entity=` or the path names, and the namespace in the path; empty where it has none.

    `trailing` is the number of segments after those of the entity. Raises InvalidName.
    """
    urn = request[_ENTITY]
    if urn is not None:
        return Urn.parse(urn), ""
    segments = split_path(request)
    segments = segments[: len(segments) - trailing]
    if segments == _ELSEWHERE:
        raise InvalidName("v3 path", "-", "the query parameter entity must name the entity")
    namespace = segments[1] if segments[0].casefold() == "namespaces" and len(segments) > 1 else ""
    return parse_v3_path(segments, services.identity, request[_TYPE]), namespace


def _decode_segment(segment: str) -> str:
    try:
        return unquote(segment, errors="strict")
    except UnicodeDecodeError:
        raise InvalidName("v3 path", segment, "it is not percent-encoded UTF-8") from None
