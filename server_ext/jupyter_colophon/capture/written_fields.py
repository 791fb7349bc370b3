"""The fields that a file or table gets from a value of Arrow, pandas or polars, for adapters whose functions accept any of them."""

from typing import Any

from jupyter_colophon.capture.calls import Describe
from jupyter_colophon.capture.observation import SchemaField


def create_describe(value: Any) -> Describe | None:
    """Return a function that returns the fields of a table, a dataset, a batch or a frame; None for other values."""
    library = type(value).__module__.partition(".")[0]
    if library == "pandas":
        return _describe_pandas(value)
    if library == "polars":
        return _describe_polars(value)
    schema = getattr(value, "schema", None)
    if schema is None or callable(schema) or not hasattr(schema, "names"):
        return None
    # A schema never changes.
    return lambda columns: (
        tuple(SchemaField(field.name, str(field.type), field.nullable) for field in schema),
        columns,
    )


def _describe_pandas(value: Any) -> Describe | None:
    """Return the fields of a frame with the levels of its index, except a range, as pandas converts it to Arrow."""
    import pandas as pd

    from jupyter_colophon.capture.pandas.schema import ValueColumns, list_level_fields
    from jupyter_colophon.capture.pandas.writers import WrittenSchema

    if not isinstance(value, pd.DataFrame):
        return None
    is_range = isinstance(value.index, pd.RangeIndex)
    levels = () if is_range else tuple(list_level_fields(value.index, [], "__index_level_{}__"))
    return WrittenSchema(ValueColumns(value), levels).describe


def _describe_polars(value: Any) -> Describe | None:
    import polars as pl

    from jupyter_colophon.capture.polars.files import create_describe as describe_frame

    return describe_frame(value) if isinstance(value, pl.DataFrame | pl.LazyFrame) else None
