"""The columns of the result of a recipe: their types, and values as these types."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.wrangling.column_types import TYPES, combine_types, convert_to_type, get_type
from jupyter_colophon.wrangling.directive import get_text
from jupyter_colophon.wrangling.normalization import format_json_value


def detect_columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the types of the columns of rows, in the order in which they first appear."""
    types: dict[str, set[str]] = {}
    for row in rows:
        for name, value in row.items():
            types.setdefault(name, set()).add(get_type(value))
    return {name: combine_types(found) for name, found in types.items()}


def convert_row(row: Mapping[str, Any], columns: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of a row as the types of the columns. Raises ValueError."""
    return {name: _convert_cell(row.get(name), type_) for name, type_ in columns.items()}


def _convert_cell(value: Any, type_: str) -> Any:
    """Return a value as the type of its column; lists and mappings as JSON."""
    if value is None:
        return None
    if isinstance(value, (list, dict)):
        return json.dumps(format_json_value(value), ensure_ascii=False)
    return convert_to_type(value, type_) if type_ in TYPES else get_text(value)
