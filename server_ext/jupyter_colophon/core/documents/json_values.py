"""JSON values in memory: size, equality, copies, and copies without some parts."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import NoneType
from typing import Any, Final

#: The approximate size of a number, a boolean or null as JSON text.
_SCALAR_BYTES: Final = 8
_SCALARS: Final = frozenset({int, float, bool, NoneType})
#: The types of most items that are neither texts nor objects.
_COMMON_TYPES: Final = (int, float, NoneType, list, tuple)
#: Deeper than any stored document.
_DEPTH_MAX: Final = 100
#: Returned by `remove_hidden_values` if nothing is left of a value.
REMOVED: Final = object()


def measure_json_size_and_depth(value: object, depth_max: int) -> tuple[int, int]:
    """Return the approximate size of a value as JSON in bytes, and its number of levels.

    Separators and names count for the container.

    Stops one level below `depth_max`, so that hostile depth costs nothing.
    """
    size, depth = 0, 0
    level = [value]
    while level and depth <= depth_max:
        deeper: list[Any] = []
        containers = 0
        for item in level:
            kind = type(item)
            if kind in _SCALARS:
                size += _SCALAR_BYTES
            elif isinstance(item, str):
                size += (len(item) if item.isascii() else len(item.encode("utf-8", "surrogatepass"))) + 2
            elif isinstance(item, list | tuple):
                containers += 1
                size += 2 + len(item)
                deeper.extend(item)
            # Last, since the check of an abstract class takes longer than all else.
            elif isinstance(item, dict | Mapping):
                containers += 1
                size += 2 + sum(map(len, item)) + 4 * len(item)
                deeper.extend(item.values())
            else:
                size += _SCALAR_BYTES
        depth += 1 if containers else 0
        level = deeper
    return size, depth


def measure_json_bytes(value: object) -> int:
    """Return the approximate size of a checked document as JSON in bytes."""
    return measure_json_size_and_depth(value, _DEPTH_MAX)[0]


def is_larger_as_json(value: object, bytes_max: float) -> bool:
    """Return whether a value is larger than this number of bytes as JSON, stopping as soon as it is."""
    size = 0
    containers: list[Iterable[object]] = [(value,)]
    while containers:
        for item in containers.pop():
            kind = type(item)
            if kind is str:
                size += len(item)  # type: ignore[arg-type]  # a text
                continue
            size += _SCALAR_BYTES
            # The check of an abstract class takes longer than all else.
            if kind is dict or (kind not in _SCALARS and isinstance(item, Mapping)):
                size += sum(map(len, item))  # type: ignore[call-overload]  # an object
                containers.append(item.values())  # type: ignore[attr-defined]
            elif kind not in _SCALARS and isinstance(item, list | tuple):
                containers.append(item)
        if size > bytes_max:
            return True
    return False


def equals_json(value: object, other: object) -> bool:
    """Return whether two values are equal JSON: 1 equals 1.0, but booleans are not numbers (RFC 6902, 4.6)."""
    if isinstance(value, bool) or isinstance(other, bool):
        return value is other
    if isinstance(value, Mapping) and isinstance(other, Mapping):
        return value.keys() == other.keys() and all(equals_json(value[name], other[name]) for name in value)
    if isinstance(value, list | tuple) and isinstance(other, list | tuple):
        return len(value) == len(other) and all(map(equals_json, value, other))
    return value == other


def copy_json_deeply(value: object) -> object:
    """Return a copy that shares no list and no object with the value."""
    if isinstance(value, Mapping):
        return {name: copy_json_deeply(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [copy_json_deeply(item) for item in value]
    return value


def iterate_texts(value: object) -> Iterator[str]:
    """Yield the texts in a value, except names of members, in no particular order."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        # The check of an abstract class takes longer than all else, and most items are texts.
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict) or (not isinstance(item, _COMMON_TYPES) and isinstance(item, Mapping)):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)


def remove_hidden_values(value: Any, is_hidden: Callable[[Any], bool]) -> Any:
    """Return a value without its hidden parts; `REMOVED` if nothing is left.

    A hidden element of a list is removed alone; a hidden required member removes its object.
    """
    if is_hidden(value):
        return REMOVED
    if isinstance(value, Mapping):
        inner = {name: remove_hidden_values(item, is_hidden) for name, item in value.items()}
        return REMOVED if REMOVED in inner.values() else inner
    if isinstance(value, list | tuple):
        return [pruned for item in value if (pruned := remove_hidden_values(item, is_hidden)) is not REMOVED]
    return value
