"""The system applications of installed packages (docs/how-to/write-an-application.md)."""

from typing import Final

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import LIMIT

_AFTER: Final = declare_text("after", "Return only records after the one with this number.", pattern="^[0-9]{0,18}$")
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
    parameters=[_AFTER, LIMIT],
    answers="system-app-logs",
    errors=[NotFound],
    decided_by="admin",
    access=_require_admin,
)
def list_system_app_logs(services: ProcessServices, request: OperationRequest) -> Document:
    """List the newest log records of a system application, or those after a number; oldest first."""
    after = request[_AFTER]
    records = services.get_system_apps().list_log_records(
        request.path["app"], int(after) if after else None, request[LIMIT]
    )
    return {"records": to_api_documents(records), "cursor": records[-1].seq if records else int(after or 0)}


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
