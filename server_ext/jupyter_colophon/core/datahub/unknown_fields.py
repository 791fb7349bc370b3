"""What a schema does not know is left out of a value, and told (spec DH-8).

Clients of another version send members that this one has none for. Members that are null are left out as well, and
not told: to DataHub they are not there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.core.documents.pointer import written

_REFERENCE: Final = "#/$defs/"

Node = Mapping[str, Any]


def known_only(schema: Node, value: Any) -> tuple[Any, tuple[str, ...]]:
    """The value without what an aspect's schema does not know, and the pointers to what was left out.

    What else is wrong with it is left as it is, for the validator to tell; so is a part of a union that there is not.
    """
    walk = _Walk(schema.get("$defs", {}))
    return walk.kept(schema, value, ""), tuple(walk.left_out)


@dataclass(slots=True)
class _Walk:
    definitions: Mapping[str, Node]
    left_out: list[str] = field(default_factory=list)

    def kept(self, node: Node, value: Any, place: str) -> Any:
        """The value as far as the schema knows it."""
        if "$ref" in node:
            node = self.definitions[node["$ref"].removeprefix(_REFERENCE)]
        if isinstance(value, Mapping) and node.get("type") == "object":
            return dict(self._members(node, value, place))
        if isinstance(value, list) and "items" in node:
            return [self.kept(node["items"], one, f"{place}/{at}") for at, one in enumerate(value)]
        return value

    def _members(self, node: Node, value: Mapping[str, Any], place: str) -> Iterator[tuple[str, Any]]:
        named, others = node.get("properties", {}), node.get("additionalProperties", True)
        for name, one in value.items():
            below, at = named.get(name, others), place + written((name,))
            if isinstance(below, Mapping):
                if one is not None:
                    yield name, self.kept(below, one, at)
            elif below or _is_union(node):
                yield name, one
            else:
                self.left_out.append(at)


def _is_union(node: Node) -> bool:
    return node.get("minProperties") == 1 and node.get("maxProperties") == 1
