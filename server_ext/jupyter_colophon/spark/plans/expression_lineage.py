"""What an expression's value is made of, and what steers which rows there are: joins, filters, groups, sorts, windows, conditions.

Two things are told apart (OpenLineage's words): values flow *directly* from column to column; what a condition looks at decides
which values flow, *indirectly*. Of several ways from one column to another the strongest counts, and direct ones are stronger.
"""

from collections.abc import Iterator
from typing import Protocol

from jupyter_colophon.spark.plans.plan_nodes import Inputs, declaration, expression
from jupyter_colophon.spark.plans.plan_tree import Node, expr_id, lateral_plans
from jupyter_colophon.spark.plans.session_variables import variable_id
from jupyter_colophon.spark.plans.transformations import IDENTITY, TRANSFORMED, Reference, joined


class Plans(Protocol):
    """What expressions need to know of the plans that are in them."""

    def output(self, node: Node) -> tuple[int, ...]:
        """The ids of a plan node's columns, in order."""

    def table(self, node: Node) -> Node | None:
        """The common table expression that a node refers to."""


def references(root: Node, plans: Plans) -> Iterator[Reference]:
    """Give the columns that go into an expression's value, and those that steer it."""
    waiting = [(root, IDENTITY)]
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
            waiting.extend((below, joined(rank, how)) for below, how in expression(node.kind).uses(node))


def _of_subquery(node: Node, plans: Plans) -> Iterator[Reference]:
    """Give what a subquery within an expression looks at: of EXISTS, its conditions alone."""
    for plan in node.forest("plan"):
        if node.kind != "Exists":
            yield from ((column, TRANSFORMED) for column in plans.output(plan))
        yield from steering(plan, plans)


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
    declared = declaration(node.kind)
    for field, how in declared.steering:
        for condition in node.forest(field):
            yield from ((column, how) for column, _ in references(condition, plans))
    if declared.compared is not None:
        children, how = declared.compared
        yield from ((column, how) for child in node.children[children] for column in plans.output(child))


def _below(node: Node, plans: Plans) -> tuple[Node, ...]:
    """Return the plans that a plan takes rows from, those of common tables where they are used."""
    match declaration(node.kind).inputs:
        case Inputs.COMMON_TABLE:
            table = plans.table(node)
            return (table,) if table is not None else ()
        case Inputs.LAST_CHILD:
            return node.children[-1:]
        case Inputs.SAMPLED if _is_of_split(node.children[0], plans):
            return node.children[0].children
        case Inputs.LATERAL:
            return (*node.children, *lateral_plans(node))
    return node.children
