"""What an expression's value is made of, and what steers which rows there are: joins, filters, groups, sorts, windows, conditions.

Two things are told apart (OpenLineage's words): values flow *directly* from column to column; what a condition looks at decides
which values flow, *indirectly*. Of several ways from one column to another the strongest counts, and direct ones are stronger.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Protocol, TypeAlias

from jupyter_colophon.spark.observation import Transformation
from jupyter_colophon.spark.tree import Node
from jupyter_colophon.spark.variables import variable_id

RANKS = (
    Transformation.CONDITIONAL,
    Transformation.WINDOW,
    Transformation.SORT,
    Transformation.GROUP_BY,
    Transformation.FILTER,
    Transformation.JOIN,
    Transformation.IDENTITY,
    Transformation.TRANSFORMATION,
    Transformation.AGGREGATION,
)
"""From the weakest to the strongest."""

CONDITIONAL, WINDOW, SORT, GROUP_BY, FILTER, JOIN, IDENTITY, TRANSFORMED, AGGREGATED = range(len(RANKS))

Reference: TypeAlias = tuple[int, int]
"""A column's id and how it was used, an index into RANKS."""


class Plans(Protocol):
    """What expressions need to know of the plans that are in them."""

    def output(self, node: Node) -> tuple[int, ...]:
        """The ids of a plan node's columns, in order."""

    def table(self, node: Node) -> Node | None:
        """The common table expression that a node refers to."""


def is_direct(rank: int) -> bool:
    """Whether values flow."""
    return rank >= IDENTITY


def joined(near: int, far: int) -> int:
    """How a column was used by way of another: what steers on the way steers the whole of it."""
    if not is_direct(near):
        return near
    return max(near, far) if is_direct(far) else far


def expr_id(node: Node) -> int | None:
    """Give the id of a named expression, None for any other."""
    return node.attrs.get("exprId")


def references(expression: Node, plans: Plans) -> Iterator[Reference]:
    """Give the columns that go into an expression's value, and those that steer it."""
    waiting = [(expression, IDENTITY)]
    while waiting:
        node, rank = waiting.pop()
        if node.kind == "AttributeReference":
            column = expr_id(node)
            if column is not None:
                yield column, rank
        elif node.kind == "VariableReference":
            yield variable_id(node.attrs["variable"]), joined(rank, TRANSFORMED)
        elif node.kind == "OuterReference":
            waiting.extend((inner, rank) for inner in node.forest("e"))
        elif "plan" in node.trees:
            yield from ((column, joined(rank, how)) for column, how in _of_subquery(node, plans))
        else:
            waiting.extend((below, joined(rank, how)) for below, how in _used(node))


def _of_subquery(node: Node, plans: Plans) -> Iterator[Reference]:
    """Give what a subquery within an expression looks at: of EXISTS, its conditions alone."""
    for plan in node.forest("plan"):
        if node.kind != "Exists":
            yield from ((column, TRANSFORMED) for column in plans.output(plan))
        yield from steering(plan, plans)


def _used(node: Node) -> list[tuple[Node, int]]:
    rule = USES.get(node.kind)
    if rule is not None:
        return rule(node.children)
    how = IDENTITY if node.kind == "Alias" or _keeps_value(node) else TRANSFORMED
    return [(child, how) for child in node.children]


def _case(children: tuple[Node, ...]) -> list[tuple[Node, int]]:
    paired = len(children) // 2 * 2
    return [(child, CONDITIONAL if at < paired and at % 2 == 0 else TRANSFORMED) for at, child in enumerate(children)]


def _all_are(how: int) -> Callable[[tuple[Node, ...]], list[tuple[Node, int]]]:
    return lambda children: [(child, how) for child in children]


def _first_is(first: int, others: int) -> Callable[[tuple[Node, ...]], list[tuple[Node, int]]]:
    def rule(children: tuple[Node, ...]) -> list[tuple[Node, int]]:
        return [(child, others if at else first) for at, child in enumerate(children)]

    return rule


USES: Mapping[str, Callable[[tuple[Node, ...]], list[tuple[Node, int]]]] = {
    "AggregateExpression": _first_is(AGGREGATED, FILTER),
    "WindowExpression": _first_is(TRANSFORMED, WINDOW),
    "If": _first_is(CONDITIONAL, TRANSFORMED),
    "PivotFirst": _first_is(CONDITIONAL, TRANSFORMED),
    "CaseWhen": _case,
    # What they are given is the order of their window; their value is a position.
    **dict.fromkeys(("Rank", "DenseRank", "PercentRank"), _all_are(WINDOW)),
}
"""How expressions of some kinds use what they are made of, from their children; others change all of it."""


def _keeps_value(node: Node) -> bool:
    """Whether a node is a cast of a column to the type that it has: Spark puts those into views and inserts."""
    if node.kind not in {"Cast", "UpCast"}:
        return False
    child = node.children[0]
    return child.kind == "AttributeReference" and child.attrs.get("dataType") == node.attrs.get("dataType")


STEERS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "Filter": (("condition", FILTER),),
    "Join": (("condition", JOIN),),
    "LateralJoin": (("condition", JOIN),),
    "AsOfJoin": (("asOfCondition", JOIN), ("condition", JOIN), ("orderExpression", JOIN)),
    "Aggregate": (("groupingExpressions", GROUP_BY),),
    "Deduplicate": (("keys", GROUP_BY),),
    "Sort": (("order", SORT),),
}
"""Nodes that decide which rows there are, or their order: the fields that say by what, and what that is called."""

COMPARES_ROWS = frozenset({"Except", "Intersect"})


def steering(plan: Node, plans: Plans) -> Iterator[Reference]:
    """Give the columns that steer all that a plan puts out."""
    waiting, seen = [plan], set[int]()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield from _steers(node, plans)
        waiting.extend(_below(node, plans))


def _is_of_split(sort: Node, plans: Plans) -> bool:
    """Whether a sort below a sample is that of `randomSplit`, which orders by all columns lest a row is in two parts."""
    if sort.kind != "Sort" or sort.attrs.get("global") is not False:
        return False
    keys = [next(references(order, plans), (None, 0))[0] for order in sort.forest("order")]
    made = iter(plans.output(sort.children[0]))
    # Columns that have no order (maps) are left out, the others are in theirs.
    return all(key is not None and key in made for key in keys)


def _steers(node: Node, plans: Plans) -> Iterator[Reference]:
    for field, how in STEERS.get(node.kind, ()):
        for expression in node.forest(field):
            yield from ((column, how) for column, _ in references(expression, plans))
    if node.kind == "Distinct":
        yield from ((column, GROUP_BY) for column in plans.output(node.children[0]))
    if node.kind in COMPARES_ROWS:
        yield from ((column, FILTER) for child in node.children[1:] for column in plans.output(child))


def _below(node: Node, plans: Plans) -> Iterator[Node]:
    """Give the plans that a plan takes rows from, those of common tables where they are used."""
    table = plans.table(node) if node.kind == "CTERelationRef" else None
    if table is not None:
        yield table
    elif node.kind == "WithCTE":
        yield node.children[-1]
    elif node.kind == "Sample" and _is_of_split(node.children[0], plans):
        yield from node.children[0].children
    else:
        yield from node.children
    for lateral in node.forest("right") if node.kind == "LateralJoin" else ():
        yield from lateral.forest("plan")
