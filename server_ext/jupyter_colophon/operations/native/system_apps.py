"""The system applications of installed packages (docs/how-to/write-an-application.md)."""

from typing import Final

from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import NotFound, SystemAppEnabled, SystemAppStopped, SystemAppUnavailable
from jupyter_colophon.core.system_app_log import LOG_LEVELS, AppLogFilter
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.change_log import parse_sequence_number
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import DIGITS_MAX, declare_choice, declare_text, declare_time
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.requested_instances import REQUESTED_INSTANCES
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import LIMIT

_AFTER: Final = declare_text("after", "Return only records after the one with this number.", pattern="^[0-9]{0,18}$")
_LEVEL: Final = declare_choice("level", "Return only records of this level or a higher one.", *LOG_LEVELS)
_SINCE: Final = declare_time("since", "Return only records from this time on.")
_require_admin = build_admin_check("manage", "system applications")


@declare_operation(
    "listSystemApps", "GET /system-apps", answers="system-apps", decided_by="admin", access=_require_admin
)
def list_system_apps(services: ProcessServices, request: OperationRequest) -> Document:
    """List the system applications with their states, after they have loaded or failed."""
    return {"systemApps": to_api_documents(services.get_system_apps().list_states())}


@declare_operation("listAppPanels", "GET /system-apps/panels", answers="app-panels", decided_by="entities")
def list_app_panels(services: ProcessServices, request: OperationRequest) -> Document:
    """List the panels of running system applications that the caller may use."""
    from jupyter_colophon.apps.panel_access import PanelAccess

    return {"panels": to_api_documents(PanelAccess(services.get_system_apps(), request.principal).list_panels())}


@declare_operation(
    "listSystemAppLogs",
    "GET /system-apps/{app}/logs",
    parameters=[_AFTER, _LEVEL, _SINCE, LIMIT],
    answers="system-app-logs",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def list_system_app_logs(services: ProcessServices, request: OperationRequest) -> Document:
    """List the newest log records of a system application, or those after a number; oldest first."""
    after = parse_sequence_number(request[_AFTER], _AFTER.name)
    filter_ = AppLogFilter(request[_LEVEL], request[_SINCE])
    records = services.get_system_apps().list_log_records(request.path["app"], after, request[LIMIT], filter_)
    return {"records": to_api_documents(records), "cursor": records[-1].seq if records else after or 0}


@declare_operation(
    "enableSystemApp",
    "POST /system-apps/{app}/enable",
    answers="system-app",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def enable_system_app(services: ProcessServices, request: OperationRequest) -> Document:
    """Enable a system application in all processes, and load it again if it has failed."""
    return to_api_document(services.get_system_apps().set_enabled(request.path["app"], enabled=True))


@declare_operation(
    "disableSystemApp",
    "POST /system-apps/{app}/disable",
    answers="system-app",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def disable_system_app(services: ProcessServices, request: OperationRequest) -> Document:
    """Disable a system application in all processes: its calls are refused, and its tables are kept."""
    return to_api_document(services.get_system_apps().set_enabled(request.path["app"], enabled=False))


@declare_operation(
    "dropSystemAppTables",
    "DELETE /system-apps/{app}/tables",
    answers="system-app",
    errors=[NotFound, SystemAppEnabled],
    decided_by="admin",
    access=_require_admin,
)
def drop_system_app_tables(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete the tables, files, cursors, schedules and events of a system application that is disabled or not installed.

    The answer lists the tables that are still to be deleted, in the background.
    """
    return to_api_document(services.get_system_apps().drop_tables(request.path["app"], request.principal))


@declare_operation(
    "setSystemAppInstances",
    "PUT /system-apps/{app}/services/{service}/instances",
    body={"application/json": REQUESTED_INSTANCES},
    answers="system-app",
    errors=[NotFound, SystemAppStopped, SystemAppUnavailable],
    decided_by="admin",
    access=_require_admin,
)
def set_system_app_instances(services: ProcessServices, request: OperationRequest) -> Document:
    """Run a service of a system application in a number of worker processes, which then start or end."""
    apps, app = services.get_system_apps(), request.path["app"]
    apps.set_instances(app, request.path["service"], request.body["instances"])
    return to_api_document(apps.get_state(app))


@declare_operation(
    "listSystemAppEvents",
    "GET /system-apps/{app}/events",
    answers="system-app-events",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def list_system_app_events(services: ProcessServices, request: OperationRequest) -> Document:
    """List the events that listeners of a system application have not handled, because they failed or wait for others."""
    return {"events": [_render_event(event) for event in services.get_system_apps().list_events(request.path["app"])]}


@declare_operation(
    "retrySystemAppEvent",
    "POST /system-apps/{app}/listeners/{listener}/events/{number}/retry",
    answers="system-app-event",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def retry_system_app_event(services: ProcessServices, request: OperationRequest) -> Document:
    """Let a listener of a system application handle an event once more."""
    return _render_event(services.get_system_apps().retry_event(*_parse_event_key(request)))


@declare_operation(
    "dropSystemAppEvent",
    "DELETE /system-apps/{app}/listeners/{listener}/events/{number}",
    answers="system-app-event",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def drop_system_app_event(services: ProcessServices, request: OperationRequest) -> Document:
    """Drop an event that a listener of a system application cannot handle; it then receives later events of its entity."""
    return _render_event(services.get_system_apps().drop_event(*_parse_event_key(request)))


def _parse_event_key(request: OperationRequest) -> tuple[str, str, int]:
    """Return the application, the listener and the number in a path. Raises NotFound: no other text is a number."""
    number = request.path["number"]
    if not (number.isascii() and number.isdigit() and len(number) <= DIGITS_MAX):
        raise NotFound("event", number)
    return request.path["app"], request.path["listener"], int(number)


def _render_event(event: DeadEvent) -> Document:
    is_due = event.due and not event.parked
    return {
        "app": event.app,
        "listener": event.listener,
        "version": event.version,
        "urn": event.urn,
        "number": event.seq,
        "attempts": event.attempts,
        "due": format_ms_as_iso_time(event.due) if is_due else None,
        "parked": event.parked,
        "problem": event.problem,
        "failed": format_ms_as_iso_time(event.failed) if event.failed else None,
    }
