"""Which columns a column comes from, by the ids that Spark gives to expressions."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from jupyter_colophon.spark.references import (
    IDENTITY,
    TRANSFORMED,
    Reference,
    expr_id,
    joined,
    references,
    steering,
)
from jupyter_colophon.spark.tree import Node, flatten, walk

MOST_PAIRS = 10_000
"""A function of whole rows with more pairs of columns in and out than this says nothing about any of them."""

LEFT_ONLY = ("LeftSemi", "LeftAnti")
PASS_FIRST = frozenset({"Union", "Except", "Intersect"})


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
    rule = OUTPUTS.get(node.kind)
    if rule is not None:
        return rule(node, [known.get(id(below), ()) for below in _below(node)])
    if "output" in node.trees:
        return _ids(node, "output")
    return known.get(id(node.children[0]), ()) if len(node.children) == 1 else ()


def _below(node: Node) -> tuple[Node, ...]:
    """Give the plans whose rows a node takes: of a lateral join the subquery's too, which stands in a field."""
    return (*node.children, *(plan for lateral in node.forest("right") for plan in lateral.forest("plan")))


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
    "LateralJoin": _join,
    "WithCTE": lambda _, children: children[-1],
    "UnionLoop": lambda node, children: tuple(node.attrs.get("outputAttrIds", children[0])),
    "HiveTableRelation": lambda node, _: _ids(node, "dataCols", "partitionCols"),
    **dict.fromkeys(PASS_FIRST, lambda _, children: children[0]),
}
"""What a node of a kind puts out, from the node and its children's columns. Other nodes name it in `output`, or pass on their child's."""


def _definitions(node: Node, found: Columns) -> Iterator[tuple[int, list[Reference]]]:
    """Give the columns that a node makes, each with what it is made of."""
    if node.kind == "Alias":
        column = expr_id(node)
        if column is not None:
            yield column, list(references(node.children[0], found))
    elif node.kind in {"Union", "UnionLoop"}:
        for child in node.children:
            yield from _in_order(found.output(node), found.output(child))
    elif node.kind in {"CTERelationRef", "UnionLoopRef"}:
        meant = found.table(node) if node.kind == "CTERelationRef" else found.loop(node)
        yield from _in_order(found.output(node), found.output(meant) if meant else ())
    elif node.kind == "Expand":
        yield from _expanded(node, found)
    else:
        yield from _generated(node, found)


def _generated(node: Node, found: Columns) -> Iterator[tuple[int, list[Reference]]]:
    """Give the columns that a function of whole rows makes: each may come from all that the function is given."""
    generator = node.tree("generator")
    if generator is not None and generator.kind == "Stack":
        yield from _stacked(node, generator, found)
        return
    made = list(_all_of((*node.forest("generator"), *node.forest("functionExpr")), found))
    if node.kind == "ScriptTransformation":
        made = [(column, TRANSFORMED) for child in node.children for column in found.output(child)]
    if len(made) * len(found.output(node)) > MOST_PAIRS:
        found.vague.append(node)
    elif made:
        makes = _ids(node, "generatorOutput") if node.kind == "Generate" else found.output(node)
        yield from ((column, made) for column in makes)


def _stacked(node: Node, generator: Node, found: Columns) -> Iterator[tuple[int, list[Reference]]]:
    """Give the columns of `stack(n, …)`: behind the number, the values are dealt out to them row by row."""
    makes, values = _ids(node, "generatorOutput"), generator.children[1:]
    for at, column in enumerate(makes):
        yield column, list(_all_of(values[at :: len(makes)], found))


def _in_order(made: tuple[int, ...], sources: tuple[int, ...]) -> Iterator[tuple[int, list[Reference]]]:
    for column, source in zip(made, sources, strict=False):
        if column != source:
            yield column, [(source, IDENTITY)]


def _expanded(node: Node, found: Columns) -> Iterator[tuple[int, list[Reference]]]:
    for projection in node.trees.get("projections", ()):
        if isinstance(projection, tuple):
            for column, expression in zip(found.output(node), flatten(projection), strict=False):
                yield column, list(references(expression, found))


def _all_of(expressions: Iterable[Node], found: Columns) -> Iterator[Reference]:
    for expression in expressions:
        for column, rank in references(expression, found):
            yield column, joined(TRANSFORMED, rank)
