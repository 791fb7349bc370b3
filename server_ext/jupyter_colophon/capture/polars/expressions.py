"""The columns that expressions of polars use and make, as their metadata names them: no expression is evaluated."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import (
    NO_SOURCES,
    UNKNOWN_SOURCES,
    ColumnMap,
    Sources,
    compute_from,
)
from jupyter_colophon.capture.observation import Transformation

#: The column of a series, whatever its name.
VALUES = "values"


class UnknownColumns(Exception):
    """An expression makes columns whose names are not known without evaluating it."""


class ExpressionReader:
    """Reads the expressions that a method of a frame gets."""

    def __init__(self, call: LibraryCall, frame: Any, columns: ColumnMap, how: Transformation | None = None) -> None:
        """Create a reader for a frame with these columns; `how` is how all expressions depend on them, if not by themselves."""
        self._call, self._frame, self._columns, self._how = call, frame, columns, how

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
        return NO_SOURCES.union(*(self.find_sources(item) for item in flatten_expressions(items)))

    def find_sources(self, item: Any) -> Sources:
        """Return the sources of what one expression makes."""
        if isinstance(item, str):
            return self._apply(self._columns.find_sources(item), Transformation.IDENTITY)
        if isinstance(item, pl.Series):
            known = self._call.find_columns(item)
            return NO_SOURCES if known is None else known.find_sources(VALUES)
        if not isinstance(item, pl.Expr):
            return NO_SOURCES
        meta = item.meta
        if meta.is_regex_projection() or meta.has_multiple_outputs():
            return UNKNOWN_SOURCES
        roots = [self._columns.find_sources(name) for name in meta.root_names()]
        return self._apply(NO_SOURCES.union(*roots), _determine_transformation(item))

    def _map_expression(self, item: Any) -> dict[str, Sources]:
        if isinstance(item, str):
            return {item: self.find_sources(item)}
        if isinstance(item, pl.Series):
            return {item.name: self.find_sources(item)}
        if not isinstance(item, pl.Expr):
            return {}
        meta = item.meta
        if not (meta.is_regex_projection() or meta.has_multiple_outputs()):
            return {meta.output_name(raise_if_undetermined=False) or "literal": self.find_sources(item)}
        if not isinstance(self._frame, pl.DataFrame):
            raise UnknownColumns
        # Of a frame in memory the names are known without computing anything.
        names = self._frame.lazy().select(item).collect_schema().names()
        how = Transformation.IDENTITY if _is_selection(item) else Transformation.TRANSFORMATION
        own = set(self._frame.columns)
        return {
            name: self._apply(self._columns.find_sources(name), how) if name in own else UNKNOWN_SOURCES
            for name in names
        }

    def _apply(self, sources: Sources, how: Transformation) -> Sources:
        chosen = self._how or how
        return sources if chosen is Transformation.IDENTITY else compute_from((sources,), chosen)


def flatten_expressions(items: Iterable[Any]) -> list[Any]:
    """Return expressions that are passed one by one or in lists."""
    return [
        each for item in items for each in (flatten_expressions(item) if isinstance(item, list | tuple) else [item])
    ]


def _is_selection(item: pl.Expr) -> bool:
    test = getattr(item.meta, "is_column_selection", None)
    return bool(test is not None and test())


def _determine_transformation(item: pl.Expr) -> Transformation:
    if item.meta.undo_aliases().meta.is_column():
        return Transformation.IDENTITY
    if ".over(" in str(item):
        return Transformation.WINDOW
    is_scalar = getattr(item.meta, "is_scalar", None)
    if is_scalar is not None and is_scalar():
        return Transformation.AGGREGATION
    return Transformation.TRANSFORMATION
