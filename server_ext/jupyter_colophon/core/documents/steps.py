"""Describe the operations between two values for people: with the old values."""

from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from typing import Any

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.documents.pointer import JsonPointer

Step = Mapping[str, Any]
_MISSING = object()


def add_old_values_to_operations(steps: Iterable[Step], before: object) -> list[dict[str, Any]]:
    """Return the operations of a difference; each `remove` and `replace` gets the replaced value as `old`.

    `before` is the value before the first operation. An operation has no `old` if its location does not exist in that
    value.
    """
    document = {"": deepcopy(before)}
    described = []
    for step in steps:
        old = _apply_and_return_old_value(document, step)
        described.append(dict(step) if old is _MISSING or step["op"] == "add" else {**step, "old": old})
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


def format_operation(step: Step) -> str:
    """Return an operation as people read it: `+ /tags/0 raw`, `- /tags/0 raw`, `~ /properties/owner ops → dev`."""
    sign = {"add": "+", "remove": "-"}.get(step["op"], "~")
    values = " → ".join(_format_value(step[name]) for name in ("old", "value") if name in step)
    return f"{sign} {step['path'] or '/'} {values}".rstrip()


def _format_value(value: object) -> str:
    return value if isinstance(value, str) else encode_canonical_json(value)


def _apply_and_return_old_value(document: dict[str, Any], step: Step) -> object:
    """Apply an `add`, a `remove` or a `replace` in place, and return the old value."""
    pointer = JsonPointer.parse_or_none(step["path"])
    if pointer is None or step["op"] not in ("add", "remove", "replace"):
        return _MISSING
    place = JsonPointer(("", *pointer.words))
    holder: Any = document
    for word in place.words[:-1]:
        holder = _get_member_or_item(holder, word)
    if isinstance(holder, dict):
        old = holder.pop(place.last, _MISSING)
        if step["op"] != "remove":
            holder[place.last] = deepcopy(step["value"])
        return old
    if isinstance(holder, list):
        return _apply_to_list_and_return_old_value(holder, place, step)
    return _MISSING


def _apply_to_list_and_return_old_value(items: list[Any], place: JsonPointer, step: Step) -> object:
    index = len(items) if place.last == "-" else place.last_index
    if index is None or index > len(items):
        return _MISSING
    if step["op"] == "add":
        items.insert(index, deepcopy(step["value"]))
        return _MISSING
    old = items[index] if index < len(items) else _MISSING
    items[index : index + 1] = [] if step["op"] == "remove" else [deepcopy(step["value"])]
    return old


def _get_member_or_item(holder: object, word: str) -> object:
    if isinstance(holder, dict):
        return holder.get(word)
    if isinstance(holder, list) and word.isdecimal() and int(word) < len(holder):
        return holder[int(word)]
    return None
