"""Values built from a JSON Schema: a full one, a minimal one, and ones with a single error."""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.model.relationships import ANY, Relationship

Json = dict[str, Any]
_REFERENCE = "#/$defs/"


@dataclass(frozen=True)
class Broken:
    """A value with one error, and the pointers of which one must be reported."""

    fault: str
    value: Any
    reported_at: tuple[str, ...]


def build_full_value(schema: Mapping[str, Any]) -> Any:
    """Build a value with every member of the schema; the last alternative of a union; recursion is cut off."""
    return _ValueBuilder(schema.get("$defs", {}), False).build_value(schema)


def build_minimal_value(schema: Mapping[str, Any]) -> Any:
    """Build a value with the required members only."""
    return _ValueBuilder(schema.get("$defs", {}), True).build_value(schema)


def add_related_urns(value: Any, relationships: Iterable[Relationship]) -> Any:
    """Replace values of relationships by URNs of suitable types."""
    for relationship in relationships:
        if relationship.types:
            _replace_at(
                value, relationship.path, URNS.get(relationship.types[0], f"urn:li:{relationship.types[0]}:one")
            )
    return value


def build_broken_values(schema: Mapping[str, Any]) -> Iterator[Broken]:
    """Build full values with one error each: wrong type, missing member, not in the enumeration, unknown member."""
    yield from _ValueBreaker(schema.get("$defs", {}), build_full_value(schema)).break_value(schema, ())


def _replace_at(value: Any, path: tuple[str, ...], urn: str) -> None:
    step, *rest = path
    keys = list(value if isinstance(value, dict) else range(len(value))) if step == ANY else [step]
    for key in keys:
        if not rest:
            value[key] = urn
        elif isinstance(value, list) or key in value:
            _replace_at(value[key], tuple(rest), urn)


def resolve_reference(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    return definitions[node["$ref"].removeprefix(_REFERENCE)] if "$ref" in node else node


def is_union(node: Mapping[str, Any]) -> bool:
    return node.get("minProperties") == 1 and node.get("maxProperties") == 1


class _ValueBuilder:
    def __init__(self, definitions: Mapping[str, Any], is_least: bool) -> None:
        self.definitions, self.is_least = definitions, is_least
        self.open: list[str] = []

    def build_value(self, node: Mapping[str, Any]) -> Any:
        if "$ref" in node:
            self.open.append(node["$ref"])
            item = self.build_value(resolve_reference(node, self.definitions))
            self.open.pop()
            return item
        if "enum" in node:
            return node["enum"][0]
        kind = node["type"]
        if kind == "object":
            return self._build_object(node)
        if kind == "array":
            return [] if self.is_least or self._is_recursive(node["items"]) else [self.build_value(node["items"])]
        return {"string": _build_text(node), "integer": 7, "number": 0.5, "boolean": True}[kind]

    def _build_object(self, node: Mapping[str, Any]) -> Json:
        named = node.get("properties", {})
        if is_union(node):
            named = dict([list(named.items())[-1]])
        members = node.get("required", ()) if self.is_least and not is_union(node) else named
        value = {name: self.build_value(named[name]) for name in members if not self._is_recursive(named[name])}
        if isinstance(node.get("additionalProperties"), Mapping) and not self.is_least:
            value["key"] = self.build_value(node["additionalProperties"])
        return value

    def _is_recursive(self, node: Mapping[str, Any]) -> bool:
        return node.get("$ref") in self.open


def _build_text(node: Mapping[str, Any]) -> str:
    pattern = node.get("pattern", "")
    named = re.match(r"\^urn:li:\(?([A-Za-z]+)", pattern)
    if named:
        return URNS.get(named[1], f"urn:li:{named[1]}:one")
    return URNS["dataset"] if pattern.startswith("^urn:") else "text"


URNS = {
    "dataset": "urn:li:dataset:(urn:li:dataPlatform:hive,sales.orders,PROD)",
    "schemaField": "urn:li:schemaField:(urn:li:dataset:(urn:li:dataPlatform:hive,sales.orders,PROD),price)",
    "dataJob": "urn:li:dataJob:(urn:li:dataFlow:(airflow,daily,PROD),load)",
}
"""Of the types whose URNs have several parts, those that others have to name."""


class _ValueBreaker:
    def __init__(self, definitions: Mapping[str, Any], value: Any) -> None:
        self.definitions, self.value = definitions, value

    def break_value(self, node: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[Broken]:
        node = resolve_reference(node, self.definitions)
        here = _get_at(self.value, place)
        yield Broken("wrong type", self._copy_with(place, _build_wrong_type(node)), (format_pointer(place),))
        if "enum" in node:
            yield Broken("no such word", self._copy_with(place, "none of these"), (format_pointer(place),))
        if isinstance(here, dict):
            yield from self._break_object(node, here, place)
        elif isinstance(here, list) and here:
            yield from self.break_value(node["items"], (*place, "0"))

    def _break_object(self, node: Mapping[str, Any], here: Json, place: tuple[str, ...]) -> Iterator[Broken]:
        named, others = node.get("properties", {}), node.get("additionalProperties")
        for name in node.get("required", ()):
            rest = {key: member for key, member in here.items() if key != name}
            yield Broken(
                "missing", self._copy_with(place, rest), (format_pointer(place), format_pointer((*place, name)))
            )
        if others is False:
            fault = "no such part" if is_union(node) else "unknown"
            yield Broken(fault, self._copy_with(place, here | {"unheardOf": 1}), (format_pointer(place),))
        for name in here:
            yield from self.break_value(named.get(name, others), (*place, name))

    def _copy_with(self, place: tuple[str, ...], new: Any) -> Any:
        if not place:
            return new
        value = copy.deepcopy(self.value)
        holder = _get_at(value, place[:-1])
        holder[int(place[-1]) if isinstance(holder, list) else place[-1]] = new
        return value


def _get_at(value: Any, place: tuple[str, ...]) -> Any:
    for step in place:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _build_wrong_type(node: Mapping[str, Any]) -> Any:
    return "text" if node.get("type") in ("object", "array", "integer", "number", "boolean") else [1]
