"""The load of a server, as it measures it, and what it refuses because of it."""

from dataclasses import dataclass
from typing import Final, Literal

#: Kinds of requests, in the order in which an overloaded server refuses them.
RequestKind = Literal["query", "read", "write"]
REQUEST_KINDS: Final[tuple[RequestKind, ...]] = ("query", "read", "write")
#: The server is not ready while an overload lasts for longer.
NOT_READY_S: Final = 30.0


@dataclass(frozen=True, slots=True)
class ServerLoad:
    """What is measured now, and the limits; None where it is not measured, or there is no limit.

    `overloaded_s` is for how long requests have been refused, with short pauses.
    """

    delay_s: float
    delay_limit_s: float | None
    memory_bytes: int | None
    memory_limit_bytes: int | None
    refused: tuple[RequestKind, ...]
    overloaded_s: float

    @property
    def is_ready(self) -> bool:
        """Whether a load balancer should send requests to the server."""
        return self.overloaded_s < NOT_READY_S
