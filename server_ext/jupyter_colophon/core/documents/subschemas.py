"""Walking a schema, of draft-07 or 2020-12: which parts of it are schemas, and how often one value would be held against them."""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

#: Keywords whose value is a schema, a list of schemas, or schemas by name (JSON Schema draft-07, 9 and 10; 2020-12, 10 and 11).
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


def parts(schema: Mapping[str, Any]) -> Iterator[tuple[Words, Any]]:
    """The schemas directly in a schema, each with the way to it."""
    for keyword in (*_IN_PLACE_ONE, *_ELSEWHERE_ONE):
        if isinstance(schema.get(keyword), Mapping | bool):
            yield (keyword,), schema[keyword]
    for keyword in (*_IN_PLACE_LIST, *_ELSEWHERE_LIST):
        listed = schema.get(keyword)
        yield from (
            ((keyword, str(index)), one) for index, one in enumerate(listed if isinstance(listed, list) else ())
        )
    for keyword in (*_IN_PLACE_NAMED, *_ELSEWHERE_NAMED):
        named = schema.get(keyword)
        # A dependency may be a list of names instead.
        of = named.items() if isinstance(named, Mapping) else ()
        yield from (((keyword, name), one) for name, one in of if not isinstance(one, list))


def in_place(schema: Mapping[str, Any]) -> Iterator[Any]:
    """The schemas in a schema that its own value is held against, without what it refers to."""
    for words, one in parts(schema):
        if words[0] in _IN_PLACE:
            yield one


def every(root: Any) -> Iterator[tuple[Words, Any]]:
    """A schema and all schemas in it, however deep, each with the way to it."""
    waiting: list[tuple[Words, Any]] = [((), root)]
    while waiting:
        words, schema = waiting.pop()
        yield words, schema
        if isinstance(schema, Mapping):
            waiting.extend((words + more, one) for more, one in parts(schema))


def referred(root: Mapping[str, Any], reference: str) -> Any:
    """What a reference within a schema (`#`, `#/…`) leads to. Raises LookupError where it leads nowhere."""
    if reference in ("#", ""):
        return root
    if not reference.startswith("#/"):
        raise LookupError(reference)
    found: Any = root
    for word in reference[2:].split("/"):
        step = _unquoted(word)
        if isinstance(found, list):
            # Python reads no number of thousands of digits, and no list has as many items as nine digits can count.
            is_index = step.isdecimal() and len(step) <= _INDEX_DIGITS_MAX
            found = found[int(step)] if is_index else _nowhere(reference)
        elif isinstance(found, Mapping):
            found = found[step]
        else:
            _nowhere(reference)
    return found


def _unquoted(word: str) -> str:
    return unquote(word).replace("~1", "/").replace("~0", "~")


def _nowhere(reference: str) -> Any:
    raise LookupError(reference)
