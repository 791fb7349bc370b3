"""The MCP server over streamable HTTP, as an API with one operation: `POST /colophon/mcp`, one message a request."""

from collections.abc import Mapping
from http import HTTPStatus
from importlib.util import find_spec
from typing import Any, Final

from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.errors import MalformedBody, NotFound
from jupyter_colophon.mcp_server.access import find_read_only_reason
from jupyter_colophon.mcp_server.toolbox import Toolbox
from jupyter_colophon.operations.api import ApiDefinition, RequestFailure
from jupyter_colophon.operations.in_process import InProcessCaller
from jupyter_colophon.operations.native.api import NATIVE
from jupyter_colophon.operations.operation import JSON, declare_operation
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.settings import Settings

#: Messages are small: they write tags, properties and a description.
_BODY_BYTES_MAX: Final = 1024 * 1024
_INVALID_REQUEST: Final = -32600
_INTERNAL_ERROR: Final = -32603
_MESSAGE: Final = {"type": "object", "description": "A message of JSON-RPC 2.0 (Model Context Protocol)."}
#: The headers that the protocol reads.
_HEADERS: Final = tuple(
    declare_text(name, description, place="header")
    for name, description in (
        ("Accept", "`application/json` must be accepted."),
        ("Content-Type", "`application/json`."),
        ("MCP-Protocol-Version", "The revision of the protocol that the client speaks."),
        ("Mcp-Method", "The method of the message, from revision 2026-07-28 on."),
        ("Mcp-Name", "The tool, resource or prompt of the message, from revision 2026-07-28 on."),
    )
)


@declare_operation(
    "exchangeMessage",
    "POST ",
    decided_by="entities",
    parameters=_HEADERS,
    body={JSON: _MESSAGE},
    answers={200: _MESSAGE, 202: {"type": "null", "description": "The message was a notification: it has no answer."}},
    errors=[NotFound],
    permission="read",
    raw_body=True,
)
def exchange_message(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Answer a message of the Model Context Protocol; nothing is kept for the next one."""
    if services.settings.mcp_access == "off":
        raise NotFound("MCP server", "colophon", "the setting c.Colophon.mcp_access is off")
    if find_spec("mcp") is None:
        raise NotFound("MCP server", "colophon", "install jupyter-colophon[mcp]")
    _require_single_message(request.body)
    # The SDK takes half a second to load.
    from jupyter_colophon.mcp_server.transports import answer_http

    reason = find_read_only_reason(services.settings.mcp_access, request.principal)
    toolbox = Toolbox(InProcessCaller(services, request.principal, NATIVE), reason)
    headers = [(header.name, request[header]) for header in _HEADERS if header.name.lower() in request.headers]
    status, body = answer_http(toolbox, headers, request.body)
    return OperationAnswer(body, status)


def _require_single_message(body: bytes) -> None:
    """Raise MalformedBody, TooLarge unless this is one message."""
    message = parse_json(body)
    if not isinstance(message, dict):
        raise MalformedBody("the body must be one JSON-RPC message, an object: batches are not supported")
    if message.get("jsonrpc") != "2.0":
        raise MalformedBody('the member jsonrpc must be "2.0"')
    if not isinstance(message.get("method"), str):
        raise MalformedBody("the member method must be a string: this server sends no requests to answer")
    if "id" in message and (isinstance(message["id"], bool) or not isinstance(message["id"], str | int)):
        raise MalformedBody("the member id must be a string or a whole number")
    if not isinstance(message.get("params", {}), dict):
        raise MalformedBody("the member params must be an object")


def _read_max_body_bytes(settings: Settings) -> int:
    return min(settings.max_body_bytes, _BODY_BYTES_MAX)


def _render_error_without_id(failure: RequestFailure) -> Mapping[str, Any]:
    """Return an error that answers no message: it has no id."""
    reason = failure.error.detail if failure.error is not None else failure.message or failure.reason
    code = _INTERNAL_ERROR if failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR else _INVALID_REQUEST
    return {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": reason}}


MCP: Final = ApiDefinition(
    title="Jupyter Colophon: Model Context Protocol",
    summary="Tools, resources and a prompt for assistants.",
    prefix="/colophon/mcp",
    operations=(exchange_message,),
    error_document=_render_error_without_id,
    error_schema=_MESSAGE,
    max_body_bytes=_read_max_body_bytes,
    unknown="",
)
