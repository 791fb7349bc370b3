"""The state of a write that was answered before it was done."""

import re
from typing import Any, Final

from jupyter_colophon.core.datahub.mcp import parse_urn_at
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.errors import InvalidName, NotFound
from jupyter_colophon.operations.datahub import body_schemas
from jupyter_colophon.operations.operation import JSON, declare_operation
from jupyter_colophon.operations.parameter import declare_flag
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.service.datahub.trace import TracedWrite

_TRACE: Final = re.compile("[0-9a-f]{32}")
_ERRORS: Final = declare_flag("onlyIncludeErrors", "Return only aspects with errors.")
_DETAILED: Final = declare_flag("detailed", "Accepted and ignored.")
_SKIP_CACHE: Final = declare_flag("skipCache", "Accepted and ignored.")
_ASPECTS: Final = {
    "type": "object",
    "description": "The names of aspects by URN.",
    "additionalProperties": body_schemas.declare_list_schema(body_schemas.TEXT, maxItems=1_000),
    "maxProperties": 1_000,
}


@declare_operation(
    "traceWrite",
    "POST /openapi/v1/trace/write/{id}",
    decided_by="entities",
    parameters=[_ERRORS, _DETAILED, _SKIP_CACHE],
    body={JSON: _ASPECTS},
    answers={200: {"type": "object", "additionalProperties": body_schemas.ANY}},
    errors=[NotFound, InvalidName],
    permission="read",
)
def read_states_of_write(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the states of the aspects of a write."""
    trace = request.path["id"]
    if not _TRACE.fullmatch(trace):
        raise NotFound("trace", trace)
    urns = {sent: parse_urn_at(sent, format_pointer([sent])) for sent in request.body}
    spelled = {str(urn): sent for sent, urn in urns.items()}
    aspects = {urn: request.body[sent] for sent, urn in urns.items()}
    states_by_urn = services.get_or_open_catalog().datahub.tracer.read_write_states(trace, aspects, request.principal)
    errors_only = request[_ERRORS]
    return {
        spelled[urn]: {
            name: _render_write_state(state)
            for name, state in states.items()
            if state.state == "ERROR" or not errors_only
        }
        for urn, states in states_by_urn.items()
    }


def _render_write_state(traced: TracedWrite) -> dict[str, Any]:
    # The search index is written with the aspect.
    status: dict[str, Any] = {"writeStatus": traced.state}
    if traced.reason:
        status["writeExceptions"] = [{"message": traced.reason}]
    return {
        "success": traced.state != "ERROR",
        "primaryStorage": status,
        "searchStorage": {"writeStatus": traced.state},
    }
