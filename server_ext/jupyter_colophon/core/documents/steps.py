"""Describe the operations between two values for people: with the old values."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from jupyter_colophon.core.documents.difference import diff_as_json_patch
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.documents.pointer import JsonPointer

Step = Mapping[str, Any]
_MISSING = object()


def add_old_values_to_operations(operations: Iterable[Step], before: object) -> list[dict[str, Any]]:
    """Return the operations of a difference; each `remove` and `replace` gets the replaced value as `old`.

    `before` is the value before the first operation. An operation has no `old` if its location does not exist in that
    value.
    """
    document = {"": deepcopy(before)}
    described = []
    for operation in operations:
        old = _apply_and_return_old_value(document, operation)
        described.append(dict(operation) if old is _MISSING or operation["op"] == "add" else {**operation, "old": old})
    return described


def add_old_values_to_versions(versions: Sequence[Step], before: object) -> list[dict[str, Any]]:
    """Return versions of an aspect, newest first, whose operations have old values; `before` is the value of the
    version before all of them.
    """
    olds = [*(version["value"] for version in versions[1:]), before]
    return [
        {**version, "diff": add_old_values_to_operations(version["diff"], old or {})}
        for version, old in zip(versions, olds, strict=True)
    ]


def format_operation(operation: Step) -> str:
    """Return an operation as people read it: `+ /tags/0 raw`, `- /tags/0 raw`, `~ /properties/owner ops → dev`."""
    sign = {"add": "+", "remove": "-"}.get(operation["op"], "~")
    values = " → ".join(_format_value(operation[name]) for name in ("old", "value") if name in operation)
    return f"{sign} {operation['path'] or '/'} {values}".rstrip()


def format_differences(before: object, after: object) -> list[str]:
    """Return how a value differs from an earlier one, as people read it; None is no value."""
    old = before or {}
    return list(map(format_operation, add_old_values_to_operations(diff_as_json_patch(old, after or {}), old)))


def _format_value(value: object) -> str:
    return value if isinstance(value, str) else encode_canonical_json(value)


def _apply_and_return_old_value(document: dict[str, Any], operation: Step) -> object:
    """Apply an `add`, a `remove` or a `replace` in place, and return the old value."""
    pointer = JsonPointer.parse_or_none(operation["path"])
    if pointer is None or operation["op"] not in ("add", "remove", "replace"):
        return _MISSING
    place = JsonPointer(("", *pointer.tokens))
    holder: Any = document
    for word in place.tokens[:-1]:
        holder = _get_member_or_item(holder, word)
    if isinstance(holder, dict):
        old = holder.pop(place.last, _MISSING)
        if operation["op"] != "remove":
            holder[place.last] = deepcopy(operation["value"])
        return old
    if isinstance(holder, list):
        return _apply_to_list_and_return_old_value(holder, place, operation)
    return _MISSING


def _apply_to_list_and_return_old_value(items: list[Any], pointer: JsonPointer, operation: Step) -> object:
    index = len(items) if pointer.last == "-" else pointer.last_index
    if index is None or index > len(items):
        return _MISSING
    if operation["op"] == "add":
        items.insert(index, deepcopy(operation["value"]))
        return _MISSING
    old = items[index] if index < len(items) else _MISSING
    items[index : index + 1] = [] if operation["op"] == "remove" else [deepcopy(operation["value"])]
    return old


def _get_member_or_item(container: object, word: str) -> object:
    if isinstance(container, dict):
        return container.get(word)
    if isinstance(container, list) and word.isdecimal() and int(word) < len(container):
        return container[int(word)]
    return None
