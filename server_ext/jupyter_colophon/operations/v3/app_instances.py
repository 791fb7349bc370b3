"""How many processes run a service of a system application: `…/services/{service}/instances`."""

from typing import Any, Final

from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.errors import NotFound, SystemAppStopped, SystemAppUnavailable
from jupyter_colophon.operations.admin_access import build_admin_check
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.requested_instances import REQUESTED_INSTANCES
from jupyter_colophon.operations.services import ProcessServices

_PATH: Final = "/namespaces/system/apps/{app}/services/{service}/instances"
_ERRORS: Final = (NotFound, SystemAppStopped, SystemAppUnavailable)
_ANSWER: Final[dict[str, Any]] = {
    "description": "How many instances of the service are requested and run.",
    "type": "object",
    "properties": {
        "instances": {"type": "integer", "description": "The same as `requested`."},
        "requested": {"type": "integer", "description": "The number in all servers of the store together."},
        "provisioned": {
            "type": "integer",
            "description": "The processes that run in all servers; 1 for a service on threads of its server.",
        },
    },
    "required": ["instances", "requested", "provisioned"],
    "additionalProperties": False,
}
_require_admin = build_admin_check("scale", "system applications")


@declare_operation(
    "v3GetServiceInstances",
    f"GET {_PATH}",
    decided_by="admin",
    access=_require_admin,
    answers={200: _ANSWER},
    errors=_ERRORS,
)
def get_service_instances(services: ProcessServices, request: OperationRequest) -> Document:
    """Read how many instances of a service of a system application are requested, and run."""
    apps = services.get_system_apps()
    return to_api_document(apps.read_instances(request.path["app"], request.path["service"]))


@declare_operation(
    "v3SetServiceInstances",
    f"PUT {_PATH}",
    decided_by="admin",
    access=_require_admin,
    body={"application/json": REQUESTED_INSTANCES},
    answers={200: _ANSWER},
    errors=_ERRORS,
)
def set_service_instances(services: ProcessServices, request: OperationRequest) -> Document:
    """Run a service of a system application in a number of worker processes, which then start or end."""
    apps = services.get_system_apps()
    number = request.body["instances"]
    return to_api_document(apps.set_instances(request.path["app"], request.path["service"], number))
