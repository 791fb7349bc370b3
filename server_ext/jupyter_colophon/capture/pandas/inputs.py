"""The values that a call gets, and the report of a call that computes one value."""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.pandas.columns import TooManyColumns

#: Computes the columns of a call's value; None if they are unknown.
Rule: TypeAlias = Callable[[LibraryCall], ColumnMap | None]


def list_inputs(call: LibraryCall) -> list[Any]:
    """Return the arguments that may have an origin, also those in lists and dictionaries."""
    found: list[Any] = []
    for argument in (*call.args, *call.kwargs.values()):
        if isinstance(argument, list | tuple):
            found.extend(argument)
        elif isinstance(argument, dict):
            found.extend(argument.values())
        elif not isinstance(argument, str):
            found.append(argument)
    return found


def get_value(call: LibraryCall) -> Any:
    """Return what the call computed: its result, or the receiver that it changed."""
    return call.receiver if call.result is None else call.result


class ValueReport:
    """Reports a call that computes a value from its arguments; `rule` computes the columns."""

    def __init__(self, rule: Rule, find_assigned: Callable[[LibraryCall], object] | None = None) -> None:
        """Create a report; `find_assigned` returns the value that the call puts into its receiver, if it does so."""
        self._rule, self._find_assigned = rule, find_assigned

    def __call__(self, call: LibraryCall) -> None:
        """Record the value. Its columns are unknown if the rule fails: a value that changed never keeps its earlier ones."""
        inputs, find_origin = list_inputs(call), call.context.origins.find_origin
        for each in inputs:
            if find_origin(each) is not None:
                break
        else:
            return
        columns = None
        try:
            columns = self._rule(call)
        except TooManyColumns:
            pass
        finally:
            assigned, value = None if self._find_assigned is None else self._find_assigned(call), get_value(call)
            for each in _list_values(value) if isinstance(value, tuple) else (value,):
                call.record_derived(each, inputs, columns, assigned=assigned)


def _list_values(result: tuple[Any, ...]) -> list[Any]:
    """Return the values of a tuple, such as the result of `align`."""
    return [each for each in result if isinstance(each, pd.DataFrame | pd.Series | np.ndarray)]


def skip_columns(call: LibraryCall) -> ColumnMap | None:
    """Return None: the call is not followed by column."""
    return None
