"""Frames of pandas and Arrow that a program takes from Spark: what they are computed from is in the plan."""

from functools import cached_property
from types import ModuleType
from typing import Any

from jupyter_colophon.capture.adapters import Adapter
from jupyter_colophon.capture.calls import LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap, ColumnSource
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.origins import Dataset, Origin, Query


def install(module: ModuleType, adapter: Adapter) -> None:
    """Observe the methods of a classic DataFrame that give its rows to the program; the listener records the read."""
    for name in ("toPandas", "toArrow"):
        adapter.observe_method(module.DataFrame, name, _report_rows)


def _report_rows(call: LibraryCall) -> None:
    if call.error is not None:
        return
    plan = DataFramePlan(call.receiver)
    call.context.origins.set_origin(call.result, Origin(call.execution, call.time_ms, (plan,), ColumnMap(plan)))


class DataFramePlan(Query):
    """The data and columns of a DataFrame, read from its plan when they are needed."""

    def __init__(self, data: Any) -> None:
        """Create the query of a DataFrame."""
        self._data = data

    def list_sources(self) -> tuple[Dataset, ...]:
        """Return the datasets that the plan reads; none if the session has ended."""
        return tuple(self._datasets.values())

    def get_columns(self) -> ColumnMap | None:
        """Return the fields that the columns were computed from; the plan does not record how."""
        from jupyter_colophon.spark.dataframe_columns import find_source_fields

        known = self._datasets
        columns = {
            name: frozenset(
                ColumnSource(known[urn], path, Transformation.TRANSFORMATION) for urn, path in fields if urn in known
            )
            for name, fields in find_source_fields(self._data).items()
        }
        return ColumnMap(None, columns)

    @cached_property
    def _datasets(self) -> dict[str, Dataset]:
        from jupyter_colophon.spark.dataframe_columns import find_read_datasets

        refs = find_read_datasets(self._data)
        return {ref.urn: Dataset(ref.kind, ref.location or "", ref.urn, ref.format) for ref in refs}
