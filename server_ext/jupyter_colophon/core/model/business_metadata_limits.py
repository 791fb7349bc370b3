"""What JSON Schema cannot say of USER metadata: its size in bytes (spec MODEL-7)."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.errors import Problem

VALUE_BYTES_MAX = 10_240
ENTITY_BYTES_MAX = 65_536


def size_problems(value: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Values over 10,240 bytes, or all properties and tags together over 64 KiB. `value` satisfies its schema."""
    sizes = {key: len(text.encode()) for key, text in value["properties"].items()}
    found = [
        Problem(f"/properties/{key}", f"a value has at most {VALUE_BYTES_MAX} bytes, this one has {size}")
        for key, size in sizes.items()
        if size > VALUE_BYTES_MAX
    ]
    whole = sum(sizes.values()) + sum(map(len, sizes)) + sum(len(tag) for tag in value["tags"])
    if whole > ENTITY_BYTES_MAX:
        found.append(Problem("", f"all together they have at most {ENTITY_BYTES_MAX} bytes, these have {whole}"))
    return tuple(found)
