"""How much work it is to say all that is wrong with a value (spec SEC-8).

Whether it is valid is known quickly, whatever the schema: a part that was looked at is not looked at again. To say what
is wrong, every alternative tells everything that speaks against it, and alternatives that refer to each other double with
each level of the value. So that is counted first, and not done where it would hold up the server.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from jupyter_colophon.core.documents.subschemas import every, in_place, referred

#: What is counted at most, some seconds at the worst.
MOST: Final = 100_000
#: What a value costs that is held against a schema, and what it costs inside of an alternative: there an error is made
#: of each, whether it is told or not.
_PRICE, _DEAR = 1, 5
_ITEMS: Final = ("items", "additionalItems", "prefixItems", "contains")


def is_little(value: Any, root: Mapping[str, Any], most: int = MOST) -> bool:
    """Return whether all problems of a value can be found within the time limit."""
    waiting: list[tuple[Any, Any, int]] = [(value, root, _PRICE)]
    left = most
    while waiting:
        one, schema, price = waiting.pop()
        left -= price
        if left < 0 or len(waiting) > most:
            return False
        if not isinstance(schema, Mapping):
            continue
        waiting.extend((one, branch, _DEAR) for branch in in_place(schema))
        waiting.extend((inner, of, price) for inner, of in _inside(one, schema))
        if isinstance(schema.get("$ref"), str):
            waiting.append((one, _referred(root, schema["$ref"]), price))
    return True


def has_alternatives(root: Mapping[str, Any]) -> bool:
    """Whether any value is held against several schemas that are of no interest by themselves."""
    return any(isinstance(one, Mapping) and any(True for _ in in_place(one)) for _, one in every(root))


def _inside(value: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    """What is directly in a value, with each schema that may speak of it."""
    if isinstance(value, Mapping):
        named = _mapping(schema.get("properties"))
        others = [*_mapping(schema.get("patternProperties")).values(), schema.get("additionalProperties")]
        for name, inner in value.items():
            yield from ((inner, of) for of in ([named[name]] if name in named else others))
    elif isinstance(value, list | tuple):
        items = [schema[keyword] for keyword in _ITEMS if keyword in schema]
        of_each = [one for one in items if not isinstance(one, list)]
        for index, inner in enumerate(value):
            placed = [one[index] for one in items if isinstance(one, list) and index < len(one)]
            yield from ((inner, of) for of in (*placed, *of_each))


def _referred(root: Mapping[str, Any], reference: str) -> Any:
    try:
        return referred(root, reference)
    except LookupError:
        return None  # it is another document, one of ours


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
