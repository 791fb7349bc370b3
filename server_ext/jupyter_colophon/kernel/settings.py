"""The settings of the kernel, from the environment that the provisioner sets."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

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

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "KernelSettings":
        """Read COLOPHON_URL, COLOPHON_TOKEN, COLOPHON_NOTEBOOK (path below the server's root), COLOPHON_KERNEL and
        COLOPHON_NAMESPACE (that of notebooks), COLOPHON_CAPTURE (`0`: nothing is captured; `-pandas,-spark`: all but these) and COLOPHON_CELL_SOURCE
        (`1`: the source of cells is recorded).

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
        )


def _list_excluded(text: str) -> list[str]:
    """Return the names that follow a minus sign: `-pandas,-spark`."""
    return [word.strip()[1:].lower() for word in text.split(",") if word.strip().startswith("-")]
