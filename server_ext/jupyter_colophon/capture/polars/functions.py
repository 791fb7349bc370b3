"""The functions of polars that compute values. Programs may import them by name, so they are observed from the import on."""

from types import ModuleType
from typing import Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall

_NAMES: Final = ("concat", "align_frames", "from_pandas", "from_arrow", "from_dataframe", "collect_all")


def observe_functions(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions."""
    for name in _NAMES:
        adapter.observe_computation(module, name, _report_value)


def _report_value(call: LibraryCall) -> None:
    # The reports are not needed before there are values to follow.
    from jupyter_colophon.capture.polars.computations import FUNCTION_REPORTS

    FUNCTION_REPORTS[call.function](call)
