"""The values that a call gets, and the report of a call that computes one value."""

from collections.abc import Callable, Iterator
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

    def __init__(self, rule: Rule, find_assigned: Callable[[LibraryCall], object] = lambda _: None) -> None:
        """Create a report; `find_assigned` returns the value that the call puts into its receiver, if it does so."""
        self._rule, self._find_assigned = rule, find_assigned

    def __call__(self, call: LibraryCall) -> None:
        """Record the value. Its columns are unknown if the rule fails: a value that changed never keeps its earlier ones."""
        inputs = list_inputs(call)
        if not any(call.find_origin(each) is not None for each in inputs):
            return
        columns = None
        try:
            columns = self._rule(call)
        except TooManyColumns:
            pass
        finally:
            for value in _list_values(get_value(call)):
                call.record_derived(value, inputs, columns, assigned=self._find_assigned(call))


def _list_values(value: Any) -> Iterator[Any]:
    """Yield the value, or those of a tuple, such as the result of `align`."""
    if isinstance(value, tuple):
        yield from (each for each in value if isinstance(each, pd.DataFrame | pd.Series | np.ndarray))
    else:
        yield value


def skip_columns(call: LibraryCall) -> ColumnMap | None:
    """Return None: the call is not followed by column."""
    return None
