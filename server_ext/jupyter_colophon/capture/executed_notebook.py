"""The notebook of a kernel that a program starts, as the kernel finds it in its environment (docs/settings.md)."""

import json
import os
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from jupyter_core.paths import jupyter_runtime_dir

from jupyter_colophon.core.credentials import MASK, is_secret_name, mask_secrets_in_text

#: What belongs to one kernel, and not to the processes that it starts.
_OWN: Final = (
    *("COLOPHON_NOTEBOOK", "COLOPHON_KERNEL", "COLOPHON_NOTEBOOK_PARAMETERS"),
    "COLOPHON_NOTEBOOK_STOPS",
)
#: The process whose variables these are.
_OWNER: Final = "COLOPHON_KERNEL_PROCESS"
_LARGEST_COUNT, _LONGEST_VALUE = 100, 1_000
_LOCAL: Final = ("localhost", "127.0.0.1", "::1", "0.0.0.0")  # noqa: S104  compared with addresses, not listened on


@dataclass(frozen=True, slots=True)
class ExecutedNotebook:
    """A notebook and its parameters: the path is "" if it is unknown.

    With `stops_on_error` its last cell that ran decides whether the notebook failed.
    """

    path: str
    parameters: Mapping[str, Any]
    stops_on_error: bool = True

    def build_environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the notebook's kernel."""
        inherited = {name: value for name, value in environ.items() if name not in (*_OWN, _OWNER)}
        texts = dict(_list_simple_parameters(self.parameters))
        own = {
            "COLOPHON_NOTEBOOK": self.path,
            "COLOPHON_NOTEBOOK_PARAMETERS": json.dumps(texts) if texts else "",
            "COLOPHON_NOTEBOOK_STOPS": "1" if self.stops_on_error else "",
        }
        return inherited | {name: value for name, value in own.items() if value}


def claim_environ(environ: MutableMapping[str, str]) -> None:
    """Make the variables of a kernel those of this process, and remove them if they are inherited from another kernel."""
    owner, process = environ.get(_OWNER), str(os.getpid())
    if owner and owner != process:
        for name in _OWN:
            environ.pop(name, None)
    environ[_OWNER] = process


def read_parameters(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of this kernel's notebook as texts."""
    with suppress(ValueError):
        parameters = json.loads(environ.get("COLOPHON_NOTEBOOK_PARAMETERS") or "{}")
        if isinstance(parameters, dict):
            return {str(name): str(value) for name, value in parameters.items()}
    return {}


def shorten_notebook_path(path: str, environ: Mapping[str, str]) -> str:
    """Return the path of a notebook as JupyterLab has it: relative to the root of the server, if that runs on this machine.

    Elsewhere, it is relative to the folder of the command, or absolute. A URL loses scheme, user and query.
    """
    if not path or path == "-":
        return ""
    if "://" in path:
        parts = urlsplit(path)
        return f"{parts.hostname or ''}{parts.path}"
    whole = Path(path).resolve()
    folders = (_find_server_root(environ.get("COLOPHON_URL", "")), environ.get("COLOPHON_RUN_FOLDER") or os.getcwd())
    bases = [Path(folder).resolve() for folder in folders if folder]
    return next((whole.relative_to(base).as_posix() for base in bases if whole.is_relative_to(base)), whole.as_posix())


def _find_server_root(url: str) -> str:
    """Return the root folder of the Jupyter server with this URL, from its file in Jupyter's runtime folder, or ""."""
    files = sorted(Path(jupyter_runtime_dir()).glob("jpserver-*.json"), key=lambda file: file.stat().st_mtime)
    for file in reversed(files) if url else ():
        with suppress(OSError, ValueError):
            server = json.loads(file.read_text())
            if _get_place(str(server["url"])) == _get_place(url):
                return str(server["root_dir"])
    return ""


def _get_place(url: str) -> tuple[str, int | None, str]:
    parts = urlsplit(url)
    host = parts.hostname or ""
    return "localhost" if host in _LOCAL else host, parts.port, parts.path.rstrip("/")


def _list_simple_parameters(parameters: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield names and texts of the parameters that are a text, a number or a truth value, without credentials."""
    simple = [(name, value) for name, value in parameters.items() if isinstance(value, str | int | float)]
    for name, value in simple[:_LARGEST_COUNT]:
        yield str(name), MASK if is_secret_name(str(name)) else mask_secrets_in_text(str(value)[:_LONGEST_VALUE])
