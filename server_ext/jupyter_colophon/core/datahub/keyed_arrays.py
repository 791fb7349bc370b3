"""Convert arrays to maps, so that a JSON Patch addresses an element by its key instead of its index (spec DH-7).

`{"tags": [{"tag": "a"}]}` keyed by `tag` becomes `{"tags": {"a": {"tag": "a"}}}`. Several keys give several levels, a
key may be nested in the element (its parts are separated by U+241F), and a missing key is "".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.errors import TooLarge

#: The separator of the names of a path inside an element or an aspect.
SEPARATOR: Final = "\u241f"
#: In the path of a field: every member of an object. As a part of a key: the only member of an object.
EVERY: Final = "*"
#: The most levels that all elements of an array may need together: each level is an object in memory.
_LEVELS_MAX = 500_000


@dataclass(frozen=True, slots=True)
class KeyedArray:
    """The path of an array (EVERY stands for each member of an object), and the keys of its elements.

    Without keys, the elements are strings and are their own keys.
    """

    path: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]

    @classmethod
    def from_keys(cls, field: str, keys: list[str]) -> "KeyedArray":
        """Create from the keys as clients write them."""
        return cls(tuple(field.split(SEPARATOR)), tuple(tuple(key.split(SEPARATOR)) for key in keys))

    def replace_arrays_by_maps(self, document: Any) -> None:
        """Convert the array to a map, wherever it occurs. Arrays with elements that are not objects are unchanged.
        Raises TooLarge.
        """
        for holder in _list_parents_of_path(document, self.path):
            array = holder.get(self.path[-1])
            if isinstance(array, list) and self._can_convert_elements(array):
                if len(array) * max(1, len(self.keys)) > _LEVELS_MAX:
                    raise TooLarge("an array has too many elements to be patched by their keys")
                holder[self.path[-1]] = self._build_map_by_keys(array)

    def replace_maps_by_arrays(self, document: Any) -> None:
        """Convert the map back to an array. An array that the patch wrote is kept, and null is an empty array."""
        for holder in _list_parents_of_path(document, self.path):
            member = holder.get(self.path[-1])
            if isinstance(member, dict):
                holder[self.path[-1]] = list(self._list_elements_of_map(member, ()))
            elif member is None and self.path[-1] in holder:
                holder[self.path[-1]] = []

    def _can_convert_elements(self, elements: list[Any]) -> bool:
        element_type = dict if self.keys else str
        return all(isinstance(element, element_type) for element in elements)

    def _build_map_by_keys(self, elements: list[Any]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for element in elements:
            if not self.keys:
                members[element] = element
                continue
            level = members
            for key in self.keys[:-1]:
                level = level.setdefault(_format_key_member(element, key), {})
            level[_format_key_member(element, self.keys[-1])] = element
        return members

    def _list_elements_of_map(self, level: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[Any]:
        for name, inner in level.items():
            path = (*names, name)
            if not self.keys:
                yield name
            elif len(path) < len(self.keys):
                # Pass on anything that is not a map: the aspect's schema rejects it.
                yield from self._list_elements_of_map(inner, path) if isinstance(inner, Mapping) else (inner,)
            else:
                yield self._add_key_members(inner, path)

    def _add_key_members(self, element: Any, names: tuple[str, ...]) -> Any:
        """Return an element with the key members from its path, except nested ones."""
        if not isinstance(element, dict):
            return element
        path = {key[0]: name for key, name in zip(self.keys, names, strict=True) if len(key) == 1 and name}
        return path | element


def _list_parents_of_path(document: Any, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the objects that may have the last member of a path."""
    if not isinstance(document, dict):
        return
    if len(path) == 1:
        yield document
        return
    inner = list(document.values()) if path[0] == EVERY else [document.get(path[0])]
    for child in inner:
        yield from _list_parents_of_path(child, path[1:])


def _format_key_member(element: Any, key: tuple[str, ...]) -> str:
    """Return a part of an element as text; "" if it is missing."""
    for name in key:
        if not isinstance(element, Mapping):
            return ""
        only = name == EVERY and len(element) == 1
        element = next(iter(element.values())) if only else element.get(name)
    if isinstance(element, bool):
        return "true" if element else "false"
    return str(element) if isinstance(element, str | int | float) else ""
