"""JSON Patch (RFC 6902) and merge patch (RFC 7396) within budgets, and the difference of two values.

What is given is never changed: a patched value is a new one. The budgets are those of spec WRITE-8: a patch
of a thousand bytes may otherwise double a document with every `copy`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.documents.difference import diff
from jupyter_colophon.core.documents.json_values import copied, measured, same
from jupyter_colophon.core.documents.pointer import Pointer
from jupyter_colophon.core.errors import PatchFailed, TooLarge

__all__ = ["DEFAULT_BUDGET", "Budget", "apply_json_patch", "apply_merge_patch", "diff"]

OPERATIONS_MAX: Final = 100
COPIED_BYTES_MAX: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class Budget:
    """How large and how deep a patched value may be, in bytes of JSON (about) and levels."""

    bytes_max: int = 10 * 1024 * 1024
    depth_max: int = 64


DEFAULT_BUDGET: Final = Budget()


def apply_json_patch(
    value: object,
    operations: object,
    budget: Budget = DEFAULT_BUDGET,
    *,
    operations_max: int = OPERATIONS_MAX,
    making_parents: bool = False,
) -> Any:
    """The value after a JSON Patch (RFC 6902), all of it or nothing.

    With `making_parents`, `add` makes the objects on its way that are missing. Raises `PatchFailed` with a pointer into
    the patch for an operation that is malformed or cannot be applied, and `TooLarge` over so many operations or over
    the budget at any moment.
    """
    if not isinstance(operations, Sequence) or isinstance(operations, str):
        raise PatchFailed("a JSON Patch is a list of operations")
    if len(operations) > operations_max:
        raise TooLarge(f"a patch has at most {operations_max} operations")
    document = _Document(value, budget, making_parents)
    for index, operation in enumerate(operations):
        document.at = f"/{index}"
        document.apply(operation)
    return document.result()


def apply_merge_patch(value: object, patch: object, budget: Budget = DEFAULT_BUDGET) -> Any:
    """The value after a merge patch (RFC 7396): members are replaced, null takes one away.

    Parts that stay are shared with the given value. Raises `TooLarge` over the budget.
    """
    _check_size(*measured(patch, budget.depth_max), budget)
    merged = _merged(value, patch)
    _check_size(*measured(merged, budget.depth_max), budget)
    return merged


def _merged(value: object, patch: object) -> object:
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(value) if isinstance(value, Mapping) else {}
    for name, wanted in patch.items():
        if wanted is None:
            merged.pop(name, None)
        else:
            merged[name] = _merged(merged.get(name), wanted)
    return merged


def _check_size(size: int, depth: int, budget: Budget) -> None:
    if size > budget.bytes_max:
        raise TooLarge(f"the patched value would be larger than {budget.bytes_max} bytes")
    if depth > budget.depth_max:
        raise TooLarge(f"the patched value would be nested deeper than {budget.depth_max} levels")


class _Document:
    """A copy of the value while operations change it, with its size kept in step."""

    def __init__(self, value: object, budget: Budget, making_parents: bool) -> None:
        self.at = ""
        self._making_parents = making_parents
        self._budget = budget
        self._copied = 0
        self._size, depth = measured(value, budget.depth_max)
        _check_size(self._size, depth, budget)
        self._value = copied(value)

    def result(self) -> object:
        # Moves alone can make a value deep, and are not measured one by one.
        _check_size(*measured(self._value, self._budget.depth_max), self._budget)
        return self._value

    def apply(self, operation: object) -> None:
        if not isinstance(operation, Mapping):
            raise PatchFailed("an operation is an object", self.at)
        name = operation.get("op")
        action = _ACTIONS.get(name) if isinstance(name, str) else None
        if action is None:
            raise PatchFailed(f"op is one of {' '.join(_ACTIONS)}", f"{self.at}/op")
        action(self, operation)

    def add(self, operation: Mapping[str, Any]) -> None:
        self._insert(self._pointer(operation, "path"), self._given(operation))

    def remove(self, operation: Mapping[str, Any]) -> None:
        self._size -= self._measure(self._take(self._pointer(operation, "path"), "path"))

    def replace(self, operation: Mapping[str, Any]) -> None:
        pointer, given = self._pointer(operation, "path"), self._given(operation)
        present = self._find(pointer, "path")
        self._grow(self._checked_depth(pointer, given) - self._measure(present))
        if pointer.is_root:
            self._value = copied(given)
            return
        holder = self._find(pointer.parent, "path")
        if isinstance(holder, list):
            holder[self._index(holder, pointer, "path")] = copied(given)
        else:
            holder[pointer.last] = copied(given)

    def move(self, operation: Mapping[str, Any]) -> None:
        source, target = self._pointer(operation, "from"), self._pointer(operation, "path")
        if source == target:
            self._find(source, "from")
            return
        if source.holds(target):
            raise PatchFailed("a value cannot be moved into itself", f"{self.at}/path")
        taken = self._take(source, "from")
        self._place(target, taken)
        if target.is_root:
            self._grow(self._measure(taken))

    def copy(self, operation: Mapping[str, Any]) -> None:
        present = self._find(self._pointer(operation, "from"), "from")
        self._copied += self._measure(present)
        if self._copied > COPIED_BYTES_MAX:
            raise TooLarge(f"a patch copies at most {COPIED_BYTES_MAX} bytes")
        self._insert(self._pointer(operation, "path"), present)

    def test(self, operation: Mapping[str, Any]) -> None:
        wanted = self._given(operation)
        if not same(self._find(self._pointer(operation, "path"), "path"), wanted):
            raise PatchFailed("the value there is another one", f"{self.at}/value")

    def _insert(self, pointer: Pointer, value: object) -> None:
        size = self._checked_depth(pointer, value)
        if self._making_parents:
            self._make_parents(pointer)
        self._place(pointer, copied(value))
        self._grow(size)

    def _make_parents(self, pointer: Pointer) -> None:
        """Make the objects on the way to a place; where there is something else on it, `_find` says so."""
        present = self._value
        for word in pointer.words[:-1]:
            if not isinstance(present, dict):
                return
            if present.get(word) is None:
                self._grow(len(word) + 6)
                present[word] = {}
            present = present[word]

    def _checked_depth(self, pointer: Pointer, value: object) -> int:
        """The size of a value that is to stand at a place, if it is not too deep for it."""
        size, depth = measured(value, self._budget.depth_max)
        _check_size(0, len(pointer.words) + depth, self._budget)
        return size

    def _grow(self, size: int) -> None:
        self._size += size
        _check_size(self._size, 0, self._budget)

    def _measure(self, value: object) -> int:
        return measured(value, self._budget.depth_max)[0]

    def _place(self, pointer: Pointer, value: object) -> None:
        if pointer.is_root:
            self._value, self._size = value, 0
            return
        holder = self._find(pointer.parent, "path")
        if isinstance(holder, list):
            at_end = pointer.last == "-"
            holder.insert(len(holder) if at_end else self._index(holder, pointer, "path", len(holder) + 1), value)
        elif isinstance(holder, dict):
            # A member that was there is replaced (RFC 6902, 4.1).
            was = self._measure(holder[pointer.last]) if pointer.last in holder else -len(pointer.last)
            self._size -= was
            holder[pointer.last] = value
        else:
            raise PatchFailed("only objects and lists have members", f"{self.at}/path")

    def _take(self, pointer: Pointer, member: str) -> object:
        if pointer.is_root:
            raise PatchFailed("the whole value cannot be taken away", f"{self.at}/{member}")
        present = self._find(pointer, member)
        holder = self._find(pointer.parent, member)
        if isinstance(holder, list):
            del holder[self._index(holder, pointer, member)]
        else:
            del holder[pointer.last]
        return present

    def _find(self, pointer: Pointer, member: str) -> Any:
        present: Any = self._value
        for depth, word in enumerate(pointer.words):
            if isinstance(present, list):
                present = present[self._index(present, pointer.until(depth + 1), member)]
            elif isinstance(present, dict) and word in present:
                present = present[word]
            else:
                raise PatchFailed("no value exists at this path", f"{self.at}/{member}")
        return present

    def _index(self, holder: list[Any], pointer: Pointer, member: str, count: int | None = None) -> int:
        index = pointer.last_index
        if index is None or index >= (len(holder) if count is None else count):
            raise PatchFailed("the list has no such place", f"{self.at}/{member}")
        return index

    def _pointer(self, operation: Mapping[str, Any], member: str) -> Pointer:
        text = operation.get(member)
        pointer = Pointer.parse(text) if isinstance(text, str) else None
        if pointer is None:
            raise PatchFailed(f"{member} is a JSON Pointer, such as /tags/0", f"{self.at}/{member}")
        return pointer

    def _given(self, operation: Mapping[str, Any]) -> object:
        if "value" not in operation:
            raise PatchFailed("value is missing", self.at)
        return operation["value"]


_ACTIONS: Final[dict[str, Callable[[_Document, Mapping[str, Any]], None]]] = {
    "add": _Document.add,
    "remove": _Document.remove,
    "replace": _Document.replace,
    "move": _Document.move,
    "copy": _Document.copy,
    "test": _Document.test,
}
