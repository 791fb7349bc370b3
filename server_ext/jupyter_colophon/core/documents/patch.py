"""Apply JSON Patch (RFC 6902) and merge patch (RFC 7396) within budgets, without changing the input.

The budgets are those of spec WRITE-8: without them, a patch of a thousand bytes may double a document with every
`copy`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.json_values import copy_json_deeply, equals_json, measure_json_size_and_depth
from jupyter_colophon.core.documents.pointer import JsonPointer
from jupyter_colophon.core.errors import PatchFailed, TooLarge

__all__ = ["DEFAULT_BUDGET", "PatchSizeLimit", "apply_json_patch", "apply_merge_patch", "diff_as_json_patch"]

OPERATIONS_MAX: Final = 100
COPIED_BYTES_MAX: Final = 256 * 1024


@dataclass(frozen=True, slots=True)
class PatchSizeLimit:
    """The largest size of a patched value, in bytes of JSON (approximate), and its largest depth in levels."""

    bytes_max: int = 10 * 1024 * 1024
    depth_max: int = 64


DEFAULT_BUDGET: Final = PatchSizeLimit()


def apply_json_patch(
    value: object,
    operations: object,
    limit: PatchSizeLimit = DEFAULT_BUDGET,
    *,
    operations_max: int = OPERATIONS_MAX,
    create_parents: bool = False,
) -> Any:
    """Apply a JSON Patch (RFC 6902) completely or not at all.

    With `making_parents`, `add` creates missing parent objects. Raises PatchFailed with a pointer into the patch for a
    malformed or inapplicable operation, and TooLarge for too many operations or a value that exceeds the budget at any
    time.
    """
    if not isinstance(operations, Sequence) or isinstance(operations, str):
        raise PatchFailed("a JSON Patch must be a list of operations")
    if len(operations) > operations_max:
        raise TooLarge(f"a patch may have at most {operations_max} operations")
    document = _PatchedDocument(value, limit, create_parents)
    for index, operation in enumerate(operations):
        document.at = f"/{index}"
        document.apply_operation(operation)
    return document.get_patched_value()


def apply_merge_patch(value: object, patch: object, limit: PatchSizeLimit = DEFAULT_BUDGET) -> Any:
    """Apply a merge patch (RFC 7396): members are replaced, and null removes one.

    Unchanged parts are shared with the input. Raises TooLarge if the budget is exceeded.
    """
    _require_size_within_limit(*measure_json_size_and_depth(patch, limit.depth_max), limit)
    merged = _merge_patch(value, patch)
    _require_size_within_limit(*measure_json_size_and_depth(merged, limit.depth_max), limit)
    return merged


def _merge_patch(value: object, patch: object) -> object:
    if not isinstance(patch, Mapping):
        return patch
    merged = dict(value) if isinstance(value, Mapping) else {}
    for name, new in patch.items():
        if new is None:
            merged.pop(name, None)
        else:
            merged[name] = _merge_patch(merged.get(name), new)
    return merged


def _require_size_within_limit(size: int, depth: int, budget: PatchSizeLimit) -> None:
    if size > budget.bytes_max:
        raise TooLarge(f"the patched value would be larger than {budget.bytes_max} bytes")
    if depth > budget.depth_max:
        raise TooLarge(f"the patched value would be nested deeper than {budget.depth_max} levels")


class _PatchedDocument:
    """A copy of the value to which operations are applied, with its current size."""

    def __init__(self, value: object, budget: PatchSizeLimit, making_parents: bool) -> None:
        self.at = ""
        self._making_parents = making_parents
        self._budget = budget
        self._copied = 0
        self._size, depth = measure_json_size_and_depth(value, budget.depth_max)
        _require_size_within_limit(self._size, depth, budget)
        self._value = copy_json_deeply(value)

    def get_patched_value(self) -> object:
        # Moves alone can make a value deep, and are not measured one by one.
        _require_size_within_limit(*measure_json_size_and_depth(self._value, self._budget.depth_max), self._budget)
        return self._value

    def apply_operation(self, operation: object) -> None:
        if not isinstance(operation, Mapping):
            raise PatchFailed("an operation must be an object", self.at)
        name = operation.get("op")
        action = _ACTIONS.get(name) if isinstance(name, str) else None
        if action is None:
            raise PatchFailed(f"op must be one of {' '.join(_ACTIONS)}", f"{self.at}/op")
        action(self, operation)

    def add(self, operation: Mapping[str, Any]) -> None:
        self._insert_value_at(self._read_pointer(operation, "path"), self._read_value(operation))

    def remove(self, operation: Mapping[str, Any]) -> None:
        self._size -= self._measure_value(
            self._remove_and_return_value_at(self._read_pointer(operation, "path"), "path")
        )

    def replace(self, operation: Mapping[str, Any]) -> None:
        pointer, value = self._read_pointer(operation, "path"), self._read_value(operation)
        present = self._find_value_at(pointer, "path")
        self._add_size_and_require_limit(
            self._measure_value_and_require_depth(pointer, value) - self._measure_value(present)
        )
        if pointer.is_root:
            self._value = copy_json_deeply(value)
            return
        holder = self._find_value_at(pointer.parent, "path")
        if isinstance(holder, list):
            holder[self._parse_list_index(holder, pointer, "path")] = copy_json_deeply(value)
        else:
            holder[pointer.last] = copy_json_deeply(value)

    def move(self, operation: Mapping[str, Any]) -> None:
        source, target = self._read_pointer(operation, "from"), self._read_pointer(operation, "path")
        if source == target:
            self._find_value_at(source, "from")
            return
        if source.contains(target):
            raise PatchFailed("a value cannot be moved into itself", f"{self.at}/path")
        value = self._remove_and_return_value_at(source, "from")
        self._set_or_insert_value_at(target, value)
        if target.is_root:
            self._add_size_and_require_limit(self._measure_value(value))

    def copy(self, operation: Mapping[str, Any]) -> None:
        present = self._find_value_at(self._read_pointer(operation, "from"), "from")
        self._copied += self._measure_value(present)
        if self._copied > COPIED_BYTES_MAX:
            raise TooLarge(f"a patch may copy at most {COPIED_BYTES_MAX} bytes")
        self._insert_value_at(self._read_pointer(operation, "path"), present)

    def test(self, operation: Mapping[str, Any]) -> None:
        expected = self._read_value(operation)
        if not equals_json(self._find_value_at(self._read_pointer(operation, "path"), "path"), expected):
            raise PatchFailed("the value at this path differs", f"{self.at}/value")

    def _insert_value_at(self, pointer: JsonPointer, value: object) -> None:
        size = self._measure_value_and_require_depth(pointer, value)
        if self._making_parents:
            self._create_missing_parents(pointer)
        self._set_or_insert_value_at(pointer, copy_json_deeply(value))
        self._add_size_and_require_limit(size)

    def _create_missing_parents(self, pointer: JsonPointer) -> None:
        """Create the missing objects above a location; `_find` reports values of another type."""
        present = self._value
        for word in pointer.tokens[:-1]:
            if not isinstance(present, dict):
                return
            if present.get(word) is None:
                self._add_size_and_require_limit(len(word) + 6)
                present[word] = {}
            present = present[word]

    def _measure_value_and_require_depth(self, pointer: JsonPointer, value: object) -> int:
        """Return the size of a value for this location. Raises TooLarge if it would be too deep."""
        size, depth = measure_json_size_and_depth(value, self._budget.depth_max)
        _require_size_within_limit(0, len(pointer.tokens) + depth, self._budget)
        return size

    def _add_size_and_require_limit(self, size: int) -> None:
        self._size += size
        _require_size_within_limit(self._size, 0, self._budget)

    def _measure_value(self, value: object) -> int:
        return measure_json_size_and_depth(value, self._budget.depth_max)[0]

    def _set_or_insert_value_at(self, pointer: JsonPointer, value: object) -> None:
        if pointer.is_root:
            self._value, self._size = value, 0
            return
        holder = self._find_value_at(pointer.parent, "path")
        if isinstance(holder, list):
            at_end = pointer.last == "-"
            holder.insert(
                len(holder) if at_end else self._parse_list_index(holder, pointer, "path", len(holder) + 1), value
            )
        elif isinstance(holder, dict):
            # An existing member is replaced (RFC 6902, 4.1).
            was = self._measure_value(holder[pointer.last]) if pointer.last in holder else -len(pointer.last)
            self._size -= was
            holder[pointer.last] = value
        else:
            raise PatchFailed("only objects and lists have members", f"{self.at}/path")

    def _remove_and_return_value_at(self, pointer: JsonPointer, member: str) -> object:
        if pointer.is_root:
            raise PatchFailed("the whole value cannot be removed", f"{self.at}/{member}")
        present = self._find_value_at(pointer, member)
        holder = self._find_value_at(pointer.parent, member)
        if isinstance(holder, list):
            del holder[self._parse_list_index(holder, pointer, member)]
        else:
            del holder[pointer.last]
        return present

    def _find_value_at(self, pointer: JsonPointer, member: str) -> Any:
        present: Any = self._value
        for depth, word in enumerate(pointer.tokens):
            if isinstance(present, list):
                present = present[self._parse_list_index(present, pointer.get_prefix(depth + 1), member)]
            elif isinstance(present, dict) and word in present:
                present = present[word]
            else:
                raise PatchFailed("no value exists at this path", f"{self.at}/{member}")
        return present

    def _parse_list_index(self, items: list[Any], pointer: JsonPointer, member: str, count: int | None = None) -> int:
        index = pointer.last_index
        if index is None or index >= (len(items) if count is None else count):
            raise PatchFailed("the list has no such index", f"{self.at}/{member}")
        return index

    def _read_pointer(self, operation: Mapping[str, Any], member: str) -> JsonPointer:
        text = operation.get(member)
        pointer = JsonPointer.parse_or_none(text) if isinstance(text, str) else None
        if pointer is None:
            raise PatchFailed(f"{member} must be a JSON Pointer such as /tags/0", f"{self.at}/{member}")
        return pointer

    def _read_value(self, operation: Mapping[str, Any]) -> object:
        if "value" not in operation:
            raise PatchFailed("value is missing", self.at)
        return operation["value"]


_ACTIONS: Final[dict[str, Callable[[_PatchedDocument, Mapping[str, Any]], None]]] = {
    "add": _PatchedDocument.add,
    "remove": _PatchedDocument.remove,
    "replace": _PatchedDocument.replace,
    "move": _PatchedDocument.move,
    "copy": _PatchedDocument.copy,
    "test": _PatchedDocument.test,
}
