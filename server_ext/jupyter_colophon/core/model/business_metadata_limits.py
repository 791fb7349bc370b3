"""Limits of USER metadata that JSON Schema cannot express: its size in bytes (spec MODEL-7)."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.errors import Problem

VALUE_BYTES_MAX = 10_240
ENTITY_BYTES_MAX = 65_536


def find_metadata_size_problems(value: Mapping[str, Any]) -> tuple[Problem, ...]:
    """Return problems for values over 10,240 bytes, and for more than 64 KiB of properties and tags in total. `value`
    must satisfy its schema.
    """
    sizes = {key: len(text.encode()) for key, text in value["properties"].items()}
    problems = [
        Problem(f"/properties/{key}", f"a value may have at most {VALUE_BYTES_MAX} bytes, this one has {size}")
        for key, size in sizes.items()
        if size > VALUE_BYTES_MAX
    ]
    total = sum(sizes.values()) + sum(map(len, sizes)) + sum(len(tag) for tag in value["tags"])
    if total > ENTITY_BYTES_MAX:
        problems.append(
            Problem("", f"properties and tags may have at most {ENTITY_BYTES_MAX} bytes, these have {total}")
        )
    return tuple(problems)
