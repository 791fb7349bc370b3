"""Three-way merge of JSON values: what two sides made of the same base, taken together."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.json_values import same


class Clash(Exception):
    """Both sides changed the same place, to different values."""


#: A member that is not there.
_ABSENT: Final = object()


def merged(base: object, mine: object, theirs: object) -> Any:
    """What is left where the changes of both sides are made. Raises Clash where they are not of different places.

    Objects are merged by their members, lists of different texts as sets; any other list is one place.
    """
    if _same(mine, theirs) or _same(base, mine):
        return theirs
    if _same(base, theirs):
        return mine
    if isinstance(base, Mapping) and isinstance(mine, Mapping) and isinstance(theirs, Mapping):
        return _objects(base, mine, theirs)
    if _is_set(base) and _is_set(mine) and _is_set(theirs):
        return _sets(base, mine, theirs)
    raise Clash


def _objects(base: Mapping[str, Any], mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    names = dict.fromkeys((*theirs, *mine))
    made = {name: merged(base.get(name, _ABSENT), mine.get(name, _ABSENT), theirs.get(name, _ABSENT)) for name in names}
    return {name: value for name, value in made.items() if value is not _ABSENT}


def _sets(base: Any, mine: Any, theirs: Any) -> list[str]:
    kept, removed = {*base, *theirs}, {*base}.difference(mine)
    return [one for one in theirs if one not in removed] + [one for one in mine if one not in kept]


def _same(one: object, other: object) -> bool:
    return one is other if _ABSENT in (one, other) else same(one, other)


def _is_set(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value) and len(set(value)) == len(value)
