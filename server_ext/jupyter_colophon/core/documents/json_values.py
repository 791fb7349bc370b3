"""JSON values as Python holds them: how large they are, whether two are the same, copies, and copies without some parts."""

from collections.abc import Callable, Mapping
from typing import Any, Final

#: About what a number, a boolean or null takes in JSON text.
_SCALAR_BYTES: Final = 8
#: Deeper than any document that is stored.
_DEPTH_MAX: Final = 100
#: What `pruned` returns for a value of which nothing is left.
REMOVED: Final = object()


def measured(value: object, depth_max: int) -> tuple[int, int]:
    """About how many bytes a value has as JSON, and how many levels of lists and objects.

    Stops one level below `depth_max`, so that a hostile depth costs nothing.
    """
    size, depth = 0, 0
    level = [value]
    while level and depth <= depth_max:
        deeper: list[Any] = []
        containers = 0
        for item in level:
            size += _own_bytes(item)
            if isinstance(item, Mapping):
                containers += 1
                deeper.extend(item.values())
            elif isinstance(item, list | tuple):
                containers += 1
                deeper.extend(item)
        depth += 1 if containers else 0
        level = deeper
    return size, depth


def measure(value: object) -> int:
    """Return about how many bytes a document that was checked before has as JSON."""
    return measured(value, _DEPTH_MAX)[0]


def is_larger(value: object, bytes_max: int) -> bool:
    """Return whether a value has about more than so many bytes as JSON. Looks no further than it must."""
    size, waiting = 0, [value]
    while waiting:
        item = waiting.pop()
        size += len(item) if isinstance(item, str) else _SCALAR_BYTES
        if size > bytes_max:
            return True
        if isinstance(item, Mapping):
            size += sum(map(len, item))
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return False


def same(one: object, other: object) -> bool:
    """Whether two values are the same JSON: 1 is 1.0, but no boolean is a number (RFC 6902, 4.6)."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other


def copied(value: object) -> object:
    """A copy that shares no list and no object with the given value."""
    if isinstance(value, Mapping):
        return {name: copied(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [copied(item) for item in value]
    return value


def _own_bytes(value: object) -> int:
    """What a value takes without what is inside it: commas, colons and names belong to the one that holds them."""
    if isinstance(value, str):
        return (len(value) if value.isascii() else len(value.encode("utf-8", "surrogatepass"))) + 2
    if isinstance(value, Mapping):
        return 2 + sum(len(name) + 4 for name in value)
    if isinstance(value, list | tuple):
        return 2 + len(value)
    return _SCALAR_BYTES


def pruned(value: Any, is_hidden: Callable[[Any], bool]) -> Any:
    """Return a value without its hidden parts; `REMOVED` where nothing is left.

    A hidden element of a list is left out alone; a hidden member takes the object that needs it along.
    """
    if is_hidden(value):
        return REMOVED
    if isinstance(value, Mapping):
        inner = {name: pruned(item, is_hidden) for name, item in value.items()}
        return REMOVED if REMOVED in inner.values() else inner
    if isinstance(value, list | tuple):
        return [kept for item in value if (kept := pruned(item, is_hidden)) is not REMOVED]
    return value
