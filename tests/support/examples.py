"""Values made of a JSON Schema: a whole one, the least one, and ones in which a single thing is wrong."""

import copy
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.model.relationships import ANY, Relationship

Json = dict[str, Any]
_REFERENCE = "#/$defs/"


@dataclass(frozen=True)
class Broken:
    """A value with one fault, and the pointers at one of which it is told."""

    fault: str
    value: Any
    told_at: tuple[str, ...]


def whole(schema: Mapping[str, Any]) -> Any:
    """A value with every member that the schema names; of a union its last part. What nests itself ends."""
    return _Made(schema.get("$defs", {}), False).value(schema)


def least(schema: Mapping[str, Any]) -> Any:
    """A value with the members that have to be there."""
    return _Made(schema.get("$defs", {}), True).value(schema)


def related(value: Any, relationships: Iterable[Relationship]) -> Any:
    """The value with URNs of the types that belong there."""
    for one in relationships:
        if one.types:
            _put(value, one.path, URNS.get(one.types[0], f"urn:li:{one.types[0]}:one"))
    return value


def broken(schema: Mapping[str, Any]) -> Iterator[Broken]:
    """The whole value with one thing wrong: of a wrong type, missing, not in the enumeration, not known."""
    yield from _Breaking(schema.get("$defs", {}), whole(schema)).all(schema, ())


def _put(value: Any, path: tuple[str, ...], urn: str) -> None:
    step, *rest = path
    keys = list(value if isinstance(value, dict) else range(len(value))) if step == ANY else [step]
    for key in keys:
        if not rest:
            value[key] = urn
        elif isinstance(value, list) or key in value:
            _put(value[key], tuple(rest), urn)


def resolved(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    return definitions[node["$ref"].removeprefix(_REFERENCE)] if "$ref" in node else node


def is_union(node: Mapping[str, Any]) -> bool:
    return node.get("minProperties") == 1 and node.get("maxProperties") == 1


class _Made:
    def __init__(self, definitions: Mapping[str, Any], is_least: bool) -> None:
        self.definitions, self.is_least = definitions, is_least
        self.open: list[str] = []

    def value(self, node: Mapping[str, Any]) -> Any:
        if "$ref" in node:
            self.open.append(node["$ref"])
            made = self.value(resolved(node, self.definitions))
            self.open.pop()
            return made
        if "enum" in node:
            return node["enum"][0]
        kind = node["type"]
        if kind == "object":
            return self._object(node)
        if kind == "array":
            return [] if self.is_least or self._nests(node["items"]) else [self.value(node["items"])]
        return {"string": _text(node), "integer": 7, "number": 0.5, "boolean": True}[kind]

    def _object(self, node: Mapping[str, Any]) -> Json:
        named = node.get("properties", {})
        if is_union(node):
            named = dict([list(named.items())[-1]])
        wanted = node.get("required", ()) if self.is_least and not is_union(node) else named
        made = {name: self.value(named[name]) for name in wanted if not self._nests(named[name])}
        if isinstance(node.get("additionalProperties"), Mapping) and not self.is_least:
            made["key"] = self.value(node["additionalProperties"])
        return made

    def _nests(self, node: Mapping[str, Any]) -> bool:
        return node.get("$ref") in self.open


def _text(node: Mapping[str, Any]) -> str:
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


class _Breaking:
    def __init__(self, definitions: Mapping[str, Any], value: Any) -> None:
        self.definitions, self.value = definitions, value

    def all(self, node: Mapping[str, Any], place: tuple[str, ...]) -> Iterator[Broken]:
        node = resolved(node, self.definitions)
        here = _at(self.value, place)
        yield Broken("wrong type", self._with(place, _of_another_type(node)), (written(place),))
        if "enum" in node:
            yield Broken("no such word", self._with(place, "none of these"), (written(place),))
        if isinstance(here, dict):
            yield from self._object(node, here, place)
        elif isinstance(here, list) and here:
            yield from self.all(node["items"], (*place, "0"))

    def _object(self, node: Mapping[str, Any], here: Json, place: tuple[str, ...]) -> Iterator[Broken]:
        named, others = node.get("properties", {}), node.get("additionalProperties")
        for name in node.get("required", ()):
            rest = {key: one for key, one in here.items() if key != name}
            yield Broken("missing", self._with(place, rest), (written(place), written((*place, name))))
        if others is False:
            fault = "no such part" if is_union(node) else "unknown"
            yield Broken(fault, self._with(place, here | {"unheardOf": 1}), (written(place),))
        for name in here:
            yield from self.all(named.get(name, others), (*place, name))

    def _with(self, place: tuple[str, ...], new: Any) -> Any:
        if not place:
            return new
        value = copy.deepcopy(self.value)
        holder = _at(value, place[:-1])
        holder[int(place[-1]) if isinstance(holder, list) else place[-1]] = new
        return value


def _at(value: Any, place: tuple[str, ...]) -> Any:
    for step in place:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def _of_another_type(node: Mapping[str, Any]) -> Any:
    return "text" if node.get("type") in ("object", "array", "integer", "number", "boolean") else [1]
