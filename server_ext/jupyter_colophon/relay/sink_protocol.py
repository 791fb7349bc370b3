"""The interface of sinks; an implementation needs only this module (docs/notifications.md).

A package registers kinds of sinks by entry points of the group `jupyter_colophon.sinks`: a name, and a callable that
creates a sink from a `SinkContext`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
from jupyter_colophon.core.changes.inbox import DeadLetter
from jupyter_colophon.core.entities.change import Change

GROUP: Final = "jupyter_colophon.sinks"
#: How long `deliver` may take by default, in seconds: half of the default lease.
DELIVERY_TIMEOUT_S: Final = 15.0

#: Emits an event in this server: the id of its schema, and its data.
EventBus = Callable[[str, Mapping[str, Any]], None]


class Sink(Protocol):
    """A destination of changes. They are delivered in the order of the log, each at least once."""

    @property
    def is_local(self) -> bool:
        """Whether the destination is this process: then every process delivers from its start on, without retries."""

    def deliver(self, changes: Sequence[Change]) -> None:
        """Deliver changes; return when all of them are stored. Raises DeliveryFailed unless all of them are.

        Raise DeliveryRejected if a retry cannot succeed, SinkUnavailable if the destination accepts nothing at all.
        """

    def close(self) -> None:
        """Close connections."""


@runtime_checkable
class FailureSink(Protocol):
    """A sink that also receives proposals that could not be applied."""

    def deliver_failure(self, letter: DeadLetter, failure_number: int) -> None:
        """Deliver a dead letter, the failure with the number `failure_number`. Raises like `deliver`."""


@dataclass(frozen=True, slots=True)
class SinkContext:
    """The name of a sink, its options without those of the relay, and the services that it may use.

    `timeout_seconds` is how long `deliver` may take, in seconds; after twice that time without a sign of life, another process
    delivers too. `origin` identifies this catalog in the ids of events.
    """

    name: str
    options: Mapping[str, Any]
    formatter: ChangeFormatter
    bus: EventBus
    timeout_seconds: float = DELIVERY_TIMEOUT_S
    origin: str = ""


SinkFactory = Callable[[SinkContext], Sink]
