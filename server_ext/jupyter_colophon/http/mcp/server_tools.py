"""The tools as functions for `jupyter-server-mcp`, which finds them by its entry point `jupyter_server_mcp.tools`.

Its port has no authentication, so these tools only read, as the account that runs the server (spec SEC-21).
"""

import asyncio
from collections.abc import Awaitable, Callable
from inspect import Parameter, Signature
from typing import Annotated, Any, Final, Literal

from jupyter_server.serverapp import ServerApp

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import StoreUnavailable
from jupyter_colophon.http.load_shedding import find_request_kind
from jupyter_colophon.http.state import SETTING, ServerState, get_account_name
from jupyter_colophon.mcp_server.arguments import build_input_schema
from jupyter_colophon.mcp_server.error_text import format_and_log_error
from jupyter_colophon.mcp_server.operation_calls import find_operation
from jupyter_colophon.mcp_server.tool import Tool
from jupyter_colophon.mcp_server.toolbox import Toolbox
from jupyter_colophon.mcp_server.tools import TOOLS
from jupyter_colophon.operations.in_process import InProcessCaller
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.request import Document

_TYPES: Final = {"string": str, "integer": int, "boolean": bool}
_READ_ONLY: Final = "assistants of jupyter-server-mcp can only read the catalog"


def list_specifications() -> list[str]:
    """Return the tools as `module:function`; none where the extension is not loaded, has no catalog of its own, or `mcp_access` is off."""
    state = _get_server_state()
    if state is None or state.shared_catalog is not None or state.settings.mcp_access == "off":
        return []
    return [f"{__name__}:{tool.name}" for tool in TOOLS if not tool.writes]


def __getattr__(name: str) -> Callable[..., Awaitable[Document]]:
    """Return the function of a tool. Raises AttributeError."""
    tool = next((item for item in TOOLS if item.name == name and not item.writes), None)
    if tool is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _create_tool_function(tool)


def _create_tool_function(tool: Tool) -> Callable[..., Awaitable[Document]]:
    """Return a function whose signature has the tool's arguments, with their types and descriptions."""

    async def call(**arguments: Any) -> Document:
        state = _get_server_state()
        if state is None or state.closed:
            raise StoreUnavailable("the server is stopping: try again when it has restarted")
        principal = Principal(get_account_name(), scopes=frozenset({"read"}))
        toolbox = Toolbox(InProcessCaller(state, principal, NATIVE), _READ_ONLY)
        values = {name: value for name, value in arguments.items() if value is not None}
        try:
            state.require_capacity(find_request_kind(find_operation(tool.operation)))
            work = state.query_pool.submit_work(principal.user, lambda: toolbox.call_tool(tool.name, values))
            answer = await asyncio.wrap_future(work)
        except Exception as error:  # noqa: BLE001  an assistant gets every error as text
            # The caller has already imported it; it logs errors of other classes with a traceback.
            from fastmcp.exceptions import ToolError

            raise ToolError(format_and_log_error(error)) from None
        return answer.document | ({"notes": list(answer.notes)} if answer.notes else {})

    parameters = [
        _create_tool_parameter(name, schema, tool) for name, schema in build_input_schema(tool)["properties"].items()
    ]
    call.__name__ = call.__qualname__ = tool.name
    call.__doc__ = tool.description
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters} | {
        "return": dict[str, Any]
    }
    vars(call)["__signature__"] = Signature(parameters, return_annotation=dict[str, Any])
    return call


def _create_tool_parameter(name: str, schema: Document, tool: Tool) -> Parameter:
    kind: Any = Literal[tuple(schema["enum"])] if "enum" in schema else _TYPES[schema["type"]]
    if name in build_input_schema(tool)["required"]:
        return Parameter(name, Parameter.KEYWORD_ONLY, annotation=Annotated[kind, schema["description"]])
    annotation = Annotated[kind | None, schema["description"]]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=schema.get("default"), annotation=annotation)


def _get_server_state() -> ServerState | None:
    if not ServerApp.initialized():
        return None
    state: ServerState | None = ServerApp.instance().web_app.settings.get(SETTING)
    return state
