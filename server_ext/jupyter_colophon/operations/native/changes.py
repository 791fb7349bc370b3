"""The change log: a page of it, a stream of events, and a WebSocket."""

from typing import Final

from jupyter_colophon.core.errors import LogCompacted, TooManyConnections
from jupyter_colophon.operations import change_log
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import text
from jupyter_colophon.operations.request import Changes, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import NAMESPACE, TYPE

_URN = text("urn", "Return only changes of this entity.", format="colophon-urn")
_FILTERS = (NAMESPACE, _URN, TYPE)
#: The form of changes here; CDAP's are those of `/v3`.
_FORM: Final = "change"


@operation(
    "readChanges",
    "GET /changes",
    parameters=[change_log.AFTER, change_log.LIMIT, change_log.WAIT, *_FILTERS],
    answers="changes",
    errors=[LogCompacted, TooManyConnections],
)
def read_changes(services: Services, request: Request) -> Changes:
    """List the changes after a sequence number; with `waitSeconds`, long-poll for them; `limit=0` returns only the current cursor."""
    return Changes(
        _filters(request), _FORM, request[change_log.AFTER], request[change_log.LIMIT], request[change_log.WAIT]
    )


@operation(
    "streamChanges",
    "GET /changes/stream",
    parameters=[change_log.START, change_log.RESUMED, *_FILTERS],
    answers={200: change_log.EVENTS},
    errors=[LogCompacted, TooManyConnections],
    content_type=change_log.EVENT_STREAM,
)
def stream_changes(services: Services, request: Request) -> Changes:
    """Stream changes as server-sent events."""
    return Changes(_filters(request), _FORM, change_log.start(request))


@operation(
    "followChanges",
    "GET /changes/ws",
    parameters=[change_log.START, *_FILTERS],
    answers={101: "message"},
    permission="execute",
)
def follow_changes(services: Services, request: Request) -> Changes:
    """Stream changes over a WebSocket: first `hello` with the head of the change log, then each change."""
    return Changes(_filters(request), _FORM, change_log.position(request[change_log.START], change_log.START.name))


def _filters(request: Request) -> dict[str, str]:
    return {one.name: value for one in _FILTERS if (value := request[one])}
