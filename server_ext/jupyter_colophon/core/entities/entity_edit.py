"""Changes that a program makes to an entity: for each aspect, the new value from the stored one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]
#: Returns the new value of an aspect from the stored one, which it does not change; {} stands for an absent aspect.
AspectEdit = Callable[[Document], Document]


@dataclass(frozen=True, slots=True)
class EntityEdit:
    """An entity, and the edits of its aspects by their names."""

    urn: str
    aspects: Mapping[str, AspectEdit]
