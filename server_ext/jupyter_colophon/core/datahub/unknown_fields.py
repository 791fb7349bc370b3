"""Drop members from a value that its schema does not define, and report them (spec DH-8).

Clients of other versions send members that this version does not have. Members with the value null are dropped without
a report: DataHub treats them as absent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.core.documents.pointer import format_pointer

_REFERENCE: Final = "#/$defs/"

Node = Mapping[str, Any]


def filter_known_fields(schema: Node, value: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the value without members unknown to the schema, and pointers to what was dropped.

    Other errors are left for the validator, as are unknown branches of a union.
    """
    walk = _KnownFieldFilter(schema.get("$defs", {}))
    return walk.filter_value(schema, value, ""), tuple(walk.left_out)


@dataclass(slots=True)
class _KnownFieldFilter:
    definitions: Mapping[str, Node]
    left_out: list[str] = field(default_factory=list)

    def filter_value(self, node: Node, value: Any, path: str) -> Any:
        """Return the part of the value that the schema defines."""
        if "$ref" in node:
            node = self.definitions[node["$ref"].removeprefix(_REFERENCE)]
        if isinstance(value, Mapping) and node.get("type") == "object":
            return dict(self._filter_members(node, value, path))
        if isinstance(value, list) and "items" in node:
            return [self.filter_value(node["items"], item, f"{path}/{at}") for at, item in enumerate(value)]
        return value

    def _filter_members(self, node: Node, value: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
        named, others = node.get("properties", {}), node.get("additionalProperties", True)
        for name, member in value.items():
            below, at = named.get(name, others), path + format_pointer((name,))
            if isinstance(below, Mapping):
                if member is not None:
                    yield name, self.filter_value(below, member, at)
            elif below or _is_union_schema(node):
                yield name, member
            else:
                self.left_out.append(at)


def _is_union_schema(node: Node) -> bool:
    return node.get("minProperties") == 1 and node.get("maxProperties") == 1
