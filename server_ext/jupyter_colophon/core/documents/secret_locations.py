"""Find the locations of a document that its schema declares secret (spec SEC-14).

A location is secret if its schema has `format: password` or `uihints.secure`, or requests Elyra's password field.
Secrets may be in members, in elements of arrays, in any branch of `oneOf` and similar keywords, and behind references
within the schema.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jupyter_colophon.core.documents.json_schema import Schema, SchemaDialect
from jupyter_colophon.core.documents.subschemas import list_subschemas_of_same_value, resolve_local_reference

#: A path in all documents of a schema: None stands for every element of an array, or every member without a name in the
#: schema.
SecretPath = tuple[str | None, ...]

#: The deepest paths, and the most schemas visited to find them: a recursive schema has no end.
_MAX_PLACE_DEPTH, _MAX_VISITS = 12, 10_000


def is_secret_schema(schema: Mapping[str, Any]) -> bool:
    """Return whether this schema declares its own value secret."""
    hints = schema.get("uihints")
    if isinstance(hints, Mapping):
        if hints.get("secure") is True or hints.get("field_type") == "password":
            return True
        if str(hints.get("ui:field", "")).endswith("plugin.password") or hints.get("ui:widget") == "password":
            return True
    return schema.get("format") == "password"


def find_secret_paths_in_schema(schema: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[SecretPath, ...]:
    """Return the secret paths of a part of a schema, shallow paths first, for forms, search and help.

    Recursive schemas are followed down to a limit. To find every secret of a document, use `find_secrets`.
    """
    return _find_secret_paths_up_to_limit(schema, root)[0]


def find_secret_paths_in_value(
    value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]
) -> tuple[tuple[str, ...], ...]:
    """Return the path of every secret in a value, each once, without secrets inside other secrets."""
    fixed = _find_secret_paths_if_fixed(schema, root)
    if fixed is not None:
        return tuple(place for place in fixed if _has_value_at_path(value, place))
    secrets: dict[tuple[str, ...], None] = {}
    waiting: list[tuple[tuple[str, ...], Any, Any]] = [((), value, schema)]
    seen: set[tuple[tuple[str, ...], int]] = set()
    while waiting:
        words, child, part = waiting.pop()
        if not isinstance(part, Mapping) or (words, id(part)) in seen:
            continue
        seen.add((words, id(part)))
        if is_secret_schema(part):
            secrets[words] = None
        waiting.extend((words, child, branch) for branch in _list_schemas_of_same_value(part, root))
        waiting.extend(((*words, step), inner, of) for step, inner, of in _list_children_with_schemas(child, part))
    return _drop_nested_paths(secrets)


def _find_secret_paths_up_to_limit(
    schema: Mapping[str, Any], root: Mapping[str, Any]
) -> tuple[tuple[SecretPath, ...], bool]:
    """Return the secret paths, shallow paths first, and whether the list is complete."""
    paths: dict[SecretPath, None] = {}
    waiting: deque[tuple[SecretPath, Any]] = deque([((), schema)])
    is_whole = True
    for _ in range(_MAX_VISITS):
        if not waiting:
            return tuple(paths), is_whole
        place, part = waiting.popleft()
        if not isinstance(part, Mapping):
            continue
        if len(place) > _MAX_PLACE_DEPTH:
            is_whole = False
        elif is_secret_schema(part):
            paths[place] = None
        else:
            waiting.extend((place, branch) for branch in _list_schemas_of_same_value(part, root))
            waiting.extend(((*place, step), inner) for step, inner in _list_secret_search_steps(part))
    return tuple(paths), False


#: By the identity of a schema and of its root, both of which are kept alive here: the secret paths, if they are the
#: same in every document.
_fixed: dict[tuple[int, int], tuple[Any, Any, tuple[tuple[str, ...], ...] | None]] = {}


def _find_secret_paths_if_fixed(
    schema: Mapping[str, Any], root: Mapping[str, Any]
) -> tuple[tuple[str, ...], ...] | None:
    """Return the secret paths if they are fixed, so that documents need not be walked; otherwise None."""
    cached = _fixed.get((id(schema), id(root)))
    if cached is None or cached[0] is not schema or cached[1] is not root:
        if len(_fixed) > 1_000:
            _fixed.clear()
        places, is_whole = _find_secret_paths_up_to_limit(schema, root)
        named = [tuple(word for word in place if word is not None) for place in places]
        is_fixed = is_whole and all(map(_matches_path_length, named, places))
        cached = _fixed[id(schema), id(root)] = (
            schema,
            root,
            _drop_nested_paths(dict.fromkeys(named)) if is_fixed else None,
        )
    return cached[2]


def _matches_path_length(path: tuple[str, ...], other: SecretPath) -> bool:
    return len(path) == len(other)


def _drop_nested_paths(paths: Mapping[tuple[str, ...], None]) -> tuple[tuple[str, ...], ...]:
    """Return the paths that are not inside other ones, sorted."""
    return tuple(words for words in sorted(paths) if not any(words[:end] in paths for end in range(len(words))))


def _has_value_at_path(value: Any, words: tuple[str, ...]) -> bool:
    for word in words:
        if not isinstance(value, Mapping) or word not in value:
            return False
        value = value[word]
    return True


def _list_schemas_of_same_value(schema: Mapping[str, Any], root: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the schemas that apply to the same value."""
    if isinstance(schema.get("$ref"), str):
        try:
            yield resolve_local_reference(root, schema["$ref"])
        except LookupError:
            return
    yield from list_subschemas_of_same_value(schema)


def _list_children_with_schemas(value: Any, schema: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the direct children of a value, each with a schema that applies to it."""
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from ((str(name), inner, of) for of in _find_member_schemas(str(name), schema))
    elif isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            yield from ((str(index), inner, of) for of in _find_item_schemas(index, schema))


def _find_member_schemas(name: str, schema: Mapping[str, Any]) -> Iterator[Any]:
    named = schema.get("properties")
    is_named = isinstance(named, Mapping) and name in named
    if isinstance(named, Mapping) and is_named:
        yield named[name]
    patterns = schema.get("patternProperties")
    matching = (
        [of for pattern, of in patterns.items() if _matches_pattern(pattern, name)]
        if isinstance(patterns, Mapping)
        else []
    )
    yield from matching
    if not is_named and not matching and "additionalProperties" in schema:
        yield schema["additionalProperties"]


@lru_cache(1_000)
def _matches_pattern(pattern: str, name: str) -> bool:
    return Schema({"pattern": pattern}, dialect=SchemaDialect.DRAFT_7).is_valid(name)


def _find_item_schemas(index: int, schema: Mapping[str, Any]) -> Iterator[Any]:
    items = schema.get("items")
    if isinstance(items, list):
        yield items[index] if index < len(items) else schema.get("additionalItems")
    else:
        yield items
    yield schema.get("contains")


def _list_secret_search_steps(schema: Mapping[str, Any]) -> Iterator[tuple[str | None, Any]]:
    named = schema.get("properties")
    if isinstance(named, Mapping):
        yield from named.items()
    patterns = schema.get("patternProperties")
    if isinstance(patterns, Mapping):
        yield from ((None, pattern) for pattern in patterns.values())
    yield None, schema.get("additionalProperties")
    items = schema.get("items")
    for item in items if isinstance(items, list) else [items]:
        yield None, item
    yield None, schema.get("additionalItems")
    yield None, schema.get("contains")
