"""The functions of pandas that compute values. Programs may import them by name, so they are observed from the import on."""

from types import ModuleType
from typing import Final

import numpy as np

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall

_NAMES: Final = (
    *("merge", "merge_asof", "merge_ordered", "concat", "melt", "pivot", "pivot_table", "get_dummies", "crosstab"),
    *("cut", "qcut", "to_datetime", "to_numeric", "to_timedelta", "factorize", "isna", "isnull", "notna", "notnull"),
    *("unique", "wide_to_long", "lreshape", "from_dummies", "value_counts"),
)


def observe_functions(module: ModuleType, adapter: Adapter) -> None:
    """Observe the functions."""
    values = (module.DataFrame, module.Series, np.ndarray, tuple)
    for name in _NAMES:
        adapter.observe_computation(module, name, _report_value, values=values)


def _report_value(call: LibraryCall) -> None:
    # The rules are not needed before there are values to follow.
    from jupyter_colophon.capture.pandas.values import FUNCTION_REPORTS

    FUNCTION_REPORTS[call.function](call)
