"""How a call of the native API reaches the catalog: over HTTP (`Transport`), or in the same process."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Document = dict[str, Any]
#: Bytes are sent unchanged; everything else is encoded as JSON.
Body = Mapping[str, Any] | Sequence[Any] | bytes
#: A parameter without a value is not sent.
Parameters = Mapping[str, str | int | bool | None]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operation. Parameters keep the names of the API; those that are None are dropped."""

    operation: str
    method: str
    #: Relative to the root of the API, as in `/entities/{urn}`.
    path_template: str
    path: Mapping[str, str] = field(default_factory=dict)
    query: Parameters = field(default_factory=dict)
    headers: Parameters = field(default_factory=dict)
    body: Body | None = None
    content_type: str = "application/json"

    def __post_init__(self) -> None:
        """Drop parameters that have no value."""
        for name in ("query", "headers"):
            present = {key: value for key, value in getattr(self, name).items() if value is not None}
            object.__setattr__(self, name, present)


def format_parameter(value: object) -> str:
    """Return a parameter's value as it is sent."""
    return str(value).lower() if isinstance(value, bool) else str(value)


class Caller(Protocol):
    """What `Operations` sends its calls to.

    Every method raises `ServerUnavailable` if there is no answer, and `RequestFailed` if the answer is an error.
    """

    def call(self, call: Call, timeout_s: float | None = None) -> Document:
        """Return the answer's JSON object; an empty one if the answer has no body."""
        ...

    def stream_lines(self, call: Call, timeout_s: float | None = None) -> Iterator[bytes]:
        """Yield the lines of the answer as they arrive, without line breaks. `timeout_s` limits the wait for each block."""
        ...

    def close(self) -> None:
        """Release connections; the next call opens them again."""
        ...
