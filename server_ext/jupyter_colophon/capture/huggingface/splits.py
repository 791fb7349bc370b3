"""A dataset, or the datasets that a dictionary has by their splits, and the columns of all of them."""

from collections.abc import Iterable
from typing import Any

from jupyter_colophon.capture.calls import Describe, LibraryCall
from jupyter_colophon.capture.column_map import ColumnMap, Sources
from jupyter_colophon.capture.observation import SchemaField


def list_datasets(value: Any) -> list[Any]:
    """Return the datasets of a dictionary of splits or of a list; a dataset alone is one."""
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, list | tuple) else [value]


def match_datasets(source: Any, result: Any) -> list[tuple[Any, Any]]:
    """Return each dataset of a result with the one that it was computed from."""
    if isinstance(source, dict) and isinstance(result, dict):
        return [(source.get(split), each) for split, each in result.items()]
    return [(source, each) for each in list_datasets(result)]


def list_names(dataset: Any) -> list[str] | None:
    """Return the columns of a dataset; None if they are known only once it is read."""
    names = getattr(dataset, "column_names", None)
    return list(names) if isinstance(names, list) else None


def join_columns(call: LibraryCall, datasets: Iterable[Any]) -> ColumnMap | None:
    """Return the columns of what has the rows of several datasets; None if those of one are unknown."""
    joined: dict[str, Sources] = {}
    whole = ColumnMap()
    for each in datasets:
        columns, names = call.map_columns(each), list_names(each)
        if columns is None or names is None:
            return None
        for name in names:
            joined[name] = joined.get(name, frozenset()) | columns.find_sources(name)
        whole = whole.add_controls(columns.controls)
    return whole.assign(joined)


def create_describe(value: Any) -> Describe | None:
    """Return a function that returns the fields of a dataset, or of the first split of a dictionary, with the types of Arrow."""
    features = next((getattr(each, "features", None) for each in list_datasets(value)), None)
    if features is None:
        return None
    schema = features.arrow_schema
    return lambda columns: (
        tuple(SchemaField(field.name, str(field.type), field.nullable) for field in schema),
        columns,
    )
