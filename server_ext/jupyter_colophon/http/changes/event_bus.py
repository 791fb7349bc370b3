"""This server's event bus, for sinks that emit changes on it."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.package_data import find_schemas_dir

if TYPE_CHECKING:
    from jupyter_colophon.relay.sink_protocol import EventBus


def create_event_emitter(serverapp: Any) -> "EventBus":
    """Return a function that emits on the server's bus, from any thread. Schemas are registered with the first event."""
    registered: set[str] = set()

    def emit(schema: str, data: Mapping[str, Any]) -> None:
        if schema not in registered:
            registered.add(schema)
            _register_event_schemas(serverapp.event_logger)
        serverapp.event_logger.emit(schema_id=schema, data=dict(data))

    def emit_later(schema: str, data: Mapping[str, Any]) -> None:
        serverapp.io_loop.add_callback(emit, schema, data)

    return emit_later


def _register_event_schemas(logger: Any) -> None:
    for path in sorted((find_schemas_dir() / "events").glob("*.json")):
        document = json.loads(path.read_text("utf-8"))
        if document["$id"] not in logger.schemas:
            # Jupyter's meta-schema allows neither of these members.
            logger.register_event_schema(
                {key: value for key, value in document.items() if key not in ("$schema", "examples")}
            )
