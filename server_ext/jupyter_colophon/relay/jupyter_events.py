"""Changes as Jupyter events, for other extensions: only the number and the entity, without content.

Jupyter sends every event to all listeners (spec WRITE-21): a listener that needs more sends a request, which is authorised.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidConfiguration, quote_and_truncate_text
from jupyter_colophon.relay.sink_protocol import EventBus, SinkContext

#: The `$id` of `schemas/events/change.json`.
SCHEMA: Final = "urn:jupyter-colophon:events:change:v1"


def create(context: SinkContext) -> "JupyterEvents":
    """Create the sink, which has no options. Raises InvalidConfiguration."""
    for name in context.options:
        raise InvalidConfiguration(f"unknown option {quote_and_truncate_text(str(name))}")
    return JupyterEvents(context.bus)


@dataclass(frozen=True, slots=True)
class JupyterEvents:
    """Emit changes on this server's event bus. Each server has its own bus, with its own listeners."""

    bus: EventBus

    @property
    def is_local(self) -> bool:
        """Return True: a bus is not durable, and belongs to one process."""
        return True

    def deliver(self, changes: Sequence[Change]) -> None:
        """Emit an event for each change."""
        for change in changes:
            self.bus(SCHEMA, {"seq": change.seq, "urn": change.urn})

    def close(self) -> None:
        """Do nothing: there are no connections."""
