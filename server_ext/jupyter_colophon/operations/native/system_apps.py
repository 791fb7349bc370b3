"""The system applications of installed packages (docs/how-to/write-an-application.md)."""

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

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
