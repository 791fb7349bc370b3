"""Capture of polars: what its frames, eager and lazy, read, compute and write."""

import sys
from types import ModuleType

from jupyter_colophon.capture.adapters import Adapter


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe what polars reads and writes once it is imported, and its methods that compute values once there is one to follow."""
    # They import polars.
    from jupyter_colophon.capture.polars.files import observe_files
    from jupyter_colophon.capture.polars.functions import observe_functions
    from jupyter_colophon.capture.polars.sql import observe_sql

    # Versions differ in the module that defines it.
    any(
        adapter.count_without_wrappers(sys.modules.get(name), "find_stacklevel")
        for name in ("polars._warnings", "polars._utils.various")
    )
    observe_files(module, adapter)
    observe_functions(module, adapter)
    observe_sql(module, adapter)

    def observe_methods() -> None:
        from jupyter_colophon.capture.polars import computations

        computations.observe_methods(module, adapter)

    adapter.call_before_values(observe_methods)
