"""Which columns a column comes from, by the ids that Spark gives to expressions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from jupyter_colophon.spark.plans.expression_lineage import references, steering
from jupyter_colophon.spark.plans.plan_nodes import FIRST, Inputs, Made, declaration
from jupyter_colophon.spark.plans.plan_tree import Node, expr_id, flatten, lateral_plans, walk
from jupyter_colophon.spark.plans.transformations import IDENTITY, TRANSFORMED, Reference, joined

MOST_PAIRS = 10_000
"""A function of whole rows with more pairs of columns in and out than this says nothing about any of them."""

LEFT_ONLY = ("LeftSemi", "LeftAnti")
"""Joins that have the columns of their left input alone."""


Definitions: TypeAlias = Iterator[tuple[int, list[Reference]]]
"""Columns, each with what it is made of."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of one plan: what each node puts out, and what each column is made of."""

    outputs: Mapping[int, tuple[int, ...]]
    tables: Mapping[int, Node]
    loops: Mapping[int, Node]
    made_of: dict[int, list[Reference]] = field(default_factory=dict)
    vague: list[Node] = field(default_factory=list)
    """Functions of so many columns that nothing was said of any."""

    def output(self, node: Node) -> tuple[int, ...]:
        """The ids of a plan node's columns, in order."""
        return self.outputs.get(id(node), ())

    def table(self, node: Node) -> Node | None:
        """The common table expression that a node refers to."""
        return self.tables.get(node.attrs["cteId"])

    def loop(self, node: Node) -> Node | None:
        """The recursion that a node within it refers to."""
        return self.loops.get(node.attrs["loopId"])

    def sources(self, column: int, leaves: Mapping[int, object]) -> dict[int, int]:
        """The columns of `leaves` that a column is made of or steered by, each with the strongest way there."""
        return self._sources([(column, IDENTITY)], leaves)

    def steering(self, plan: Node, leaves: Mapping[int, object]) -> dict[int, int]:
        """The columns of `leaves` that steer all that a plan puts out, each with the strongest way."""
        return self._sources(list(dict.fromkeys(steering(plan, self))), leaves)

    def _sources(self, waiting: list[Reference], leaves: Mapping[int, object]) -> dict[int, int]:
        strongest: dict[int, int] = {}
        while waiting:
            at, rank = waiting.pop()
            if strongest.get(at, -1) >= rank:
                continue
            strongest[at] = rank
            waiting.extend((below, joined(rank, how)) for below, how in self.made_of.get(at, ()))
        return {at: rank for at, rank in strongest.items() if at in leaves}


def columns(root: Node) -> Columns:
    """Work out the columns of a plan."""
    nodes = list(walk(root))
    outputs: dict[int, tuple[int, ...]] = {}
    for node in reversed(nodes):  # From the leaves up: what a node holds comes before it.
        if node.is_plan:
            outputs[id(node)] = _output(node, outputs)
    tables = {node.attrs["id"]: node.children[0] for node in nodes if node.kind == "CTERelationDef"}
    loops = {node.attrs["id"]: node for node in nodes if node.kind == "UnionLoop"}
    found = Columns(outputs, tables, loops)
    for node in nodes:
        for column, made in _definitions(node, found):
            found.made_of.setdefault(column, []).extend(made)
    return found


def _output(node: Node, known: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    declared = declaration(node.kind)
    rule = declared.output
    if rule is None:
        if "output" in node.trees:
            return _ids(node, "output")
        return known.get(id(node.children[0]), ()) if len(node.children) == 1 else ()
    if rule.ids is not None and rule.ids in node.attrs:
        return tuple(node.attrs[rule.ids])
    is_left = any(word in str(node.attrs.get("joinType")) for word in LEFT_ONLY)
    inputs = (*node.children, *(lateral_plans(node) if declared.inputs is Inputs.LATERAL else ()))
    passed = (known.get(id(plan), ()) for plan in inputs[FIRST if is_left else rule.inputs])
    return (*chain.from_iterable(passed), *_ids(node, *rule.fields))


def _ids(node: Node, *fields: str) -> tuple[int, ...]:
    found = (expr_id(item) for name in fields for item in node.forest(name))
    return tuple(item for item in found if item is not None)


def _definitions(node: Node, found: Columns) -> Definitions:
    """Give the columns that a node makes, each with what it is made of."""
    if not node.is_plan:
        column = expr_id(node) if node.kind == "Alias" else None
        if column is not None:
            yield column, list(references(node.children[0], found))
        return
    yield from RULES[declaration(node.kind).made](node, found)


def _pass_on(node: Node, found: Columns) -> Definitions:
    return iter(())


def _by_position(node: Node, found: Columns) -> Definitions:
    for child in node.children:
        yield from _in_order(found.output(node), found.output(child))


def _from_table(node: Node, found: Columns) -> Definitions:
    table = found.table(node)
    return _in_order(found.output(node), found.output(table) if table else ())


def _from_loop(node: Node, found: Columns) -> Definitions:
    loop = found.loop(node)
    return _in_order(found.output(node), found.output(loop) if loop else ())


def _from_rows(node: Node, found: Columns) -> Definitions:
    made = [(column, TRANSFORMED) for child in node.children for column in found.output(child)]
    return _from_all(node, found.output(node), made, found)


def _from_function(node: Node, found: Columns) -> Definitions:
    return _from_all(node, found.output(node), list(_all_of(node.forest("functionExpr"), found)), found)


def _from_generator(node: Node, found: Columns) -> Definitions:
    generator, makes = node.tree("generator"), _ids(node, "generatorOutput")
    if generator is not None and generator.kind == "Stack":
        return _from_stack(makes, generator, found)
    return _from_all(node, makes, list(_all_of(node.forest("generator"), found)), found)


def _from_all(node: Node, makes: tuple[int, ...], made: list[Reference], found: Columns) -> Definitions:
    """Give the columns that a function of whole rows makes: each may come from all that the function is given."""
    if len(made) * len(found.output(node)) > MOST_PAIRS:
        found.vague.append(node)
    elif made:
        yield from ((column, made) for column in makes)


def _from_stack(makes: tuple[int, ...], generator: Node, found: Columns) -> Definitions:
    """Give the columns of `stack(n, …)`: behind the number, the values are dealt out to them row by row."""
    values = generator.children[1:]
    for at, column in enumerate(makes):
        yield column, list(_all_of(values[at :: len(makes)], found))


def _in_order(made: tuple[int, ...], sources: tuple[int, ...]) -> Definitions:
    for column, source in zip(made, sources, strict=False):
        if column != source:
            yield column, [(source, IDENTITY)]


def _from_projections(node: Node, found: Columns) -> Definitions:
    for projection in node.trees.get("projections", ()):
        if isinstance(projection, tuple):
            for column, expression in zip(found.output(node), flatten(projection), strict=False):
                yield column, list(references(expression, found))


def _all_of(expressions: Iterable[Node], found: Columns) -> Iterator[Reference]:
    for expression in expressions:
        for column, rank in references(expression, found):
            yield column, joined(TRANSFORMED, rank)


RULES: Mapping[Made, Callable[[Node, Columns], Definitions]] = {
    Made.PASSED: _pass_on,
    Made.FUNCTION: _from_function,
    Made.GENERATOR: _from_generator,
    Made.ROWS: _from_rows,
    Made.BY_POSITION: _by_position,
    Made.COMMON_TABLE: _from_table,
    Made.RECURSION: _from_loop,
    Made.PROJECTIONS: _from_projections,
}
