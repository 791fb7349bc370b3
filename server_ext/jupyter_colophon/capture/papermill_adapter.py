"""The notebooks that papermill writes: those that it executes, with their results."""

from types import ModuleType

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.locations import find_location
from jupyter_colophon.capture.origins import get_file


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the function that executes a notebook."""
    adapter.observe_function(module, "execute_notebook", _report_execution)


def _report_execution(call: LibraryCall) -> None:
    """Record the notebook that was written, also if a cell failed: it has the results of the cells before."""
    path = call.get_argument(1, "output_path")
    location = None if path in (None, "-") else find_location(path)
    if type(call.error).__name__ == "PapermillExecutionError":
        call.error = None
    if location is not None:
        call.record_flow((), get_file(location, "notebook"))
