"""This server's event bus, for sinks that hand changes to it."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.package_data import schemas_dir

if TYPE_CHECKING:
    from jupyter_colophon.relay.sink_protocol import EventBus


def bus(serverapp: Any) -> "EventBus":
    """What emits on the server's bus, from any thread. Our schemas are registered with the first event."""
    known: set[str] = set()

    def emit(schema: str, data: Mapping[str, Any]) -> None:
        if schema not in known:
            known.add(schema)
            _register(serverapp.event_logger)
        serverapp.event_logger.emit(schema_id=schema, data=dict(data))

    def later(schema: str, data: Mapping[str, Any]) -> None:
        serverapp.io_loop.add_callback(emit, schema, data)

    return later


def _register(logger: Any) -> None:
    for path in sorted((schemas_dir() / "events").glob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        if document["$id"] not in logger.schemas:
            # Jupyter's own rules for schemas know neither of these.
            logger.register_event_schema(
                {key: told for key, told in document.items() if key not in ("$schema", "examples")}
            )
