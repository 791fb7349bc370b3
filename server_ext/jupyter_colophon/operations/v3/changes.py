"""Changes of a namespace's metadata as CDAP announces them: pages, long poll, events."""

from typing import Final

from jupyter_colophon.core.changes.change_formatter import FORMS
from jupyter_colophon.core.errors import InvalidName, LogCompacted, NotFound, TooManyConnections
from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.operations import change_log
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_choice, declare_count
from jupyter_colophon.operations.request import ChangesAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import LIMIT_MAX

_FORM: Final = declare_choice(
    "format", "Metadata change records, audit messages, or changes of the native API.", *FORMS, default="record"
)
#: As in other lists of this API, a larger value is not an error.
_LIMIT: Final = declare_count(
    "limit", "Maximum number of changes; 0 returns only the current cursor.", default=100, minimum=0, maximum=LIMIT_MAX
)
_PAGE: Final = {
    "type": "object",
    "properties": {"cursor": {"type": "integer"}, "changes": {"type": "array", "items": {"type": "object"}}},
    "required": ["cursor", "changes"],
}
_ERRORS: Final = (NotFound, InvalidName, LogCompacted, TooManyConnections)


@declare_operation(
    "v3ReadChanges",
    "GET /namespaces/{namespace}/metadata/changes",
    decided_by="entities",
    parameters=[change_log.AFTER, _LIMIT, change_log.WAIT, _FORM],
    answers={200: _PAGE},
    errors=_ERRORS,
)
def read_changes(services: ProcessServices, request: OperationRequest) -> ChangesAnswer:
    """List the records after a cursor; with `waitSeconds`, long-poll for them; `limit=0` returns only the current cursor."""
    filters = _parse_namespace_filter(services, request)
    return ChangesAnswer(filters, request[_FORM], request[change_log.AFTER], request[_LIMIT], request[change_log.WAIT])


@declare_operation(
    "v3StreamChanges",
    "GET /namespaces/{namespace}/metadata/changes/stream",
    decided_by="entities",
    parameters=[change_log.START, change_log.RESUMED, _FORM],
    answers={200: change_log.EVENTS},
    errors=_ERRORS,
    content_type=change_log.EVENT_STREAM,
)
def stream_changes(services: ProcessServices, request: OperationRequest) -> ChangesAnswer:
    """Stream records of changes as server-sent events."""
    return ChangesAnswer(
        _parse_namespace_filter(services, request), request[_FORM], change_log.parse_stream_start(request)
    )


def _parse_namespace_filter(services: ProcessServices, request: OperationRequest) -> dict[str, str]:
    """Return the filter for the namespace in the path. Raises NotFound, InvalidName."""
    name = request.path["namespace"]
    services.get_or_open_catalog().metadata.require_entity_in_namespace(make_namespace_urn(name), "", request.principal)
    return {"namespace": name}
