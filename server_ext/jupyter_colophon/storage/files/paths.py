"""The folders of a schemaspace; the first one is written (spec INST-9)."""

import os
import re
from pathlib import Path

from jupyter_core import paths

from jupyter_colophon.core.errors import InvalidName

#: Folders before all others, separated as in PATH; the first of them is then the one that is written.
PATH_VARIABLE = "ELYRA_METADATA_PATH"

_SPACE = re.compile(r"[A-Za-z]([0-9A-Za-z_-]{0,198}[0-9A-Za-z])?\Z")


def list_data_folders() -> list[Path]:
    """Return the data folders that may have metadata: ELYRA_METADATA_PATH, the user's (`JUPYTER_DATA_DIR` is
    respected), the machine's, then that of this Python environment ("factory" instances). The order differs from
    Jupyter's.
    """
    configured = [entry for entry in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if entry.strip()]
    folders = [*configured, paths.jupyter_data_dir(), *paths.SYSTEM_JUPYTER_PATH, *paths.ENV_JUPYTER_PATH]
    return list(dict.fromkeys(Path(entry) for entry in folders))


def list_space_folders(space: str) -> list[Path]:
    """Return the folders of one schemaspace, existing or not; the first one is written.

    Raises InvalidName for an invalid schemaspace name, since it becomes the name of a folder.
    """
    if not _SPACE.match(space):
        raise InvalidName("schemaspace name", space, "use letters, digits, - and _, beginning with a letter")
    return [folder / "metadata" / space.lower() for folder in list_data_folders()]
