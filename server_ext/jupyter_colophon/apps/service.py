"""The requests and responses of handlers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from jupyter_colophon.apps.accepted_types import choose_media_type
from jupyter_colophon.core.documents.json_parsing import parse_json

if TYPE_CHECKING:
    from jupyter_colophon.apps.context import ServiceContext

#: `spark`: a service that runs in worker processes, each with a Spark session (`context.spark`).
ServiceKind = Literal["service", "spark"]
Method = Literal["GET", "POST", "PUT", "DELETE"]
METHODS: Final[tuple[Method, ...]] = ("GET", "POST", "PUT", "DELETE")
#: The statuses of successful responses. For others, a handler raises an error.
STATUSES: Final = frozenset({200, 201, 202, 204})

MediaType = Literal["application/json", "text/csv", "text/plain"]
JSON: Final[MediaType] = "application/json"
#: What a browser shows or saves without running it.
TEXT_TYPES: Final = frozenset({"text/csv", "text/plain"})


@dataclass(frozen=True, slots=True)
class ServiceRequest:
    """A request to a handler, without credentials. The parameters of path and query are decoded."""

    method: str
    #: The values of the parameters in the path template.
    path: Mapping[str, str] = field(default_factory=dict)
    #: The values of each query parameter, in the order in which they were sent.
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: The media type of the body, in lower case and without parameters; empty without a body.
    content_type: str = ""
    body: bytes = b""
    #: The header `Accept`; empty if it was not sent.
    accept: str = ""

    def choose_media_type(self, *offered: MediaType) -> MediaType:
        """Return the offered media type that the caller prefers; the first one without a preference."""
        return choose_media_type(self.accept, offered)

    def parse_json_body(self) -> Any:
        """Return the body parsed as JSON. Raises MalformedBody, which is a response with the status 400."""
        return parse_json(self.body)


@dataclass(frozen=True, slots=True)
class ServiceResponse:
    """A response: a document, and its status, which is one of 200, 201, 202 and 204 (without a document).

    A document of the media type `text/csv` or `text/plain` is a text; by default it is JSON.
    """

    document: Any = None
    status: int = 200
    media_type: MediaType = JSON


#: A handler returns a JSON document, a ServiceResponse, or None for a response without a document.
Handler = Callable[["ServiceContext", ServiceRequest], Any]
