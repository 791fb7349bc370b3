"""What pandas reads, computes and writes."""

from types import ModuleType

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.pandas.readers import observe_readers
from jupyter_colophon.capture.pandas.sql import observe_sql
from jupyter_colophon.capture.pandas.values import observe_values
from jupyter_colophon.capture.pandas.writers import observe_writers


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions and methods of pandas."""
    observe_readers(module, adapter)
    observe_writers(module, adapter)
    observe_sql(module, adapter)
    observe_values(module, adapter)
