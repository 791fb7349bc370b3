"""Summarize what a change did in one sentence, by the names of members: values may be long, and readers have them."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from jupyter_colophon.core.entities.change import Change, ChangeOperation

_Kind = Literal["added", "changed", "removed"]
#: The names listed of each kind; more are counted.
_NAMES_MAX: Final = 5
#: Larger members are not compared item by item.
_ITEMS_MAX: Final = 1000
#: Members whose own members are named without them: keys that users or programs chose.
_CONTAINERS: Final = frozenset({"properties", "customProperties"})
#: Members that clients write with every version.
_STAMPS: Final = frozenset(
    {"auditStamp", "created", "createStamp", "lastModified", "lastObserved", "updateStamp", "lastUpdated"}
)
#: Members that identify the items of a list.
_IDENTITIES: Final = ("fieldPath", "urn", "tag", "owner", "dataset", "name", "key", "id", "url")
_OPERATIONS: Final[Mapping[ChangeOperation, str]] = {
    "create": "Created.",
    "delete": "Deleted.",
    "rename": "Renamed.",
    "run-start": "The run started.",
    "run-end": "The run ended.",
}
_ACCESSES: Final = {"read": "Read by a run.", "write": "Written by a run.", "both": "Read and written by a run."}


def summarize_change(change: Change) -> str:
    """Return a sentence such as `businessMetadata: added owner; changed tags.`"""
    if change.operation == "access":
        return _ACCESSES.get((change.value or {}).get("mode", ""), "Used by a run.")
    if change.aspect is None:
        return _OPERATIONS.get(change.operation, "Changed.")
    if change.value is None:
        return f"{change.aspect}: removed."
    names: dict[_Kind, list[str]] = {"added": [], "changed": [], "removed": []}
    for kind, name in _list_differences(change.previous or {}, change.value):
        names[kind].append(name)
    parts = [f"{kind} {_list_names(members)}" for kind, members in names.items() if members]
    return f"{change.aspect}: {'; '.join(parts) or 'written without a difference'}."


def _list_differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[tuple[_Kind, str]]:
    """Yield the kind and the name of each member that differs; what is in a member is named one by one."""
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new or name in _STAMPS or name.startswith("$"):
            continue
        olds, news = _index_items(old), _index_items(new)
        if olds is None or news is None:
            yield _get_kind(name, before, after), name
            continue
        path = "" if name in _CONTAINERS else f"{name}/"
        for key in sorted(olds.keys() | news.keys()):
            if olds.get(key) != news.get(key):
                yield _get_kind(key, olds, news), f"{path}{key}"


def _index_items(value: Any) -> Mapping[str, Any] | None:
    """Return the members of an object, or the items of a list by what identifies them; None for another value."""
    if value is None or value == []:
        return {}
    if not isinstance(value, Mapping | list | tuple) or len(value) > _ITEMS_MAX:
        return None
    if isinstance(value, Mapping):
        return value
    if not all(isinstance(item, Mapping) for item in value):
        return None
    for member in _IDENTITIES:
        indexed = {item[member]: item for item in value if isinstance(item.get(member), str)}
        if len(indexed) == len(value):
            return indexed
    return None


def _get_kind(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> _Kind:
    if name not in before:
        return "added"
    return "changed" if name in after else "removed"


def _list_names(names: list[str]) -> str:
    more = len(names) - _NAMES_MAX
    return ", ".join(names[:_NAMES_MAX]) + (f" and {more} more" if more > 0 else "")
