"""Plans and expressions as trees, from the flat JSON that Spark's `TreeNode.toJSON` writes.

That JSON is a list in preorder; each item says how many children follow, and fields that hold other trees (a project list, a
subquery's plan) are lists of the same form. One call of it brings a whole plan, however wide (spark.md, decision 2).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Forest: TypeAlias = "tuple[Node | Forest, ...]"


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
        if not item["class"].endswith(".LogicalRDD") or not item["output"]:
            return None
        return self.items.get(item["output"][0][0]["exprId"]["id"])


def parse(text: str, grafts: Grafts | None = None) -> Node:
    """Read what `TreeNode.toJSON` wrote. Raises ValueError for anything else."""
    return _tree(json.loads(text), grafts)


def _tree(items: list[dict[str, Any]], grafts: Grafts | None) -> Node:
    # Backwards, so that a node's children stand ready when it comes; no recursion, since plans may be thousands of nodes deep.
    ready: list[Node] = []
    for item in reversed(grafts.put(items) if grafts and grafts.items else items):
        count = item["num-children"]
        children = tuple(ready.pop() for _ in range(count))
        ready.append(_node(item, children, grafts))
    if len(ready) != 1:
        raise ValueError("this is no tree")
    return ready[0]


def _node(item: dict[str, Any], children: tuple[Node, ...], grafts: Grafts | None) -> Node:
    kind = item["class"]
    attrs: dict[str, Any] = {}
    trees: dict[str, Forest] = {}
    for name, value in item.items():
        if _is_tree(value):
            trees[name] = (_tree(value, grafts),)
        elif _is_forest(value):
            trees[name] = _forest(value, grafts)
        else:
            attrs[name] = value
    return Node(kind.rpartition(".")[2].rstrip("$"), ".expressions." not in kind, attrs, trees, children)


def _is_tree(value: Any) -> bool:
    return bool(value) and isinstance(value, list) and isinstance(value[0], dict) and "num-children" in value[0]


def _is_forest(value: Any) -> bool:
    return bool(value) and isinstance(value, list) and (_is_tree(value[0]) or _is_forest(value[0]))


def _forest(value: list[Any], grafts: Grafts | None) -> Forest:
    return tuple(
        _tree(item, grafts) if _is_tree(item) else _forest(item, grafts) for item in value if isinstance(item, list)
    )


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
