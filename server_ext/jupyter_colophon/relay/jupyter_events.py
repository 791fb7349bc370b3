"""Changes as Jupyter events, for other extensions: the number and the entity, and nothing of what was said.

Jupyter sends every event to everybody who listens (spec WRITE-21): who wants to know more asks, and is authorised.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidConfiguration, shown
from jupyter_colophon.relay.sink_protocol import EventBus, SinkContext

#: The `$id` of `schemas/events/change.json`.
SCHEMA: Final = "urn:jupyter-colophon:events:change:v1"


def create(context: SinkContext) -> "JupyterEvents":
    """The sink; it has no options. Raises InvalidConfiguration."""
    for name in context.options:
        raise InvalidConfiguration(f"unknown option {shown(str(name))}")
    return JupyterEvents(context.bus)


@dataclass(frozen=True, slots=True)
class JupyterEvents:
    """Hands changes to this server's event bus. Each server has one of its own, with its own listeners."""

    bus: EventBus

    @property
    def is_local(self) -> bool:
        """Yes: a bus is not durable, and no other process reaches this one."""
        return True

    def deliver(self, changes: Sequence[Change]) -> None:
        """Emit one event for each."""
        for change in changes:
            self.bus(SCHEMA, {"seq": change.seq, "urn": change.urn})

    def close(self) -> None:
        """Nothing is kept open."""
