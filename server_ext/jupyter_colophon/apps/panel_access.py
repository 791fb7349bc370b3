"""The panels of running applications that a caller may use, and their files."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from jupyter_colophon.apps.panel import Panel
from jupyter_colophon.apps.panel_files import PanelFile
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import SYSTEM_NAMESPACE


@dataclass(frozen=True, slots=True)
class UsablePanel:
    """A panel that a caller may use. `module` is the path of its module below the server's base URL."""

    app: str
    id: str
    title: str
    #: The name of an icon in JupyterLab; empty for the default.
    icon: str
    contexts: bool
    #: Changes with any file of the panel.
    version: str
    module: str


@dataclass(frozen=True, slots=True)
class PanelAccess:
    """Lists panels and reads their files for one caller."""

    apps: SystemApps
    principal: Principal

    def list_panels(self) -> Iterator[UsablePanel]:
        """Yield the panels by the name of their application, after those that are starting have loaded or failed."""
        for app, deployment in self.apps.list_running_deployments():
            for panel in deployment.panels.values():
                if self._may_use(panel):
                    yield _describe_panel(app, panel)

    def read_file(self, app: str, panel_id: str, version: str, path: str) -> PanelFile:
        """Return a file of a panel. Raises NotFound, SystemAppUnavailable."""
        _, deployment = self.apps.get_running_deployment(app)
        panel = deployment.panels.get(panel_id)
        if panel is None or not self._may_use(panel):
            raise NotFound("panel", panel_id)
        if version != panel.files.version:
            raise NotFound("version", version)
        if path not in panel.files.files:
            raise NotFound("file", path)
        return panel.files.files[path]

    def _may_use(self, panel: Panel) -> bool:
        if panel.permission is None:
            return True
        control = self.apps.reader.read_policy.access_control
        return control.decide_all(self.principal, panel.permission, SYSTEM_NAMESPACE) is True


def _describe_panel(app: str, panel: Panel) -> UsablePanel:
    files = panel.files
    module = f"colophon/v3/namespaces/system/apps/{quote(app)}/panels/{panel.id}/{files.version}/{quote(files.module)}"
    return UsablePanel(app, panel.id, panel.title, panel.icon, panel.contexts, files.version, module)
