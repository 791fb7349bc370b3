"""Find references to other entities in values, by the annotations of the model."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

#: A step of a path that stands for every item of a list, or every value of an object.
ANY: Final = "*"
#: Objects of JSON. Nearly all are dictionaries, for which the check is faster than for an abstract class.
_OBJECT: Final = (dict, Mapping)


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship: the texts at a path are URNs of related entities.

    `is_lineage` means that data flows between the entities; `is_upstream` that it flows from the named entity to the
    one that names it.
    """

    path: tuple[str, ...]
    name: str
    types: tuple[str, ...] = ()
    is_lineage: bool = False
    is_upstream: bool = True

    def list_related_urns(self, value: Any) -> Iterator[str]:
        """Yield the URNs that a value of the aspect names at the path, ignoring values that are not strings."""
        yield from (urn for urn in list_values_at_path(value, self.path) if isinstance(urn, str))


def list_values_at_path(value: Any, path: tuple[str, ...]) -> list[Any]:
    """Return the values at a path."""
    values = [value]
    for step in path:
        if step == ANY:
            values = [item for each in values for item in _list_items(each)]
        else:
            values = [each[step] for each in values if isinstance(each, _OBJECT) and step in each]
    return values


def _list_items(value: Any) -> Iterable[Any]:
    if isinstance(value, _OBJECT):
        return value.values()
    return value if isinstance(value, list) else ()


def remove_urns_at_path(value: Any, path: tuple[str, ...], urns: frozenset[str]) -> Any:
    """Return a value without these URNs at a path: the item or member that names one is removed.

    If the path goes through a list or an object with arbitrary members, the whole item is removed, such as a tag with
    its attributes.
    """
    rest, _ = _prune_urns_at_path(value, path, urns)
    return rest


def _prune_urns_at_path(value: Any, path: tuple[str, ...], urns: frozenset[str]) -> tuple[Any, bool]:
    """Return the rest of a value, and whether it names a removed URN, in which case its container removes it."""
    if not path:
        return value, isinstance(value, str) and value in urns
    step, below = path[0], path[1:]
    if step == ANY and isinstance(value, list):
        pruned = [_prune_urns_at_path(item, below, urns) for item in value]
        return [item for item, goes in pruned if not goes], False
    if step == ANY and isinstance(value, Mapping):
        pruned_members = {name: _prune_urns_at_path(item, below, urns) for name, item in value.items()}
        return {name: item for name, (item, goes) in pruned_members.items() if not goes}, False
    if not isinstance(value, Mapping) or step not in value:
        return value, False
    inner, goes = _prune_urns_at_path(value[step], below, urns)
    if goes:
        return {name: item for name, item in value.items() if name != step}, True
    return {**value, step: inner}, False
