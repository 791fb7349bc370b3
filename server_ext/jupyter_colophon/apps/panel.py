"""A panel: a tab in JupyterLab that an application provides as a web module."""

import re
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.apps.panel_files import PanelFiles, read_panel_files
from jupyter_colophon.core.access import Permission

#: The length of a title.
_TITLE_MAX: Final = 80
_ID: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}")
#: The names of icons in JupyterLab, such as `ui-components:table-rows`.
_ICON: Final = re.compile(r"[A-Za-z0-9_.-]+:[A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel of an application. With `contexts`, users choose a namespace in it."""

    id: str
    title: str
    icon: str
    contexts: bool
    #: What a caller needs in the namespace `system`; None for any caller.
    permission: Permission | None
    files: PanelFiles


def create_panel(
    panel_id: str, title: str, module: str, icon: str, permission: Permission | None, *, contexts: bool
) -> Panel:
    """Read the files of a panel, and return it. Raises ValueError for what is invalid."""
    if not _ID.fullmatch(panel_id):
        raise ValueError(f"{panel_id!r} is not a valid id of a panel: use letters, digits, _ and -")
    if not 0 < len(title.strip()) <= _TITLE_MAX:
        raise ValueError(f"the panel {panel_id} needs a title of at most {_TITLE_MAX} characters")
    if icon and not _ICON.fullmatch(icon):
        raise ValueError(
            f"{icon!r} of the panel {panel_id} is not the name of an icon in JupyterLab, such as ui-components:table-rows"
        )
    needed = permission or (None if contexts else "read")
    return Panel(panel_id, title.strip(), icon, contexts, needed, read_panel_files(module))
