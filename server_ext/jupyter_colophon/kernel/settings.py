"""The settings of the kernel, from the environment that the provisioner sets."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.capture.executed_notebook import read_parameters
from jupyter_colophon.client.transport import ServerAddress
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, NO_NOTEBOOK

_ON, _OFF = frozenset({"1", "on", "true", "yes"}), frozenset({"0", "off", "false", "no"})


@dataclass(frozen=True, slots=True)
class KernelSettings:
    """The server (None if unknown), and the notebook and kernel of this process."""

    server: ServerAddress | None
    token: str = field(repr=False)
    notebook: str
    kernel: str
    namespace: str
    #: Whether Spark sessions and libraries are captured.
    capture: bool = True
    #: The libraries that are not captured.
    uncaptured: frozenset[str] = frozenset()
    #: Whether the source of cells is recorded.
    record_cell_source: bool = False
    #: Whether cells that write confidential columns to unmarked data get a notice.
    warns_of_confidential: bool = True
    #: Whether frames that cells write are profiled.
    profiles_writes: bool = False
    #: The parameters with which a program executes the notebook.
    parameters: Mapping[str, str] = field(default_factory=dict)
    #: Whether a program executes the notebook, and stops at the first cell that fails.
    stops_on_error: bool = False
    #: The run of the command that started this kernel; "" if none did.
    command_run: str = ""
    #: Whether the environment does not name the notebook of this kernel.
    is_notebook_unknown: bool = False

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "KernelSettings":
        """Read COLOPHON_URL, COLOPHON_TOKEN, COLOPHON_NOTEBOOK (path below the server's root), COLOPHON_KERNEL and
        COLOPHON_NAMESPACE (that of notebooks), COLOPHON_NOTEBOOK_PARAMETERS (a JSON object), COLOPHON_NOTEBOOK_STOPS (`1`), COLOPHON_RUN_ID, COLOPHON_CAPTURE (`0`: nothing is captured; `-pandas,-spark`: all but these) COLOPHON_CELL_SOURCE
        (`1`: the source of cells is recorded), COLOPHON_CONFIDENTIAL_WARNINGS (`0`: none) and COLOPHON_WRITE_PROFILES (`1`: what cells write is profiled).

        Raises:
            ValueError: COLOPHON_URL is not a valid URL of a server.
        """
        url, token = environ.get("COLOPHON_URL", ""), environ.get("COLOPHON_TOKEN", "")
        return cls(
            server=ServerAddress(url, token) if url else None,
            token=token,
            notebook=environ.get("COLOPHON_NOTEBOOK") or NO_NOTEBOOK,
            kernel=environ.get("COLOPHON_KERNEL") or f"pid-{os.getpid()}",
            namespace=environ.get("COLOPHON_NAMESPACE") or DEFAULT_NAMESPACE,
            uncaptured=frozenset(_list_excluded(environ.get("COLOPHON_CAPTURE", ""))),
            capture=environ.get("COLOPHON_CAPTURE", "").strip().lower() not in _OFF,
            record_cell_source=environ.get("COLOPHON_CELL_SOURCE", "").strip().lower() in _ON,
            warns_of_confidential=environ.get("COLOPHON_CONFIDENTIAL_WARNINGS", "").strip().lower() not in _OFF,
            profiles_writes=environ.get("COLOPHON_WRITE_PROFILES", "").strip().lower() in _ON,
            parameters=read_parameters(environ),
            stops_on_error=bool(environ.get("COLOPHON_NOTEBOOK_STOPS")),
            command_run=environ.get("COLOPHON_RUN_ID", ""),
            is_notebook_unknown=not environ.get("COLOPHON_NOTEBOOK") and not environ.get("COLOPHON_KERNEL"),
        )


def _list_excluded(text: str) -> list[str]:
    """Return the names that follow a minus sign: `-pandas,-spark`."""
    return [word.strip()[1:].lower() for word in text.split(",") if word.strip().startswith("-")]
