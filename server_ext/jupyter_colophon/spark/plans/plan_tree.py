"""Plans and expressions as trees, from the flat JSON that `PlanWriter.java` writes.

That JSON is a list in preorder; each item says how many children follow, and fields that hold other trees (a project list, a
subquery's plan) are lists of the same form. One call of it brings a whole plan, however wide (spec CAPTURE-3).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Forest: TypeAlias = "tuple[Node | Forest, ...]"
_NONE: Mapping[str, Forest] = {}


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A node of a plan or an expression.

    `kind` is its class's short name; `attrs` are its plain fields; `trees` are the fields that hold other trees, nested as Spark
    nests them; `is_plan` tells plans from expressions.
    """

    kind: str
    is_plan: bool
    attrs: Mapping[str, Any]
    trees: Mapping[str, Forest]
    children: tuple["Node", ...]

    def tree(self, field: str) -> "Node | None":
        """The one tree that a field holds."""
        match self.trees.get(field, ()):
            case (Node() as only,):
                return only
        return None

    def forest(self, field: str) -> tuple["Node", ...]:
        """The trees that a field holds."""
        return tuple(flatten(self.trees.get(field, ())))


@dataclass(slots=True)
class Grafts:
    """Plans of streams, as JSON by the id of their first column: they stand for the rows that a batch's function is handed.

    `relations` are what their leaves read.
    """

    items: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    relations: dict[int, Any] = field(default_factory=dict)

    def put(self, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Give a tree's items with those of streams in the place of rows: the order of preorder stays."""
        return [new for item in items for new in self._of(item) or [item]]

    def _of(self, item: dict[str, Any]) -> list[dict[str, Any]] | None:
        output = item.get("trees", {}).get("output") if item["kind"] == "LogicalRDD" else None
        return self.items.get(output[0][0]["attrs"]["exprId"]) if output else None


def expr_id(node: Node) -> int | None:
    """Return the id of a named expression, None for any other."""
    return node.attrs.get("exprId")


def lateral_plans(node: Node) -> tuple[Node, ...]:
    """Return the subqueries of a lateral join, which stand in a field and are no children."""
    return tuple(plan for lateral in node.forest("right") for plan in lateral.forest("plan"))


def parse(text: str, grafts: Grafts | None = None) -> Node:
    """Read a tree. Raises ValueError for anything else."""
    return _tree(json.loads(text), grafts)


def _tree(items: list[dict[str, Any]], grafts: Grafts | None) -> Node:
    # Backwards, so that a node's children stand ready when it comes; no recursion, since plans may be thousands of nodes deep.
    ready: list[Node] = []
    for item in reversed(grafts.put(items) if grafts and grafts.items else items):
        children = tuple([ready.pop() for _ in range(item["children"])])
        trees = {name: _forest(value, grafts) for name, value in item["trees"].items()} if "trees" in item else _NONE
        ready.append(Node(item["kind"], item["plan"], item["attrs"], trees, children))
    if len(ready) != 1:
        raise ValueError("this is no tree")
    return ready[0]


def _forest(value: list[Any], grafts: Grafts | None) -> Forest:
    """Give what a field holds: a tree is a list of items, a list of trees one of lists."""
    if value and isinstance(value[0], dict):
        return (_tree(value, grafts),)
    return tuple(_tree(item, grafts) if item and isinstance(item[0], dict) else _forest(item, grafts) for item in value)


def flatten(forest: Forest) -> Iterator[Node]:
    """Give the trees of a forest, whatever their nesting."""
    for item in forest:
        if isinstance(item, Node):
            yield item
        else:
            yield from flatten(item)


def walk(root: Node, stop: Callable[[Node], bool] = lambda _: False) -> Iterator[Node]:
    """Give every node below and with the root, the trees in fields too. A node comes before all that it holds.

    What a node holds for which `stop` is true is left out, and so is that node.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if stop(node):
            continue
        yield node
        waiting.extend(reversed(node.children))
        for forest in node.trees.values():
            waiting.extend(flatten(forest))
