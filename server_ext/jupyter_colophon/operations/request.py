"""What a caller asks of an operation, and what the operation answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.idempotency import Once
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY
from jupyter_colophon.operations.parameter import Parameter

T = TypeVar("T")
#: A JSON object of an answer.
Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Request:
    """A call of an operation: its parameters are read, its body is parsed and valid.

    `path` has the parameters of the path, decoded; `raw_path` is the path below the server's base URL as it was sent.
    """

    principal: Principal
    parameters: Mapping[Parameter[Any], Any]
    path: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    #: The media type of the body, in lower case and without its parameters; empty where the request has none.
    content_type: str = ""
    #: All headers that were sent, by name in lower case.
    headers: Mapping[str, str] = field(default_factory=dict)
    raw_path: str = ""
    #: Returns the bytes of the body as they were sent. Raises MalformedBody, TooLarge.
    read_body: Callable[[], bytes] = bytes
    #: The server's base URL, which `Location` headers begin with.
    base_url: str = "/"
    #: The user's name as people read it.
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
        """The URN in the path, or that of `?urn=` where the path has `-`. Raises InvalidName."""
        return Urn.parse(self.path["urn"])

    @property
    def once(self) -> Once | None:
        """The idempotency key of a write; None where none was sent."""
        key = self[IDEMPOTENCY_KEY]
        return Once(self.principal.user, key, self.fingerprint()) if key else None


@dataclass(frozen=True, slots=True)
class Answer:
    """A document, or the bytes of one, with what HTTP sends beside it. `etag` is complete, with its quotes."""

    document: Any
    status: int = 200
    etag: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lines:
    """An answer that is sent as it is made: lines of text, each without its end."""

    lines: Iterator[str]


@dataclass(frozen=True, slots=True)
class Changes:
    """An answer that is read from the change log: at once, after a wait for a change, or as they come.

    `filters` and `form` say which changes, and how they are written (core/changes/change_formatter.py).
    """

    filters: Mapping[str, str]
    form: str
    #: The number of the last change known; None for only what comes.
    after: int | None = 0
    limit: int = 0
    wait_seconds: int = 0


Result = Answer | Lines | Changes
