"""Notebooks that a program executes with nbclient, as nbconvert, papermill and `jupyter execute` do.

The kernel of such a notebook records its cells itself. Here it gets what only the program knows: the path of the notebook, its
parameters, and the ids of its cells.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType
from typing import Any, Final, TypeAlias

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.executed_notebook import ExecutedNotebook, shorten_notebook_path

Function: TypeAlias = Callable[..., Any]

#: The notebook that `jupyter execute` executes: its client does not know the path.
_executed_path: Final = ContextVar[str]("executed_path", default="")

_NO_SERVER: Final = (
    "Colophon: the cells of this notebook are not recorded: no server is set (use --url=, or set COLOPHON_URL)"
)


def install(module: ModuleType, adapter: Adapter) -> None:
    """Give notebook, parameters and cell ids to the kernels that nbclient starts."""
    if module.__name__ == "nbclient.cli":
        adapter.replace_method(module.NbClientApp, "run_notebook", _keep_path)
        return
    # The synchronous methods do not call the asynchronous ones by their names.
    for prefix in ("", "async_"):
        adapter.replace_method(module.NotebookClient, f"{prefix}start_new_kernel", _add_notebook)
        adapter.replace_method(module.NotebookClient, f"{prefix}execute_cell", _add_cell_id)


def _keep_path(run_notebook: Function) -> Function:
    def run_notebook_and_keep_path(app: Any, notebook_path: Any, *args: Any, **kwargs: Any) -> Any:
        token = _executed_path.set(str(Path(notebook_path).with_suffix(".ipynb")))
        try:
            return run_notebook(app, notebook_path, *args, **kwargs)
        finally:
            _executed_path.reset(token)

    return run_notebook_and_keep_path


def _add_notebook(start_new_kernel: Function) -> Function:
    def start_kernel_of_notebook(client: Any, *args: Any, **kwargs: Any) -> Any:
        # No error here may keep a notebook from being executed; the kernel reports that its notebook is unknown.
        with suppress(Exception):
            path = next(filter(None, _list_paths(client)), "")
            notebook = ExecutedNotebook(
                shorten_notebook_path(path, os.environ),
                _get_parameters(client),
                stops_on_error=_is_stopped_by_errors(client),
            )
            _warn_without_server(os.environ)
            kwargs["env"] = notebook.build_environ(kwargs.get("env") or os.environ)
        return start_new_kernel(client, *args, **kwargs)

    return start_kernel_of_notebook


def _add_cell_id(execute_cell: Function) -> Function:
    def execute_cell_with_id(client: Any, cell: Any, *args: Any, **kwargs: Any) -> Any:
        with suppress(Exception):
            # The metadata of each message that is sent from now on, as JupyterLab sends it with each cell.
            client.kc.session.metadata = {**client.kc.session.metadata, "cellId": cell.get("id", "")}
        return execute_cell(client, cell, *args, **kwargs)

    return execute_cell_with_id


def _is_stopped_by_errors(client: Any) -> bool:
    """Return whether the notebook ends with the first cell that fails, and its last cell may not fail."""
    cells = [cell for cell in client.nb.cells if cell.cell_type == "code"]
    may_fail = bool(cells) and "raises-exception" in cells[-1].metadata.get("tags", ())
    return not client.allow_errors and not may_fail


def _warn_without_server(environ: Mapping[str, str]) -> None:
    """Write a line to standard error if a command is recorded, and the cells of its notebooks are not: a kernel keeps nothing for a later server."""
    if environ.get("COLOPHON_RUN_ID") and not environ.get("COLOPHON_URL"):
        sys.stderr.write(f"{_NO_SERVER}\n")


def _list_paths(client: Any) -> Iterator[str]:
    """Yield the path of the notebook as each program that uses nbclient has it, if this is the one."""
    yield _executed_path.get()
    yield str(_get_papermill_metadata(client).get("input_path") or "")
    # nbconvert: name and folder. Other programs set the folder alone.
    resources: Mapping[str, Any] = client.resources.get("metadata") or {}
    path = Path(resources.get("path") or "") / f"{resources.get('name') or ''}.ipynb"
    yield str(path) if resources.get("name") and path.is_file() else ""


def _get_parameters(client: Any) -> Mapping[str, Any]:
    return dict(_get_papermill_metadata(client).get("parameters") or {})


def _get_papermill_metadata(client: Any) -> Mapping[str, Any]:
    """Return what papermill records of its execution; in a notebook that it wrote earlier, that is another execution."""
    is_papermill = type(client).__module__.partition(".")[0] == "papermill"
    return dict(client.nb.metadata.get("papermill") or {}) if is_papermill else {}
