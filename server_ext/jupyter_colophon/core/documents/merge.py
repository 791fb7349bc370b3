"""Merge the changes of two sides to the same JSON value (three-way merge)."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_values import equals_json


class MergeConflict(Exception):
    """Both sides changed the same location to different values."""


#: A member that does not exist.
_ABSENT: Final = object()


def merge_three_way(base: object, own: object, theirs: object) -> Any:
    """Return the base with the changes of both sides. Raises MergeConflict if both changed the same location.

    Objects are merged by member, lists of distinct strings as sets; any other list is a single location.
    """
    if _equals_json(own, theirs) or _equals_json(base, own):
        return theirs
    if _equals_json(base, theirs):
        return own
    if isinstance(base, Mapping) and isinstance(own, Mapping) and isinstance(theirs, Mapping):
        return _merge_objects_three_way(base, own, theirs)
    if _is_list_of_distinct_texts(base) and _is_list_of_distinct_texts(own) and _is_list_of_distinct_texts(theirs):
        return _merge_sets_three_way(base, own, theirs)
    raise MergeConflict


def _merge_objects_three_way(
    base: Mapping[str, Any], own: Mapping[str, Any], theirs: Mapping[str, Any]
) -> dict[str, Any]:
    names = dict.fromkeys((*theirs, *own))
    merged = {
        name: merge_three_way(base.get(name, _ABSENT), own.get(name, _ABSENT), theirs.get(name, _ABSENT))
        for name in names
    }
    return {name: value for name, value in merged.items() if value is not _ABSENT}


def _merge_sets_three_way(base: Any, own: Any, theirs: Any) -> list[str]:
    present, removed = {*base, *theirs}, {*base}.difference(own)
    return [item for item in theirs if item not in removed] + [item for item in own if item not in present]


def _equals_json(value: object, other: object) -> bool:
    return value is other if _ABSENT in (value, other) else equals_json(value, other)


def _is_list_of_distinct_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value) and len(set(value)) == len(value)
