"""Where a value names other entities: the annotations of the model."""

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


def without(value: Any, path: tuple[str, ...], urns: frozenset[str]) -> Any:
    """A value without what is at a path and is one of these texts: the item or member that names it goes.

    Where a list or an object of any members is on the way, that is its whole item: a tag with all that is said of it.
    """
    kept, _ = _pruned(value, path, urns)
    return kept


def _pruned(value: Any, path: tuple[str, ...], urns: frozenset[str]) -> tuple[Any, bool]:
    """What stays of a value, and whether it names what goes, so that whatever holds it has to let it go."""
    if not path:
        return value, isinstance(value, str) and value in urns
    step, below = path[0], path[1:]
    if step == ANY and isinstance(value, list):
        pruned = [_pruned(one, below, urns) for one in value]
        return [one for one, goes in pruned if not goes], False
    if step == ANY and isinstance(value, Mapping):
        found = {name: _pruned(one, below, urns) for name, one in value.items()}
        return {name: one for name, (one, goes) in found.items() if not goes}, False
    if not isinstance(value, Mapping) or step not in value:
        return value, False
    inner, goes = _pruned(value[step], below, urns)
    if goes:
        return {name: one for name, one in value.items() if name != step}, True
    return {**value, step: inner}, False
