"""The environment variables by which a command and its processes know of each other."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final

from jupyter_colophon.capture.adapters import GROUP, SHIPPED

STARTUP_FOLDER: Final = Path(__file__).parent / "startup"
#: What also starts the capture of a process: declarations of accesses, and workers whose accesses belong to its run.
_OTHERS: Final = ("jupyter_colophon.metadata", "multiprocessing")
#: Modules of these packages are imported by any program.
_STANDARD: Final = frozenset({"concurrent", "threading"})


@dataclass(frozen=True, slots=True)
class CommandEnvironment:
    """What the processes of a command know of it: its run, its process, and the folder where it was started."""

    run_id: str
    process: int
    folder: Path

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "CommandEnvironment":
        """Read the variables of this process. Raises LookupError, ValueError."""
        return cls(
            environ["COLOPHON_RUN_ID"], int(environ["COLOPHON_RUN_PROCESS"]), Path(environ["COLOPHON_RUN_FOLDER"])
        )

    def build_environ(self, environ: Mapping[str, str], url: str) -> dict[str, str]:
        """Return the environment of the command; `url` is that of the server, "" if there is none."""
        path = [str(STARTUP_FOLDER), *filter(None, [environ.get("PYTHONPATH", "")])]
        own = {
            "COLOPHON_RUN_ID": self.run_id,
            "COLOPHON_RUN_PROCESS": str(self.process),
            "COLOPHON_RUN_FOLDER": str(self.folder),
            "COLOPHON_RUN_LIBRARIES": " ".join(_list_library_names()),
            "PYTHONPATH": os.pathsep.join(path),
        }
        inherited = {name: value for name, value in environ.items() if not name.startswith("COLOPHON_RUN_")}
        return inherited | own | ({"COLOPHON_URL": url} if url else {})


def _list_library_names() -> list[str]:
    names = {*SHIPPED, *(entry_point.name for entry_point in entry_points(group=GROUP))}
    return sorted({name for name in names if name.partition(".")[0] not in _STANDARD} | {*_OTHERS})
