"""The parameters of directives of artifacts, which are declared as JSON Schemas."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from jupyter_colophon.wrangling.directive import DirectiveParameter, Kind
from jupyter_colophon.wrangling.directive_index import DIRECTIVES

_KEYWORDS: Final = frozenset(
    {"title", "description", "default", "type", "format", "enum", "items", "minimum", "maximum"}
)


def build_parameters(properties: Mapping[str, Any], required: Sequence[str]) -> tuple[DirectiveParameter, ...]:
    """Return the parameters that properties declare, in their order. Raises ValueError for one that is not supported."""
    parameters = tuple(_build_parameter(name, schema, name not in required) for name, schema in properties.items())
    for first, second in pairwise(parameters):
        if first.is_optional and not second.is_optional:
            raise ValueError(f"{second.name} must come before the optional {first.name}")
    if unknown := [name for name in required if name not in properties]:
        raise ValueError(f"{unknown[0]} is required, but not one of the properties")
    return parameters


def find_directive_problems(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield why a directive of an artifact cannot be used in recipes, from the JSON Schema of its properties."""
    if name in DIRECTIVES:
        yield f"the directive {name} is built in: choose another name"
    try:
        build_parameters(schema["properties"], schema["required"])
    except ValueError as error:
        yield f"the directive {name}: {error}"


def _build_parameter(name: str, schema: Any, is_optional: bool) -> DirectiveParameter:
    if not isinstance(schema, Mapping):
        raise ValueError(f"{name} must have a JSON Schema")
    if others := sorted(schema.keys() - _KEYWORDS):
        raise ValueError(f"{name} has the keyword {others[0]}, which directives do not support")
    return DirectiveParameter(
        name,
        _find_kind(name, schema),
        str(schema.get("description") or schema.get("title") or name),
        choices=tuple(schema.get("enum", ())),
        is_optional=is_optional,
        default=schema.get("default"),
        is_new=schema.get("format") == "new-column",
        minimum=schema.get("minimum", -math.inf),
        maximum=schema.get("maximum", math.inf),
    )


def _find_kind(name: str, schema: Mapping[str, Any]) -> Kind:
    match schema:
        case {"enum": [_, *_] as choices} if all(isinstance(choice, str) for choice in choices):
            return "choice"
        case {"type": "string", "format": "column" | "new-column"}:
            return "column"
        case {"type": "array", "items": {"type": "string", "format": "column"}}:
            return "columns"
        case {"type": "string"}:
            return "text"
        case {"type": "boolean"}:
            return "boolean"
        case {"type": "integer"}:
            return "integer"
        case {"type": "number"}:
            return "number"
    raise ValueError(
        f"{name} must have the type string (for a column with the format column or new-column), integer, number or"
        " boolean, be a list of columns, or have an enum of texts"
    )
