"""Listeners that an application declares."""

import re
from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from jupyter_colophon.apps.events.event import CatalogEvent

if TYPE_CHECKING:
    from jupyter_colophon.apps.context import ServiceContext

#: Where the first process that has the listener begins: with the next event, or with all that the change log has.
Start = Literal["now", "beginning"]
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")


class EventListener(ABC):
    """The base class of listeners."""

    @abstractmethod
    def on_event(self, context: "ServiceContext", event: Any) -> None:
        """Handle an event.

        `context.execute` commits the writes together with the record that the event is handled, so it can be called once
        to write. If it was not called, the event is handled when this returns. If this raises, and nothing was committed,
        it is called again later.
        """


@dataclass(frozen=True, slots=True)
class ListenerDeclaration:
    """A listener, and which events it receives. Empty `kinds` are all."""

    name: str
    version: int
    listener: EventListener
    types: tuple[type[CatalogEvent], ...]
    kinds: frozenset[str]
    start: Start
    timeout_s: float

    def matches(self, event: CatalogEvent | None) -> bool:
        """Return whether the listener receives an event."""
        return isinstance(event, self.types) and (not self.kinds or event.kind in self.kinds)


def declare_listener(
    listener: EventListener,
    types: Collection[type[CatalogEvent]],
    kinds: Collection[str],
    start: Start,
    name: str,
    version: int,
    timeout_s: float,
) -> ListenerDeclaration:
    """Return a declaration. Raises ValueError if an argument is not valid."""
    name = name or type(listener).__name__
    require_valid_name(name, "listener")
    if not isinstance(listener, EventListener):
        raise ValueError(f"the listener {name} is not an EventListener")
    if isinstance(kinds, str) or not all(isinstance(kind, str) for kind in kinds):
        raise ValueError(f"the kinds of the listener {name} must be a list of texts such as dataset")
    if not types or not all(isinstance(item, type) and issubclass(item, CatalogEvent) for item in types):
        raise ValueError(f"the types of the listener {name} must be classes of events")
    if start not in ("now", "beginning"):
        raise ValueError(f"the start of the listener {name} must be now or beginning")
    if type(version) is not int or version < 1:
        raise ValueError(f"the version of the listener {name} must be a number from 1")
    return ListenerDeclaration(name, version, listener, tuple(types), frozenset(kinds), start, timeout_s)


def require_valid_name(name: str, what: str) -> None:
    """Raise ValueError unless this is a valid name of a listener or a schedule."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid name of a {what}: use letters, digits, _ and -")
