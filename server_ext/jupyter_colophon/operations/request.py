"""The request and the answer of an operation."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import IdempotencyKey
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import Parameter

T = TypeVar("T")
#: A JSON object of an answer.
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class OperationRequest:
    """A call of an operation: its parameters are read, its body is parsed and valid.

    `path` has the parameters of the path, decoded; `raw_path` is the path below the server's base URL as it was sent.
    """

    principal: Principal
    parameters: Mapping[Parameter[Any], Any]
    path: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    #: All query parameters that were sent, without credentials.
    query: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: The media type of the body, in lower case and without parameters; empty if the request has none.
    content_type: str = ""
    #: All headers that were sent, by name in lower case.
    headers: Mapping[str, str] = field(default_factory=dict)
    raw_path: str = ""
    #: Returns the bytes of the body as they were sent. Raises MalformedBody, TooLarge.
    read_body: Callable[[], bytes] = bytes
    #: The server's base URL, which `Location` headers begin with.
    base_url: str = "/"
    #: The display name of the user.
    display_name: str = ""
    #: Computes what distinguishes this request from another.
    fingerprint: Callable[[], str] = str

    def __getitem__(self, parameter: Parameter[T]) -> T:
        """Return the value of a parameter that the operation declares. Raises LookupError for another."""
        if parameter not in self.parameters:
            raise LookupError(f"the operation does not declare {parameter.name}")
        value: T = self.parameters[parameter]
        return value

    @property
    def urn(self) -> Urn:
        """The URN in the path, or that of `?urn=` if the path has `-`. Raises InvalidName."""
        return Urn.parse(self.path["urn"])

    @property
    def idempotency_key(self) -> IdempotencyKey | None:
        """The idempotency key of a write; None if none was sent."""
        key = self[IDEMPOTENCY_KEY]
        return IdempotencyKey(self.principal.user, key, self.fingerprint()) if key else None


@dataclass(frozen=True, slots=True)
class OperationAnswer:
    """A document, or its bytes, with the status and headers of the response. `etag` includes the quotes."""

    document: Any
    status: int = 200
    etag: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LinesAnswer:
    """A streamed answer: lines of text, each without its line break."""

    lines: Iterator[str]


@dataclass(frozen=True, slots=True)
class ChangesAnswer:
    """An answer from the change log: at once, after waiting for a change, or as a stream.

    `filters` selects the changes, and `form` is their format (core/changes/change_formatter.py).
    """

    filters: Mapping[str, str]
    form: str
    #: The sequence number of the last known change; None for only new changes.
    after: int | None = 0
    limit: int = 0
    wait_seconds: int = 0


@dataclass(frozen=True, slots=True)
class PendingAnswer:
    """An answer that code of a package computes on a thread of its own, within a time limit."""

    future: "Future[OperationAnswer]"
    timeout_s: float
    #: Returns the error to raise after the time limit.
    create_timeout_error: Callable[[], MetadataError]


Result = OperationAnswer | LinesAnswer | ChangesAnswer | PendingAnswer
