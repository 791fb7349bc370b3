"""Where instances are kept: the folders of a schemaspace, the one that is written first (spec INST-9)."""

import os
import re
from pathlib import Path

from jupyter_core import paths

from jupyter_colophon.core.errors import InvalidName

#: More folders before all others, separated as in PATH; the first of them is then the one that is written.
PATH_VARIABLE = "ELYRA_METADATA_PATH"

_SPACE = re.compile(r"[A-Za-z]([0-9A-Za-z_-]{0,198}[0-9A-Za-z])?\Z")


def data_folders() -> list[Path]:
    """The data folders that may hold metadata, each once: ELYRA_METADATA_PATH, the user's (`JUPYTER_DATA_DIR` is
    honoured), the machine's, then that of this Python (its "factory" instances). Not Jupyter's own order."""
    given = [entry for entry in os.environ.get(PATH_VARIABLE, "").split(os.pathsep) if entry.strip()]
    found = [*given, paths.jupyter_data_dir(), *paths.SYSTEM_JUPYTER_PATH, *paths.ENV_JUPYTER_PATH]
    return list(dict.fromkeys(Path(entry) for entry in found))


def space_folders(space: str) -> list[Path]:
    """The folders of one schemaspace, whether they exist or not; the first one is written.

    Raises InvalidName for an invalid schemaspace name, since it becomes the name of a folder.
    """
    if not _SPACE.match(space):
        raise InvalidName("schemaspace name", space, "use letters, digits, - and _, beginning with a letter")
    return [folder / "metadata" / space.lower() for folder in data_folders()]
