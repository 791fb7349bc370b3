"""The source columns of each column, by Spark's expression ids."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from jupyter_colophon.spark.plans.expression_lineage import find_control_references, find_references
from jupyter_colophon.spark.plans.plan_nodes import FIRST, ColumnRule, Inputs, get_plan_node
from jupyter_colophon.spark.plans.plan_tree import (
    TreeNode,
    find_lateral_plans,
    flatten_forest,
    get_expr_id,
    list_merge_instructions,
    walk_tree,
)
from jupyter_colophon.spark.plans.transformations import IDENTITY, TRANSFORMED, Reference, combine_column_uses

MAX_PAIRS = 10_000
"""Maximum number of pairs of input and output columns of a function of whole rows; beyond it no lineage is reported."""

LEFT_ONLY = ("LeftSemi", "LeftAnti")
"""Joins whose output has only the columns of the left input."""


Definitions: TypeAlias = Iterator[tuple[int, list[Reference]]]
"""Columns, each with the columns that it depends on."""


@dataclass(frozen=True, slots=True)
class PlanColumns:
    """The columns of a plan: the output of each node, and the columns that each column depends on."""

    outputs: Mapping[int, tuple[int, ...]]
    tables: Mapping[int, TreeNode]
    loops: Mapping[int, TreeNode]
    sources_by_column: dict[int, list[Reference]] = field(default_factory=dict)
    too_large: list[TreeNode] = field(default_factory=list)
    """Functions with too many columns for lineage."""

    def get_output(self, node: TreeNode) -> tuple[int, ...]:
        """Return the ids of a node's output columns, in order."""
        return self.outputs.get(id(node), ())

    def find_common_table(self, node: TreeNode) -> TreeNode | None:
        """Return the common table expression that a node refers to."""
        return self.tables.get(node.attrs["cteId"])

    def find_recursion(self, node: TreeNode) -> TreeNode | None:
        """Return the recursion that a node within it refers to."""
        return self.loops.get(node.attrs["loopId"])

    def find_source_columns(self, column: int, leaves: Mapping[int, object]) -> dict[int, int]:
        """Return the columns of `leaves` that a column depends on, each with the strongest kind of use."""
        return self._trace_to_leaves([(column, IDENTITY)], leaves)

    def find_control_columns(self, plan: TreeNode, leaves: Mapping[int, object]) -> dict[int, int]:
        """Return the columns of `leaves` that control all output rows of a plan, each with the strongest kind of use."""
        return self._trace_to_leaves(list(dict.fromkeys(find_control_references(plan, self))), leaves)

    def _trace_to_leaves(self, waiting: list[Reference], leaves: Mapping[int, object]) -> dict[int, int]:
        strongest: dict[int, int] = {}
        while waiting:
            at, rank = waiting.pop()
            if strongest.get(at, -1) >= rank:
                continue
            strongest[at] = rank
            waiting.extend((below, combine_column_uses(rank, how)) for below, how in self.sources_by_column.get(at, ()))
        return {at: rank for at, rank in strongest.items() if at in leaves}


def compute_columns(root: TreeNode) -> PlanColumns:
    """Compute the columns of a plan."""
    nodes = list(walk_tree(root))
    outputs: dict[int, tuple[int, ...]] = {}
    for node in reversed(nodes):  # From the leaves up: inputs come before the node.
        if node.is_plan:
            outputs[id(node)] = _compute_output(node, outputs)
    tables = {node.attrs["id"]: node.children[0] for node in nodes if node.kind == "CTERelationDef"}
    loops = {node.attrs["id"]: node for node in nodes if node.kind == "UnionLoop"}
    result = PlanColumns(outputs, tables, loops)
    for node in nodes:
        for column, sources in _define_columns(node, result):
            result.sources_by_column.setdefault(column, []).extend(sources)
    return result


def _compute_output(node: TreeNode, outputs_by_node: Mapping[int, tuple[int, ...]]) -> tuple[int, ...]:
    declared = get_plan_node(node.kind)
    rule = declared.output
    if rule is None:
        if "output" in node.trees:
            return _list_column_ids(node, "output")
        return outputs_by_node.get(id(node.children[0]), ()) if len(node.children) == 1 else ()
    if rule.ids is not None and rule.ids in node.attrs:
        return tuple(node.attrs[rule.ids])
    is_left = any(word in str(node.attrs.get("joinType")) for word in LEFT_ONLY)
    inputs = (*node.children, *(find_lateral_plans(node) if declared.inputs is Inputs.LATERAL else ()))
    passed = (outputs_by_node.get(id(plan), ()) for plan in inputs[FIRST if is_left else rule.inputs])
    return (*chain.from_iterable(passed), *_list_column_ids(node, *rule.fields))


def _list_column_ids(node: TreeNode, *fields: str) -> tuple[int, ...]:
    ids = (get_expr_id(item) for name in fields for item in node.get_trees(name))
    return tuple(item for item in ids if item is not None)


def _define_columns(node: TreeNode, columns: PlanColumns) -> Definitions:
    """Yield the columns that a node creates, each with the columns that it depends on."""
    if not node.is_plan:
        column = get_expr_id(node) if node.kind == "Alias" else None
        if column is not None:
            yield column, list(find_references(node.children[0], columns))
        return
    yield from RULES[get_plan_node(node.kind).column_rule](node, columns)


def _define_no_columns(node: TreeNode, columns: PlanColumns) -> Definitions:
    return iter(())


def _define_by_position(node: TreeNode, columns: PlanColumns) -> Definitions:
    for child in node.children:
        yield from _match_columns_in_order(columns.get_output(node), columns.get_output(child))


def _define_from_table(node: TreeNode, columns: PlanColumns) -> Definitions:
    table = columns.find_common_table(node)
    return _match_columns_in_order(columns.get_output(node), columns.get_output(table) if table else ())


def _define_from_recursion(node: TreeNode, columns: PlanColumns) -> Definitions:
    loop = columns.find_recursion(node)
    return _match_columns_in_order(columns.get_output(node), columns.get_output(loop) if loop else ())


def _define_from_rows(node: TreeNode, columns: PlanColumns) -> Definitions:
    sources = [(column, TRANSFORMED) for child in node.children for column in columns.get_output(child)]
    return _define_from_all_inputs(node, columns.get_output(node), sources, columns)


def _define_from_function(node: TreeNode, columns: PlanColumns) -> Definitions:
    return _define_from_all_inputs(
        node, columns.get_output(node), list(_collect_references(node.get_trees("functionExpr"), columns)), columns
    )


def _define_from_generator(node: TreeNode, columns: PlanColumns) -> Definitions:
    generator, outputs = node.get_only_tree("generator"), _list_column_ids(node, "generatorOutput")
    if generator is not None and generator.kind == "Stack":
        return _define_from_stack(outputs, generator, columns)
    return _define_from_all_inputs(
        node, outputs, list(_collect_references(node.get_trees("generator"), columns)), columns
    )


def _define_from_all_inputs(
    node: TreeNode, outputs: tuple[int, ...], sources: list[Reference], columns: PlanColumns
) -> Definitions:
    """Yield the columns of a function of whole rows: each may depend on all inputs."""
    if len(sources) * len(columns.get_output(node)) > MAX_PAIRS:
        columns.too_large.append(node)
    elif sources:
        yield from ((column, sources) for column in outputs)


def _define_from_stack(outputs: tuple[int, ...], generator: TreeNode, columns: PlanColumns) -> Definitions:
    """Yield the columns of `stack(n, …)`: the values after the number are distributed to them row by row."""
    values = generator.children[1:]
    for at, column in enumerate(outputs):
        yield column, list(_collect_references(values[at :: len(outputs)], columns))


def _match_columns_in_order(columns: tuple[int, ...], sources: tuple[int, ...]) -> Definitions:
    for column, source in zip(columns, sources, strict=False):
        if column != source:
            yield column, [(source, IDENTITY)]


def _define_from_projections(node: TreeNode, columns: PlanColumns) -> Definitions:
    for projection in node.trees.get("projections", ()):
        if isinstance(projection, tuple):
            for column, expression in zip(columns.get_output(node), flatten_forest(projection), strict=False):
                yield column, list(find_references(expression, columns))


def _define_from_instructions(node: TreeNode, columns: PlanColumns) -> Definitions:
    """Yield the columns of the rows of a MERGE: an instruction is its condition, then one or two rows of values."""
    output = columns.get_output(node)
    for instruction in list_merge_instructions(node):
        values = instruction.children[1:]
        for at, column in enumerate(output):
            for value in values[at :: len(output)]:
                yield column, list(find_references(value, columns))


def _collect_references(expressions: Iterable[TreeNode], columns: PlanColumns) -> Iterator[Reference]:
    for expression in expressions:
        for column, rank in find_references(expression, columns):
            yield column, combine_column_uses(TRANSFORMED, rank)


RULES: Mapping[ColumnRule, Callable[[TreeNode, PlanColumns], Definitions]] = {
    ColumnRule.PASSED: _define_no_columns,
    ColumnRule.FUNCTION: _define_from_function,
    ColumnRule.GENERATOR: _define_from_generator,
    ColumnRule.ROWS: _define_from_rows,
    ColumnRule.BY_POSITION: _define_by_position,
    ColumnRule.COMMON_TABLE: _define_from_table,
    ColumnRule.RECURSION: _define_from_recursion,
    ColumnRule.PROJECTIONS: _define_from_projections,
    ColumnRule.MERGED_ROWS: _define_from_instructions,
}
