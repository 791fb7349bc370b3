"""Capture of polars: what its frames, eager and lazy, read, compute and write."""

from types import ModuleType

from jupyter_colophon.capture.adapters import Adapter


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe polars, once it is imported."""
    # They import polars.
    from jupyter_colophon.capture.polars.computations import observe_computations
    from jupyter_colophon.capture.polars.files import observe_files
    from jupyter_colophon.capture.polars.sql import observe_sql

    observe_files(module, adapter)
    observe_computations(module, adapter)
    observe_sql(module, adapter)
