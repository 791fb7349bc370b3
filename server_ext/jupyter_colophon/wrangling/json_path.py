"""Paths in JSON values: members and positions."""

import re
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.wrangling.errors import ArgumentError

_STEP: Final = re.compile(r"\.([^.\[\]\s]+)|\[([0-9]{1,9})\]")


@dataclass(frozen=True, slots=True)
class JsonPath:
    """The members and positions of a path."""

    steps: tuple[str | int, ...]

    def find_value(self, value: Any) -> Any:
        """Return the value at the path; None if it is missing."""
        for step in self.steps:
            if isinstance(step, str):
                value = value.get(step) if isinstance(value, dict) else None
            else:
                value = value[step] if isinstance(value, list) and step < len(value) else None
        return value


def parse_json_path(text: str) -> JsonPath:
    """Parse a path such as `$.items[0].name`. Raises ArgumentError."""
    steps: list[str | int] = []
    position = 1
    while text.startswith("$") and position < len(text):
        found = _STEP.match(text, position)
        if found is None:
            break
        steps.append(found[1] if found[1] is not None else int(found[2]))
        position = found.end()
    if not text.startswith("$") or position < len(text):
        raise ArgumentError(f"{text} is not a valid path: use members and positions, such as $.items[0].name")
    return JsonPath(tuple(steps))
