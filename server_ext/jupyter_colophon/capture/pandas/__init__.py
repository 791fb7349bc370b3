"""What pandas reads, computes and writes."""

import sys
from types import ModuleType
from typing import Final

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.pandas.functions import observe_functions
from jupyter_colophon.capture.pandas.readers import observe_readers
from jupyter_colophon.capture.pandas.sql import observe_sql
from jupyter_colophon.capture.pandas.writers import observe_writers

#: Modules that look at the frames of the program: for local variables in expressions, and whether it sets an item of a temporary frame.
_LOOKING_AT_CALLERS: Final = ("pandas.core.computation.scope", "pandas.core.common")


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions of pandas and its methods that access data, and all others once there is a value to follow."""
    for name in _LOOKING_AT_CALLERS:
        adapter.hide_wrappers_from(sys.modules.get(name))
    adapter.count_without_wrappers(sys.modules.get("pandas.util._exceptions"), "find_stack_level")
    observe_readers(module, adapter)
    observe_writers(module, adapter)
    observe_sql(module, adapter)
    observe_functions(module, adapter)

    def observe_methods() -> None:
        from jupyter_colophon.capture.pandas import values

        values.observe_methods(module, adapter)

    adapter.call_before_values(observe_methods)
