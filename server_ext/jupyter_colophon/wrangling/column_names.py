"""Names of columns in the first line of a file."""

from collections.abc import Sequence
from typing import Any


def make_names_unique(names: Sequence[str]) -> list[str]:
    """Return names of columns: `column_2` for an empty second one, and with its number a repeated one."""
    unique: dict[str, None] = {}
    for number, name in enumerate(names, 1):
        chosen = name.strip() or f"column_{number}"
        while chosen in unique:
            chosen += f"_{number}"
        unique[chosen] = None
    return [*unique]


def name_values(names: Sequence[str], values: Sequence[Any], prefix: str) -> dict[str, Any]:
    """Return the values of a line by name: null for missing ones, and `prefix_4` for a fourth one without a name."""
    more = [f"{prefix}_{number}" for number in range(len(names) + 1, len(values) + 1)]
    missing = [None] * (len(names) - len(values))
    return dict(zip([*names, *more], [*values, *missing], strict=True))
