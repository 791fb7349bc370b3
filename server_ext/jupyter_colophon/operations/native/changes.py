"""The change log: a page of it, a stream of events, and a WebSocket."""

from typing import Final

from jupyter_colophon.core.errors import LogCompacted, TooManyConnections
from jupyter_colophon.operations import change_log
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.operations.request import ChangesAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import NAMESPACE, TYPE

_URN = declare_text("urn", "Return only changes of this entity.", format="colophon-urn")
_FILTERS = (NAMESPACE, _URN, TYPE)
#: The form of changes here; CDAP's are those of `/v3`.
_FORM: Final = "change"


@declare_operation(
    "readChanges",
    "GET /changes",
    decided_by="entities",
    parameters=[change_log.AFTER, change_log.LIMIT, change_log.WAIT, *_FILTERS],
    answers="changes",
    errors=[LogCompacted, TooManyConnections],
)
def read_changes(services: ProcessServices, request: OperationRequest) -> ChangesAnswer:
    """List the changes after a sequence number; with `waitSeconds`, long-poll for them; `limit=0` returns only the current cursor."""
    return ChangesAnswer(
        _parse_change_filters(request),
        _FORM,
        request[change_log.AFTER],
        request[change_log.LIMIT],
        request[change_log.WAIT],
    )


@declare_operation(
    "streamChanges",
    "GET /changes/stream",
    decided_by="entities",
    parameters=[change_log.START, change_log.RESUMED, *_FILTERS],
    answers={200: change_log.EVENTS},
    errors=[LogCompacted, TooManyConnections],
    content_type=change_log.EVENT_STREAM,
)
def stream_changes(services: ProcessServices, request: OperationRequest) -> ChangesAnswer:
    """Stream changes as server-sent events."""
    return ChangesAnswer(_parse_change_filters(request), _FORM, change_log.parse_stream_start(request))


@declare_operation(
    "followChanges",
    "GET /changes/ws",
    decided_by="entities",
    parameters=[change_log.START, *_FILTERS],
    answers={101: "message"},
    permission="execute",
)
def follow_changes(services: ProcessServices, request: OperationRequest) -> ChangesAnswer:
    """Stream changes over a WebSocket: first `hello` with the head of the change log, then each change."""
    return ChangesAnswer(
        _parse_change_filters(request),
        _FORM,
        change_log.parse_sequence_number(request[change_log.START], change_log.START.name),
    )


def _parse_change_filters(request: OperationRequest) -> dict[str, str]:
    return {filter_.name: value for filter_ in _FILTERS if (value := request[filter_])}
