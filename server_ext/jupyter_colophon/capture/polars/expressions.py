"""The columns that expressions of polars use and make, as their metadata names them: no expression is evaluated."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

import polars as pl

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import (
    NO_SOURCES,
    UNKNOWN_SOURCES,
    ColumnMap,
    Sources,
    combine_steps,
    compute_from,
)
from jupyter_colophon.capture.observation import Transformation

#: The column of a series, whatever its name.
VALUES = "values"


#: Functions of expressions that reduce a column to one value, as polars prints them.
_AGGREGATES: Final = frozenset(
    (
        *(
            "all",
            "any",
            "approx_n_unique",
            "arg_max",
            "arg_min",
            "count",
            "first",
            "implode",
            "item",
            "kurtosis",
            "last",
        ),
        *("len", "list", "max", "max_by", "mean", "median", "min", "min_by", "mode", "n_unique", "nan_max", "nan_min"),
        *("null_count", "product", "quantile", "skew", "std", "sum", "var"),
    )
)
#: Functions whose further arguments decide about rows, and how.
_CONTROLS: Final = {"over": Transformation.WINDOW, "filter": Transformation.FILTER, "sort_by": Transformation.SORT}
_FUNCTION: Final = re.compile(r"\.(\w+)\(")
#: Number of parts, and of mentioned columns, of an expression that is looked into; of a larger one, only the columns are known.
_MAX_PARTS: Final = 200
_MAX_MENTIONED: Final = 40


class UnknownColumns(Exception):
    """An expression makes columns whose names are not known without evaluating it."""


class ExpressionReader:
    """Reads the expressions that a method of a frame gets."""

    def __init__(
        self,
        call: LibraryCall,
        frame: Any,
        columns: ColumnMap,
        how: Transformation | None = None,
        keys: Iterable[str] = (),
    ) -> None:
        """Create a reader for a frame with these columns; `how` is a step after each expression.

        Expressions such as `pl.all()` do not stand for the `keys` of groups.
        """
        self._call, self._frame, self._columns, self._how = call, frame, columns, how
        self._keys = tuple(keys)

    def map_outputs(self, positional: Iterable[Any], named: Mapping[str, Any]) -> dict[str, Sources]:
        """Return the columns that expressions make, with their sources. Raises UnknownColumns."""
        found: dict[str, Sources] = {}
        for item in flatten_expressions(positional):
            found |= self._map_expression(item)
        for name, item in named.items():
            found[name] = self.find_sources(item)
        return found

    def find_used(self, items: Iterable[Any]) -> Sources:
        """Return the sources of all columns that expressions use."""
        try:
            return NO_SOURCES.union(*self.map_outputs(items, {}).values())
        except UnknownColumns:
            return UNKNOWN_SOURCES

    def find_sources(self, item: Any) -> Sources:
        """Return the sources of what one expression makes."""
        if isinstance(item, str):
            return self._add_step(self._columns.find_sources(item))
        if isinstance(item, pl.Series):
            known = self._call.find_columns(item)
            return NO_SOURCES if known is None else self._add_step(known.find_sources(VALUES))
        if isinstance(item, dict):
            return NO_SOURCES.union(*(self.find_sources(each) for each in item.values()))
        if not isinstance(item, pl.Expr):
            return NO_SOURCES
        return UNKNOWN_SOURCES if _has_several_outputs(item) else self._trace_expression(item)

    def _map_expression(self, item: Any) -> dict[str, Sources]:
        if isinstance(item, str) and item != "*" and not item.startswith("^"):
            return {item: self.find_sources(item)}
        if isinstance(item, pl.Series):
            return {item.name: self.find_sources(item)}
        expression = pl.col(item) if isinstance(item, str) else item
        if not isinstance(expression, pl.Expr):
            return {}
        if not _has_several_outputs(expression):
            name = expression.meta.output_name(raise_if_undetermined=False) or "literal"
            return {name: self._trace_expression(expression)}
        names, own = self._list_outputs(expression), self._list_outputs(expression.meta.undo_aliases())
        if names is None or own is None or len(names) != len(own):
            raise UnknownColumns
        return {name: self._trace_expression(expression, column) for name, column in zip(names, own, strict=True)}

    def _list_outputs(self, expression: pl.Expr) -> list[str] | None:
        """Return the names of the columns that an expression makes of the frame, whose schema is known without its data."""
        return list_names(self._frame.lazy().drop(self._keys, strict=False).select(expression))

    def _trace_expression(self, expression: pl.Expr, name: str = "") -> Sources:
        """Return the sources of one column that an expression makes: `name`, if it makes several."""
        waiting = [(expression.meta.undo_aliases(), Transformation.IDENTITY)]
        found, mentioned = self._find_values(expression), expression.meta.root_names()
        for _ in range(_MAX_PARTS if len(mentioned) <= _MAX_MENTIONED else 0):
            if not waiting:
                return self._add_step(found)
            part, how = waiting.pop()
            inputs = part.meta.pop()
            if inputs:
                waiting += [(each, combine_steps(how, step)) for each, step in _list_uses(part, inputs)]
                continue
            names = [name] if _has_several_outputs(part) else part.meta.root_names()
            found |= compute_from(map(self._columns.find_sources, names), how)
        used = map(self._columns.find_sources, [*mentioned, *([name] if name else [])])
        return self._add_step(found | compute_from(used))

    def _find_values(self, expression: pl.Expr) -> Sources:
        """Return the sources of the values of series in an expression, such as those of `is_in`."""
        if self._call.find_origin(expression) is None:
            return NO_SOURCES
        known = self._call.find_columns(expression)
        return UNKNOWN_SOURCES if known is None else known.find_sources(VALUES)

    def _add_step(self, sources: Sources) -> Sources:
        return sources if self._how is None else compute_from((sources,), self._how)


def flatten_expressions(items: Iterable[Any]) -> list[Any]:
    """Return expressions that are passed one by one or in lists."""
    return [
        each for item in items for each in (flatten_expressions(item) if isinstance(item, list | tuple) else [item])
    ]


def list_names(frame: pl.DataFrame | pl.LazyFrame) -> list[str] | None:
    """Return the names of the columns of a frame; None if they are unknown because its plan is wrong."""
    if isinstance(frame, pl.DataFrame):
        return frame.columns
    try:
        return frame.collect_schema().names()
    except Exception:  # noqa: BLE001  the program will see the error when it collects the frame
        return None


def _has_several_outputs(expression: pl.Expr) -> bool:
    return expression.meta.is_regex_projection() or expression.meta.has_multiple_outputs()


def _list_uses(part: pl.Expr, inputs: list[pl.Expr]) -> list[tuple[pl.Expr, Transformation]]:
    """Return the inputs of a part of an expression, and how the part depends on each.

    polars lists the condition of `when` first, and the arguments of a function before the expression that it is called on.
    """
    text, last = str(part).lstrip(), str(inputs[-1])
    if text.startswith((".when(", "when(")):
        condition, *values = inputs
        return [(condition, Transformation.CONDITIONAL), *((each, Transformation.TRANSFORMATION) for each in values)]
    function = _FUNCTION.match(text, len(last)) if text.startswith(last) else None
    name = "" if function is None else function[1]
    if name in _CONTROLS:
        return [*((each, _CONTROLS[name]) for each in inputs[:-1]), (inputs[-1], Transformation.IDENTITY)]
    how = Transformation.AGGREGATION if name in _AGGREGATES else Transformation.TRANSFORMATION
    how = Transformation.IDENTITY if name == "alias" else how
    return [(each, how) for each in inputs]
