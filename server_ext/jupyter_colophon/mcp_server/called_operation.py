"""Which operation of the catalog a message calls."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.mcp_server.operation_calls import find_operation
from jupyter_colophon.mcp_server.tools import TOOLS
from jupyter_colophon.operations.operation import Operation

#: The operations of the methods that read entities.
_OPERATIONS_OF_METHODS: Final = {"resources/list": "listEntities", "resources/read": "readEntity"}
_OPERATIONS_OF_TOOLS: Final = {tool.name: tool.operation for tool in TOOLS}


def find_called_operation(body: bytes) -> Operation | None:
    """Return the operation that a message calls; None if it calls none, or is invalid."""
    message: Any = None
    with suppress(MetadataError):
        message = parse_json(body)
    name = _find_operation_name(message) if isinstance(message, Mapping) else None
    return find_operation(name) if name else None


def _find_operation_name(message: Mapping[str, Any]) -> str | None:
    method, parameters = message.get("method"), message.get("params")
    if method == "tools/call" and isinstance(parameters, Mapping):
        return _OPERATIONS_OF_TOOLS.get(str(parameters.get("name")))
    return _OPERATIONS_OF_METHODS.get(str(method))
