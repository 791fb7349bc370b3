"""Where a value names other entities: the annotations of the model (datahub.md F)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

#: A step of a path that stands for every item of a list, or every value of an object.
ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class Relationship:
    """The texts at a path are URNs, and the entity is related to them in this way.

    `is_lineage` tells that data flow; `is_upstream` that they flow from the named entity to the one that names it.
    """

    path: tuple[str, ...]
    name: str
    types: tuple[str, ...] = ()
    is_lineage: bool = False
    is_upstream: bool = True

    def named_in(self, value: Any) -> Iterator[str]:
        """The URNs that a value of the aspect names there; whatever is no text is passed by."""
        yield from (found for found in at(value, self.path) if isinstance(found, str))


def at(value: Any, path: tuple[str, ...]) -> Iterator[Any]:
    """What is at a path of a value."""
    if not path:
        yield value
        return
    step, *rest = path
    below = tuple(rest)
    if step == ANY:
        items = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
        for item in items:
            yield from at(item, below)
    elif isinstance(value, Mapping) and step in value:
        yield from at(value[step], below)
