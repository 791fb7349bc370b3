"""Arrays as maps, so that a JSON Patch names an element by what it is and not by its place (spec DH-7).

`{"tags": [{"tag": "a"}]}` keyed by `tag` becomes `{"tags": {"a": {"tag": "a"}}}`; more keys are more levels, a key may lie
deeper in the element (its parts have U+241F between), and a key that an element lacks is "".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.errors import TooLarge

#: Between the names of a place inside an element, or inside an aspect.
SEPARATOR: Final = "\u241f"
#: In the path of a field: every member of an object. As a part of a key: the only member of an object.
EVERY: Final = "*"
#: So many levels all elements of an array may make together: each level is an object in memory.
_LEVELS_MAX = 500_000


@dataclass(frozen=True, slots=True)
class KeyedArray:
    """Where an array is (EVERY stands for each member of an object), and what its elements are named by.

    Without keys, the elements are texts and name themselves.
    """

    path: tuple[str, ...]
    keys: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, field: str, keys: list[str]) -> "KeyedArray":
        """As clients write it."""
        return cls(tuple(field.split(SEPARATOR)), tuple(tuple(key.split(SEPARATOR)) for key in keys))

    def to_maps(self, document: Any) -> None:
        """Make the array a map, everywhere; what is no array, or has elements without members, is left as it is.

        Raises TooLarge.
        """
        for holder in _holders(document, self.path):
            there = holder.get(self.path[-1])
            if isinstance(there, list) and self._fits(there):
                if len(there) * max(1, len(self.keys)) > _LEVELS_MAX:
                    raise TooLarge("an array has too many elements to be patched by their keys")
                holder[self.path[-1]] = self._map(there)

    def to_arrays(self, document: Any) -> None:
        """Make the map an array again; an array that the patch put there stays, and null is an empty one."""
        for holder in _holders(document, self.path):
            there = holder.get(self.path[-1])
            if isinstance(there, dict):
                holder[self.path[-1]] = list(self._elements(there, ()))
            elif there is None and self.path[-1] in holder:
                holder[self.path[-1]] = []

    def _fits(self, elements: list[Any]) -> bool:
        wanted = dict if self.keys else str
        return all(isinstance(one, wanted) for one in elements)

    def _map(self, elements: list[Any]) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for element in elements:
            if not self.keys:
                made[element] = element
                continue
            level = made
            for key in self.keys[:-1]:
                level = level.setdefault(_text(element, key), {})
            level[_text(element, self.keys[-1])] = element
        return made

    def _elements(self, level: Mapping[str, Any], names: tuple[str, ...]) -> Iterator[Any]:
        for name, inner in level.items():
            path = (*names, name)
            if not self.keys:
                yield name
            elif len(path) < len(self.keys):
                # Pass on anything that is not a map: the aspect's schema rejects it.
                yield from self._elements(inner, path) if isinstance(inner, Mapping) else (inner,)
            else:
                yield self._named(inner, path)

    def _named(self, element: Any, names: tuple[str, ...]) -> Any:
        """Return an element with the key members from its path, except nested ones."""
        if not isinstance(element, dict):
            return element
        path = {key[0]: name for key, name in zip(self.keys, names, strict=True) if len(key) == 1 and name}
        return path | element


def _holders(document: Any, path: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The objects in which the last name of a path is to be looked for."""
    if not isinstance(document, dict):
        return
    if len(path) == 1:
        yield document
        return
    inner = list(document.values()) if path[0] == EVERY else [document.get(path[0])]
    for one in inner:
        yield from _holders(one, path[1:])


def _text(element: Any, key: tuple[str, ...]) -> str:
    """A part of an element as text; "" for what is not there."""
    for name in key:
        if not isinstance(element, Mapping):
            return ""
        only = name == EVERY and len(element) == 1
        element = next(iter(element.values())) if only else element.get(name)
    if isinstance(element, bool):
        return "true" if element else "false"
    return str(element) if isinstance(element, str | int | float) else ""
