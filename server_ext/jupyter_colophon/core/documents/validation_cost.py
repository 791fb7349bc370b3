"""Estimate the cost of collecting all problems of a value (spec SEC-8).

Validity itself is checked quickly for any schema: a part that was visited is not visited again. Collecting problems
visits every alternative, and alternatives that refer to each other double with each level of the value. So the cost is
estimated first, and the problems are not collected if that would block the server.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.subschemas import in_place, resolve_reference, walk_subschemas

#: The upper limit, a few seconds at worst.
MOST: Final = 100_000
#: The cost of applying a schema to a value, and the cost inside an alternative: there an error is created for each,
#: whether it is reported or not.
_PRICE, _DEAR = 1, 5
_ITEMS: Final = ("items", "additionalItems", "prefixItems", "contains")


def is_little(value: Any, root: Mapping[str, Any], most: int = MOST) -> bool:
    """Return whether all problems of a value can be found within the time limit."""
    waiting: list[tuple[Any, Any, int]] = [(value, root, _PRICE)]
    remaining = most
    while waiting:
        child, schema, price = waiting.pop()
        remaining -= price
        if remaining < 0 or len(waiting) > most:
            return False
        if not isinstance(schema, Mapping):
            continue
        waiting.extend((child, branch, _DEAR) for branch in in_place(schema))
        waiting.extend((inner, of, price) for inner, of in _list_children(child, schema))
        if isinstance(schema.get("$ref"), str):
            waiting.append((child, _resolve_reference(root, schema["$ref"]), price))
    return True


def has_alternatives(root: Mapping[str, Any]) -> bool:
    """Return whether any value is validated against several alternative schemas."""
    return any(
        isinstance(subschema, Mapping) and any(True for _ in in_place(subschema))
        for _, subschema in walk_subschemas(root)
    )


def _list_children(value: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the direct children of a value, each with a schema that may apply to it."""
    if isinstance(value, Mapping):
        named = _to_mapping(schema.get("properties"))
        others = [*_to_mapping(schema.get("patternProperties")).values(), schema.get("additionalProperties")]
        for name, inner in value.items():
            yield from ((inner, of) for of in ([named[name]] if name in named else others))
    elif isinstance(value, list | tuple):
        items = [schema[keyword] for keyword in _ITEMS if keyword in schema]
        of_each = [item for item in items if not isinstance(item, list)]
        for index, inner in enumerate(value):
            placed = [item[index] for item in items if isinstance(item, list) and index < len(item)]
            yield from ((inner, of) for of in (*placed, *of_each))


def _resolve_reference(root: Mapping[str, Any], reference: str) -> Any:
    try:
        return resolve_reference(root, reference)
    except LookupError:
        return None  # it is one of our other documents


def _to_mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
