"""The files of panels of system applications: `…/namespaces/system/apps/{app}/panels/{panel}/{version}/{file}`."""

from typing import Final

from jupyter_colophon.core.errors import InvalidName, NotFound, SystemAppStopped, SystemAppUnavailable
from jupyter_colophon.operations.operation import ANY_TYPE, declare_operation
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3.paths import split_path

#: The number of segments before the path of the file.
_SEGMENTS_BEFORE: Final = 7
#: The version is in the path, so a file never changes.
_CACHE_CONTROL: Final = "private, max-age=31536000, immutable"


@declare_operation(
    "v3ReadAppPanelFile",
    "GET /namespaces/system/apps/{app}/panels/{panel}/{version}/{file}",
    decided_by="entities",
    answers={200: {"description": "The file."}},
    errors=[InvalidName, NotFound, SystemAppStopped, SystemAppUnavailable],
    etag=True,
    content_type=ANY_TYPE,
)
def read_app_panel_file(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Read a file of a panel of a system application."""
    from jupyter_colophon.apps.panel_access import PanelAccess

    access = PanelAccess(services.get_system_apps(), request.principal)
    path = "/".join(split_path(request)[_SEGMENTS_BEFORE:])
    file = access.read_file(request.path["app"], request.path["panel"], request.path["version"], path)
    headers = {"Content-Type": file.content_type, "Cache-Control": _CACHE_CONTROL}
    return OperationAnswer(file.content, etag=f'"{file.digest}"', headers=headers)
