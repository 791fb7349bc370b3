"""Plans and expressions as trees, from the flat JSON that `PlanWriter.java` writes.

The JSON is a list in preorder; each item has its number of children, and fields that contain other trees (a project list, a
subquery's plan) are lists of the same form. One call transfers a whole plan, however wide (spec CAPTURE-3).
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Forest: TypeAlias = "tuple[TreeNode | Forest, ...]"
_NONE: Mapping[str, Forest] = {}

MERGE_INSTRUCTIONS = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
"""The fields of a `MergeRows` with what happens to rows that match, or exist on one side only."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeNode:
    """A node of a plan or an expression.

    `kind` is its class's short name; `attrs` are its plain fields; `trees` are the fields that contain other trees, nested as in
    Spark; `is_plan` distinguishes plans from expressions.
    """

    kind: str
    is_plan: bool
    attrs: Mapping[str, Any]
    trees: Mapping[str, Forest]
    children: tuple["TreeNode", ...]

    def get_only_tree(self, field: str) -> "TreeNode | None":
        """Return the only tree in a field; None if there is none, or several."""
        match self.trees.get(field, ()):
            case (TreeNode() as only,):
                return only
        return None

    def get_trees(self, field: str) -> tuple["TreeNode", ...]:
        """Return all trees in a field."""
        return tuple(flatten_forest(self.trees.get(field, ())))


@dataclass(slots=True)
class StreamPlansByColumn:
    """Plans of streams, as JSON by the id of their first column: they replace the rows that a batch function receives.

    `relations` are the datasets that their leaves read.
    """

    items: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    relations: dict[int, Any] = field(default_factory=dict)

    def insert_stream_plans(self, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return a tree's items with rows replaced by plans of streams, in preorder."""
        return [new for item in items for new in self._find_plan(item) or [item]]

    def _find_plan(self, item: dict[str, Any]) -> list[dict[str, Any]] | None:
        output = item.get("trees", {}).get("output") if item["kind"] == "LogicalRDD" else None
        return self.items.get(output[0][0]["attrs"]["exprId"]) if output else None


def get_expr_id(node: TreeNode) -> int | None:
    """Return the id of a named expression, None for others."""
    return node.attrs.get("exprId")


def find_lateral_plans(node: TreeNode) -> tuple[TreeNode, ...]:
    """Return the subqueries of a lateral join, which are in a field and not children."""
    return tuple(plan for lateral in node.get_trees("right") for plan in lateral.get_trees("plan"))


def list_merge_instructions(node: TreeNode) -> tuple[TreeNode, ...]:
    """Return the instructions of a `MergeRows`, each with its condition as first child."""
    return tuple(instruction for name in MERGE_INSTRUCTIONS for instruction in node.get_trees(name))


def parse_tree(text: str, stream_plans: StreamPlansByColumn | None = None) -> TreeNode:
    """Parse a tree. Raises ValueError if it is malformed."""
    return _build_tree(json.loads(text), stream_plans)


def _build_tree(items: list[dict[str, Any]], stream_plans: StreamPlansByColumn | None) -> TreeNode:
    # Backwards, so that children precede their parent; no recursion, since plans may be thousands of nodes deep.
    ready: list[TreeNode] = []
    for item in reversed(stream_plans.insert_stream_plans(items) if stream_plans and stream_plans.items else items):
        children = tuple([ready.pop() for _ in range(item["children"])])
        trees = (
            {name: _build_forest(value, stream_plans) for name, value in item["trees"].items()}
            if "trees" in item
            else _NONE
        )
        ready.append(TreeNode(item["kind"], item["plan"], item["attrs"], trees, children))
    if len(ready) != 1:
        raise ValueError("the JSON is not a single tree")
    return ready[0]


def _build_forest(value: list[Any], stream_plans: StreamPlansByColumn | None) -> Forest:
    """Return a field's trees: a tree is a list of items, a list of trees is a list of lists."""
    if value and isinstance(value[0], dict):
        return (_build_tree(value, stream_plans),)
    return tuple(
        _build_tree(item, stream_plans) if item and isinstance(item[0], dict) else _build_forest(item, stream_plans)
        for item in value
    )


def flatten_forest(forest: Forest) -> Iterator[TreeNode]:
    """Yield the trees of a nested forest."""
    for item in forest:
        if isinstance(item, TreeNode):
            yield item
        else:
            yield from flatten_forest(item)


def walk_tree(root: TreeNode, stop: Callable[[TreeNode], bool] = lambda _: False) -> Iterator[TreeNode]:
    """Yield all nodes of a tree in preorder, including the trees in fields.

    Nodes for which `stop` is true are left out, with everything below them.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if stop(node):
            continue
        yield node
        waiting.extend(reversed(node.children))
        for forest in node.trees.values():
            waiting.extend(flatten_forest(forest))
