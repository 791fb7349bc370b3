"""Walk the subschemas of a schema of draft-07 or 2020-12, and resolve references within it."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

#: Keywords whose value is a schema, a list of schemas, or an object of schemas (JSON Schema draft-07, 9 and 10;
#: 2020-12, 10 and 11).
_IN_PLACE_ONE = ("if", "then", "else", "not")
_IN_PLACE_LIST = ("allOf", "anyOf", "oneOf")
_IN_PLACE_NAMED = ("dependencies", "dependentSchemas")
_IN_PLACE = {*_IN_PLACE_ONE, *_IN_PLACE_LIST, *_IN_PLACE_NAMED}
_ELSEWHERE_ONE = (
    "additionalItems",
    "additionalProperties",
    "contains",
    "items",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
)
_ELSEWHERE_LIST = ("items", "prefixItems")
_ELSEWHERE_NAMED = ("properties", "patternProperties", "definitions", "$defs")
_INDEX_DIGITS_MAX = 9

Words = tuple[str, ...]


def list_direct_subschemas(schema: Mapping[str, Any]) -> Iterator[tuple[Words, Any]]:
    """Yield the direct subschemas of a schema, each with its path."""
    for keyword in (*_IN_PLACE_ONE, *_ELSEWHERE_ONE):
        if isinstance(schema.get(keyword), Mapping | bool):
            yield (keyword,), schema[keyword]
    for keyword in (*_IN_PLACE_LIST, *_ELSEWHERE_LIST):
        listed = schema.get(keyword)
        yield from (
            ((keyword, str(index)), subschema)
            for index, subschema in enumerate(listed if isinstance(listed, list) else ())
        )
    for keyword in (*_IN_PLACE_NAMED, *_ELSEWHERE_NAMED):
        named = schema.get(keyword)
        # A dependency may be a list of names instead.
        of = named.items() if isinstance(named, Mapping) else ()
        yield from (((keyword, name), subschema) for name, subschema in of if not isinstance(subschema, list))


def list_subschemas_of_same_value(schema: Mapping[str, Any]) -> Iterator[Any]:
    """Yield the subschemas that apply to the same value, without referenced schemas."""
    for words, subschema in list_direct_subschemas(schema):
        if words[0] in _IN_PLACE:
            yield subschema


def walk_schema_and_subschemas(root: Any) -> Iterator[tuple[Words, Any]]:
    """Yield a schema and all its subschemas at any depth, each with its path."""
    waiting: list[tuple[Words, Any]] = [((), root)]
    while waiting:
        words, schema = waiting.pop()
        yield words, schema
        if isinstance(schema, Mapping):
            waiting.extend((words + more, subschema) for more, subschema in list_direct_subschemas(schema))


def resolve_local_reference(root: Mapping[str, Any], reference: str) -> Any:
    """Resolve a reference within a schema (`#`, `#/…`). Raises LookupError."""
    if reference in ("#", ""):
        return root
    if not reference.startswith("#/"):
        raise LookupError(reference)
    target: Any = root
    for word in reference[2:].split("/"):
        step = _unescape_pointer_token(word)
        if isinstance(target, list):
            # Python rejects numbers of thousands of digits, and no list has more items than nine digits can count.
            is_index = step.isdecimal() and len(step) <= _INDEX_DIGITS_MAX
            target = target[int(step)] if is_index else _raise_unresolved_reference(reference)
        elif isinstance(target, Mapping):
            target = target[step]
        else:
            _raise_unresolved_reference(reference)
    return target


def _unescape_pointer_token(word: str) -> str:
    return unquote(word).replace("~1", "/").replace("~0", "~")


def _raise_unresolved_reference(reference: str) -> Any:
    raise LookupError(reference)
