"""The routes of all APIs, in the order in which they are matched. Importing this loads every operation."""

from collections.abc import Iterator, Mapping

from jupyter_colophon.http.changes.change_page import ChangePageHandler
from jupyter_colophon.http.changes.change_socket import ChangeSocketHandler
from jupyter_colophon.http.changes.change_sse import ChangeStreamHandler
from jupyter_colophon.http.lazy_routes import Route
from jupyter_colophon.http.mcp.handler import McpHandler
from jupyter_colophon.http.operation_handler import OperationHandler
from jupyter_colophon.mcp_server.http_api import MCP
from jupyter_colophon.operations.api import ApiDefinition
from jupyter_colophon.operations.datahub.api import DATAHUB
from jupyter_colophon.operations.elyra.api import ELYRA
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.openlineage.api import OPENLINEAGE
from jupyter_colophon.operations.v3.api import V3

#: The handlers of operations that are connections, or wait for changes on the event loop, by API and operation.
Handlers = Mapping[str, type[OperationHandler | ChangeSocketHandler]]
_NATIVE_HANDLERS: Handlers = {
    "readChanges": ChangePageHandler,
    "streamChanges": ChangeStreamHandler,
    "followChanges": ChangeSocketHandler,
}
_V3_HANDLERS: Handlers = {"v3ReadChanges": ChangePageHandler, "v3StreamChanges": ChangeStreamHandler}


def list_server_routes(*, elyra: bool) -> list[Route]:
    """Return every route of a server; with `elyra`, including Elyra's API."""
    # Before DataHub's, whose prefix contains OpenLineage's.
    return [
        *list_api_routes(NATIVE, _NATIVE_HANDLERS),
        *list_api_routes(V3, _V3_HANDLERS),
        *list_api_routes(OPENLINEAGE, {}),
        *list_api_routes(DATAHUB, {}),
        *list_api_routes(MCP, {"exchangeMessage": McpHandler}),
        *(list_api_routes(ELYRA, {}) if elyra else ()),
    ]


def list_api_routes(api: ApiDefinition, handlers: Handlers) -> Iterator[Route]:
    """Yield the routes of an API; the last one handles unknown paths."""
    for pattern, operations in api.list_path_patterns():
        handler = next(
            (handlers[operation.id] for operation in operations.values() if operation.id in handlers), OperationHandler
        )
        yield pattern, handler, {"api": api, "operations": operations}
    if api.unknown:
        yield api.prefix + api.unknown, OperationHandler, {"api": api, "operations": {}}
