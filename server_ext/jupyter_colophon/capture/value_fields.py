"""The datasets and fields that a value in memory came from, through the cells that computed it."""

from collections.abc import Iterable
from typing import Any

from jupyter_colophon.capture.column_map import ColumnMap
from jupyter_colophon.capture.data_capture import get_active_capture
from jupyter_colophon.capture.origins import Dataset, Origin, expand_columns, expand_sources

#: A dataset's URN, and the name of its field.
Field = tuple[str, str]


def find_value_origin(value: object) -> Origin | None:
    """Return the origin of a value that a captured library read or computed; None if it has none."""
    capture = get_active_capture()
    return None if capture is None else capture.context.origins.find_origin(value)


def list_value_datasets(origin: Origin) -> tuple[str, ...]:
    """Return the URNs of the datasets that a value came from, in the order of their first use."""
    found: dict[str, None] = {}
    for dataset in _iterate_datasets(origin):
        ref = dataset.build_ref()
        if ref is not None:
            found[ref.urn] = None
    return tuple(found)


def find_value_fields(value: Any, origin: Origin) -> dict[str, tuple[Field, ...]]:
    """Return the source fields of each column of a frame; a column that is not followed has none."""
    return {str(name): _trace_fields(origin.columns, str(name)) for name in value.columns}


def _iterate_datasets(origin: Origin) -> Iterable[Dataset]:
    waiting, seen = [origin], set[Origin]()
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        for source in expand_sources(each.sources):
            if isinstance(source, Dataset):
                yield source
            else:
                waiting.append(source)


def _trace_fields(columns: ColumnMap | None, name: str) -> tuple[Field, ...]:
    """Return the fields of datasets that a column was computed from, without those that only decide which rows there are."""
    found: dict[Field, None] = {}
    waiting: list[tuple[ColumnMap | None, str]] = [(columns, name)]
    seen = set[tuple[int, str]]()
    while waiting:
        known, column = waiting.pop()
        if known is None or (id(known), column) in seen:
            continue
        seen.add((id(known), column))
        for each in sorted(expand_columns(known.find_sources(column)), key=lambda source: source.column):
            if isinstance(each.source, Origin):
                waiting.append((each.source.columns, each.column))
            elif isinstance(each.source, Dataset) and (ref := each.source.build_ref()) is not None:
                found[ref.urn, each.column] = None
    return tuple(found)
