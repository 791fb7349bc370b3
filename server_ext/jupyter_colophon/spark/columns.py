"""Which columns a column comes from, by the ids that Spark gives to expressions.

Only direct sources count: what a join, a filter, a group or a window's order looks at decides which rows come, not what stands in them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from jupyter_colophon.spark.observation import Transformation
from jupyter_colophon.spark.tree import Node, flatten, walk

IDENTITY, TRANSFORMED, AGGREGATED = range(3)
RANKS = (Transformation.IDENTITY, Transformation.TRANSFORMATION, Transformation.AGGREGATION)

Reference: TypeAlias = tuple[int, int]
"""A column's id and how strongly it was changed, an index into RANKS."""

MOST_PAIRS = 10_000
"""A function of whole rows with more pairs of columns in and out than this says nothing about any of them."""

LEFT_ONLY = ("LeftSemi", "LeftAnti")
PASS_FIRST = frozenset({"Union", "Except", "Intersect", "UnionLoop"})


def expr_id(node: Node) -> int | None:
    """Give the id of a named expression, None for any other."""
    found = node.attrs.get("exprId")
    return found["id"] if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of one plan: what each node puts out, and what each column is made of."""

    outputs: Mapping[int, tuple[int, ...]]
    made_of: dict[int, list[Reference]] = field(default_factory=dict)

    def output(self, node: Node) -> tuple[int, ...]:
        """The ids of a plan node's columns, in order."""
        return self.outputs.get(id(node), ())

    def sources(self, column: int, leaves: Mapping[int, object]) -> dict[int, Transformation]:
        """The columns of `leaves` that a column comes from, each with the strongest change on the way."""
        strongest: dict[int, int] = {}
        waiting: list[Reference] = [(column, IDENTITY)]
        while waiting:
            at, rank = waiting.pop()
            if strongest.get(at, -1) >= rank:
                continue
            strongest[at] = rank
            waiting.extend((below, max(rank, change)) for below, change in self.made_of.get(at, ()))
        return {at: RANKS[rank] for at, rank in strongest.items() if at in leaves}


def columns(root: Node) -> Columns:
    """Work out the columns of a plan."""
    nodes = list(walk(root))
    outputs: dict[int, tuple[int, ...]] = {}
    for node in reversed(nodes):  # From the leaves up: what a node holds comes before it.
        if node.is_plan:
            outputs[id(node)] = _output(node, outputs)
    found = Columns(outputs)
    tables = {node.attrs["id"]: node.children[0] for node in nodes if node.kind == "CTERelationDef"}
    for node in nodes:
        for column, references in _definitions(node, found, tables):
            found.made_of.setdefault(column, []).extend(references)
    return found


def _output(node: Node, known: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    rule = OUTPUTS.get(node.kind)
    if rule is not None:
        return rule(node, [known.get(id(child), ()) for child in node.children])
    if "output" in node.trees:
        return _ids(node, "output")
    return known.get(id(node.children[0]), ()) if len(node.children) == 1 else ()


def _ids(node: Node, *fields: str) -> tuple[int, ...]:
    found = (expr_id(item) for name in fields for item in node.forest(name))
    return tuple(item for item in found if item is not None)


def _join(node: Node, children: list[tuple[int, ...]]) -> tuple[int, ...]:
    kind = str(node.attrs.get("joinType"))
    if any(word in kind for word in LEFT_ONLY):
        return children[0]
    return tuple(item for child in children for item in child)


OUTPUTS: Mapping[str, Callable[[Node, list[tuple[int, ...]]], tuple[int, ...]]] = {
    "Project": lambda node, _: _ids(node, "projectList"),
    "Aggregate": lambda node, _: _ids(node, "aggregateExpressions"),
    "Window": lambda node, children: children[0] + _ids(node, "windowExpressions"),
    "Generate": lambda node, children: children[0] + _ids(node, "generatorOutput"),
    "Join": _join,
    "AsOfJoin": _join,
    "WithCTE": lambda _, children: children[-1],
    "HiveTableRelation": lambda node, _: _ids(node, "dataCols", "partitionCols"),
    **dict.fromkeys(PASS_FIRST, lambda _, children: children[0]),
}
"""What a node of a kind puts out, from the node and its children's columns. Other nodes name it in `output`, or pass on their child's."""


def _definitions(node: Node, found: Columns, tables: Mapping[int, Node]) -> Iterator[tuple[int, list[Reference]]]:
    """Give the columns that a node makes, each with what it is made of; `tables` are the common table expressions."""
    if node.kind == "Alias":
        column = expr_id(node)
        if column is not None:
            yield column, list(references(node.children[0], found))
    elif node.kind in {"Union", "UnionLoop"}:
        for child in node.children[1:]:
            yield from _in_order(found.output(node), found.output(child))
    elif node.kind == "CTERelationRef":
        table = tables.get(node.attrs["cteId"])
        yield from _in_order(found.output(node), found.output(table) if table else ())
    elif node.kind == "Expand":
        yield from _expanded(node, found)
    else:
        yield from _generated(node, found)


def _generated(node: Node, found: Columns) -> Iterator[tuple[int, list[Reference]]]:
    """Give the columns that a function of whole rows makes: each may come from all that the function is given."""
    made = list(_all_of((*node.forest("generator"), *node.forest("functionExpr")), found))
    if made and len(made) * len(found.output(node)) <= MOST_PAIRS:
        makes = _ids(node, "generatorOutput") if node.kind == "Generate" else found.output(node)
        yield from ((column, made) for column in makes)


def _in_order(made: tuple[int, ...], sources: tuple[int, ...]) -> Iterator[tuple[int, list[Reference]]]:
    for column, source in zip(made, sources, strict=False):
        yield column, [(source, IDENTITY)]


def _expanded(node: Node, found: Columns) -> Iterator[tuple[int, list[Reference]]]:
    for projection in node.trees.get("projections", ()):
        if isinstance(projection, tuple):
            for column, expression in zip(found.output(node), flatten(projection), strict=False):
                yield column, list(references(expression, found))


def _all_of(expressions: Iterable[Node], found: Columns) -> Iterator[Reference]:
    for expression in expressions:
        for column, rank in references(expression, found):
            yield column, max(rank, TRANSFORMED)


def references(expression: Node, found: Columns) -> Iterator[Reference]:
    """Give the columns whose values go into an expression's."""
    waiting = [(expression, IDENTITY)]
    while waiting:
        node, rank = waiting.pop()
        if node.kind == "AttributeReference":
            column = expr_id(node)
            if column is not None:
                yield column, rank
        elif node.kind == "ScalarSubquery":
            yield from ((column, TRANSFORMED) for tree in node.forest("plan") for column in found.output(tree)[:1])
        else:
            waiting.extend((below, max(rank, _change(node))) for below in _inputs(node))


def _inputs(node: Node) -> tuple[Node, ...]:
    if node.kind == "WindowExpression":
        return node.children[:1]  # The rest says which rows the window looks at.
    if node.kind == "OuterReference":
        return node.forest("e")
    return node.children


def _change(node: Node) -> int:
    if node.kind == "AggregateExpression":
        return AGGREGATED
    if node.kind in {"Alias", "OuterReference"} or _keeps_value(node):
        return IDENTITY
    return TRANSFORMED


def _keeps_value(node: Node) -> bool:
    """Whether a node is a cast of a column to the type that it has: Spark puts those into views and inserts."""
    if node.kind not in {"Cast", "UpCast"}:
        return False
    child = node.children[0]
    return child.kind == "AttributeReference" and child.attrs.get("dataType") == node.attrs.get("dataType")
