"""Estimate the cost of collecting all problems of a value (spec SEC-8).

Validity itself is checked quickly for any schema: a part that was visited is not visited again. Collecting problems
visits every alternative, and alternatives that refer to each other double with each level of the value. So the cost is
estimated first, and the problems are not collected if that would block the server.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.subschemas import (
    list_subschemas_of_same_value,
    resolve_local_reference,
    walk_schema_and_subschemas,
)

#: The upper limit, a few seconds at worst.
MOST: Final = 100_000
#: The cost of applying a schema to a value, and the cost inside an alternative: there an error is created for each,
#: whether it is reported or not.
_PRICE, _DEAR = 1, 5
_ITEMS: Final = ("items", "additionalItems", "prefixItems", "contains")


def is_cheap_to_validate(value: Any, schema: Mapping[str, Any], cost_max: int = MOST) -> bool:
    """Return whether all problems of a value can be found within the time limit."""
    waiting: list[tuple[Any, Any, int]] = [(value, schema, _PRICE)]
    remaining = cost_max
    while waiting:
        child, part, price = waiting.pop()
        remaining -= price
        if remaining < 0 or len(waiting) > cost_max:
            return False
        if not isinstance(part, Mapping):
            continue
        waiting.extend((child, branch, _DEAR) for branch in list_subschemas_of_same_value(part))
        waiting.extend((inner, of, price) for inner, of in _list_children_with_schemas(child, part))
        if isinstance(part.get("$ref"), str):
            waiting.append((child, _resolve_reference_or_empty(schema, part["$ref"]), price))
    return True


def has_alternative_schemas(schema: Mapping[str, Any]) -> bool:
    """Return whether any value is validated against several alternative schemas."""
    return any(
        isinstance(subschema, Mapping) and any(True for _ in list_subschemas_of_same_value(subschema))
        for _, subschema in walk_schema_and_subschemas(schema)
    )


def _list_children_with_schemas(value: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the direct children of a value, each with a schema that may apply to it."""
    if isinstance(value, Mapping):
        named = _to_mapping_or_empty(schema.get("properties"))
        others = [*_to_mapping_or_empty(schema.get("patternProperties")).values(), schema.get("additionalProperties")]
        for name, inner in value.items():
            yield from ((inner, of) for of in ([named[name]] if name in named else others))
    elif isinstance(value, list | tuple):
        items = [schema[keyword] for keyword in _ITEMS if keyword in schema]
        of_each = [item for item in items if not isinstance(item, list)]
        for index, inner in enumerate(value):
            placed = [item[index] for item in items if isinstance(item, list) and index < len(item)]
            yield from ((inner, of) for of in (*placed, *of_each))


def _resolve_reference_or_empty(root: Mapping[str, Any], reference: str) -> Any:
    try:
        return resolve_local_reference(root, reference)
    except LookupError:
        return None  # it is one of our other documents


def _to_mapping_or_empty(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
