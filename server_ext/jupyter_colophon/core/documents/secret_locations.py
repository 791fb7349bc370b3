"""Which places of a document its schema calls secret (spec SEC-14).

A place is secret where its schema says `format: password`, `uihints.secure`, or asks for Elyra's password field. Secrets
may lie in members, in elements of arrays, in any branch of `oneOf` and its kin, and behind references within the schema.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jupyter_colophon.core.documents.json_schema import Dialect, Schema
from jupyter_colophon.core.documents.subschemas import in_place, referred

#: A place in all documents of a schema: None stands for every element of an array, or every member that is not named.
Place = tuple[str | None, ...]

#: How deep places are, and how many schemas are looked at for them. One that refers to itself has no end.
_MAX_PLACE_DEPTH, _MAX_VISITS = 12, 10_000


def says_secret(schema: Mapping[str, Any]) -> bool:
    """Whether this schema says of its own value that it is secret."""
    hints = schema.get("uihints")
    if isinstance(hints, Mapping):
        if hints.get("secure") is True or hints.get("field_type") == "password":
            return True
        if str(hints.get("ui:field", "")).endswith("plugin.password") or hints.get("ui:widget") == "password":
            return True
    return schema.get("format") == "password"


def secret_places(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[Place, ...]:
    """All secret places that a part of a schema names, those that are not deep first; for forms, search and help.

    Of schemas that refer to themselves, only places down to a bound. What must not miss any asks `secrets_in`.
    """
    return _places(schema, root)[0]


def secrets_in(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[tuple[str, ...], ...]:
    """The words of a pointer to every secret that is in a value, each once; none inside of another."""
    fixed = _fixed_places(schema, root)
    if fixed is not None:
        return tuple(place for place in fixed if _is_there(value, place))
    found: dict[tuple[str, ...], None] = {}
    waiting: list[tuple[tuple[str, ...], Any, Any]] = [((), value, schema)]
    seen: set[tuple[tuple[str, ...], int]] = set()
    while waiting:
        words, one, part = waiting.pop()
        if not isinstance(part, Mapping) or (words, id(part)) in seen:
            continue
        seen.add((words, id(part)))
        if says_secret(part):
            found[words] = None
        waiting.extend((words, one, branch) for branch in _branches(part, root))
        waiting.extend(((*words, step), inner, of) for step, inner, of in _inside(one, part))
    return _outermost(found)


def _places(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[tuple[Place, ...], bool]:
    """The secret places, those that are not deep first, and whether there are no others."""
    found: dict[Place, None] = {}
    waiting: deque[tuple[Place, Any]] = deque([((), schema)])
    is_whole = True
    for _ in range(_MAX_VISITS):
        if not waiting:
            return tuple(found), is_whole
        place, part = waiting.popleft()
        if not isinstance(part, Mapping):
            continue
        if len(place) > _MAX_PLACE_DEPTH:
            is_whole = False
        elif says_secret(part):
            found[place] = None
        else:
            waiting.extend((place, branch) for branch in _branches(part, root))
            waiting.extend(((*place, step), inner) for step, inner in _steps(part))
    return tuple(found), False


#: By the identity of a schema and the whole that it is in, which are kept with it: its secret places, where they are
#: the same in every document.
_fixed: dict[tuple[int, int], tuple[Any, Any, tuple[tuple[str, ...], ...] | None]] = {}


def _fixed_places(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[tuple[str, ...], ...] | None:
    """Most schemas name their secrets one by one: no document need be walked for those. None for the others."""
    known = _fixed.get((id(schema), id(root)))
    if known is None or known[0] is not schema or known[1] is not root:
        if len(_fixed) > 1_000:
            _fixed.clear()
        places, is_whole = _places(schema, root)
        named = [tuple(word for word in place if word is not None) for place in places]
        is_fixed = is_whole and all(map(_same_length, named, places))
        known = _fixed[id(schema), id(root)] = (schema, root, _outermost(dict.fromkeys(named)) if is_fixed else None)
    return known[2]


def _same_length(one: tuple[str, ...], other: Place) -> bool:
    return len(one) == len(other)


def _outermost(found: Mapping[tuple[str, ...], None]) -> tuple[tuple[str, ...], ...]:
    """Without what is inside of another, sorted."""
    return tuple(words for words in sorted(found) if not any(words[:end] in found for end in range(len(words))))


def _is_there(value: Any, words: tuple[str, ...]) -> bool:
    for word in words:
        if not isinstance(value, Mapping) or word not in value:
            return False
        value = value[word]
    return True


def _branches(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas that speak of the same value."""
    if isinstance(schema.get("$ref"), str):
        try:
            yield referred(root, schema["$ref"])
        except LookupError:
            return
    yield from in_place(schema)


def _inside(value: Any, schema: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """What is directly in a value, with each schema that speaks of it."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from ((str(name), inner, of) for of in _of_member(str(name), schema))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from ((str(index), inner, of) for of in _of_element(index, schema))


def _of_member(name: str, schema: Mapping[str, Any]) -> Iterator[Any]:
    named = schema.get("properties")
    known = isinstance(named, Mapping) and name in named
    if isinstance(named, Mapping) and known:
        yield named[name]
    patterns = schema.get("patternProperties")
    matching = (
        [of for pattern, of in patterns.items() if _matches(pattern, name)] if isinstance(patterns, Mapping) else []
    )
    yield from matching
    if not known and not matching and "additionalProperties" in schema:
        yield schema["additionalProperties"]


@lru_cache(1_000)
def _matches(pattern: str, name: str) -> bool:
    return Schema({"pattern": pattern}, dialect=Dialect.DRAFT_7).is_valid(name)


def _of_element(index: int, schema: Mapping[str, Any]) -> Iterator[Any]:
    items = schema.get("items")
    if isinstance(items, list):
        yield items[index] if index < len(items) else schema.get("additionalItems")
    else:
        yield items
    yield schema.get("contains")


def _steps(schema: Mapping[str, Any]) -> Iterator[tuple[str | None, Any]]:
    named = schema.get("properties")
    if isinstance(named, Mapping):
        yield from named.items()
    patterns = schema.get("patternProperties")
    if isinstance(patterns, Mapping):
        yield from ((None, one) for one in patterns.values())
    yield None, schema.get("additionalProperties")
    items = schema.get("items")
    for one in items if isinstance(items, list) else [items]:
        yield None, one
    yield None, schema.get("additionalItems")
    yield None, schema.get("contains")
