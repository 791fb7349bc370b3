"""What a sink is: whoever writes one needs this module alone (docs/notifications.md).

A package offers sinks by entry points of the group `jupyter_colophon.sinks`: a name, and a callable that makes a sink of
its surroundings.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, runtime_checkable

from jupyter_colophon.core.changes.announcement import Announcer
from jupyter_colophon.core.changes.inbox import DeadLetter
from jupyter_colophon.core.entities.change import Change

GROUP: Final = "jupyter_colophon.sinks"
#: How long `deliver` may take, in seconds, where the sink's lease is the usual one: half of it.
DELIVERY_S: Final = 15.0

#: Takes the name of an event's schema and its data to those who listen in this server.
Bus = Callable[[str, Mapping[str, Any]], None]


class Sink(Protocol):
    """Takes changes somewhere, in the order of the log, each at least once."""

    @property
    def local(self) -> bool:
        """Whether it is for this process alone: then every process delivers, from now on, and nothing is tried again."""

    def deliver(self, changes: Sequence[Change]) -> None:
        """Take these changes; returns when they are where they belong, or raises DeliveryFailed where not all of them are.

        DeliveryRejected says that trying again is no use, SinkUnavailable that nothing is taken, whatever it is.
        """

    def close(self) -> None:
        """Let go of connections."""


@runtime_checkable
class TellsFailures(Protocol):
    """A sink that also takes proposals which could not be applied."""

    def deliver_failure(self, letter: DeadLetter, turn: int) -> None:
        """Take a dead letter, the failure of this turn; raises as `deliver` does."""


@dataclass(frozen=True, slots=True)
class SinkContext:
    """What a sink is made of: its name, its options without those that are the relay's own, and what it may use.

    `limit_s` is how long `deliver` may take, in seconds; twice that time of silence, and another process delivers too.
    `origin` tells this catalog from others, in ids of events.
    """

    name: str
    options: Mapping[str, Any]
    announcer: Announcer
    bus: Bus
    limit_s: float = DELIVERY_S
    origin: str = ""


Maker = Callable[[SinkContext], Sink]
