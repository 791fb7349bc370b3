"""The kinds of Spark plan nodes that capture supports, one declaration each. All other modules read these tables.

A kind is the short name of the node's class. To add one, see "Support a new plan node" in `docs/spark-lineage.md`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from jupyter_colophon.capture.observation import DataRef
from jupyter_colophon.spark.plans import datasets_from_jvm, write_targets
from jupyter_colophon.spark.plans.plan_tree import MERGE_INSTRUCTIONS, TreeNode
from jupyter_colophon.spark.plans.transformations import (
    AGGREGATED,
    CONDITIONAL,
    FILTER,
    GROUP_BY,
    IDENTITY,
    JOIN,
    SORT,
    TRANSFORMED,
    WINDOW,
)


class Reads(Enum):
    """The origin of the rows of a node that has no input, or that names a dataset besides its input."""

    NOTHING = auto()
    """The rows are part of the query."""
    MEMORY = auto()
    """A program, or a VALUES clause."""
    TABLE = auto()
    """A catalog table, described by a field."""
    RELATION = auto()
    """A catalog table, or data outside the catalog, which the declaration's `datasets` names with the JVM."""
    VIEW = auto()
    """A catalog view, reported besides its tables."""


class Effect(Enum):
    """The effect of a command on data."""

    WRITES = auto()
    CHANGES_ROWS = auto()
    """Changes rows in place: `row_changes.py` finds the table and what it is compared with."""
    RENAMES = auto()
    DROPS = auto()
    SETS_VARIABLE = auto()


class Role(Enum):
    """The role of a writing command among the executions that Spark starts for one statement."""

    WHOLE = auto()
    FILES = auto()
    """Writes files, for itself or within a CREATES_TABLE."""
    CREATES_TABLE = auto()
    """Another execution writes its files, ends first, and knows only the path."""
    WRAPPER = auto()
    """Delegates to another command, which is observed separately."""


class Inputs(Enum):
    """The plans from which a node reads rows."""

    CHILDREN = auto()
    LAST_CHILD = auto()
    COMMON_TABLE = auto()
    """The referenced common table expression."""
    LATERAL = auto()
    """Its children and the subquery in the field `right`."""
    SAMPLED = auto()
    """Its child, without the sort of `randomSplit`."""


class ColumnRule(Enum):
    """How a node creates its columns; the expressions in its fields define theirs themselves."""

    PASSED = auto()
    """It has the columns of its input."""
    FUNCTION = auto()
    """Each output column may depend on all arguments of the function in `functionExpr`."""
    GENERATOR = auto()
    """The same for the function in `generator` and the columns in `generatorOutput`; a `Stack` distributes its values."""
    ROWS = auto()
    """Each output column may depend on all input columns."""
    BY_POSITION = auto()
    """From the columns at the same position of each child."""
    COMMON_TABLE = auto()
    """From the columns at the same position of the referenced common table expression."""
    RECURSION = auto()
    """From the columns at the same position of the enclosing recursion."""
    PROJECTIONS = auto()
    """From the expressions at the same position of each list in `projections`."""
    MERGED_ROWS = auto()
    """From the expressions at the same position of each instruction of a MERGE."""


NONE, FIRST, LAST, ALL = slice(0, 0), slice(0, 1), slice(-1, None), slice(None)


@dataclass(frozen=True, slots=True)
class Output:
    """The output columns of a node: those of some of its inputs, then those of the expressions in its fields.

    `ids` is the plain field with the ids of all of them, if it is set.
    """

    inputs: slice
    fields: tuple[str, ...] = ()
    ids: str | None = None


@dataclass(frozen=True, slots=True)
class CommandNode:
    """The effect of a command. `label` is the name of its statement; `query` is the field with the query whose rows it writes, if any."""

    label: str
    target: write_targets.TargetRule | None = None
    query: str | None = "query"
    role: Role = Role.WHOLE
    effect: Effect = Effect.WRITES


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNode:
    """A kind of plan node. By default a node has the columns of its child, or those in its field `output`.

    `fields` are the plain fields that `PlanWriter.java` sends; `trees` are fields with plans or expressions that a rule reads and
    that are not mentioned elsewhere in the declaration. `controls` names the fields whose expressions control the rows, with
    the kind of use; `compared` does so for all columns of some children. `package` names the project of a node outside Spark.
    """

    fields: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    reads: Reads | None = None
    datasets: Callable[[Any], tuple[DataRef, ...]] | None = None
    command: CommandNode | None = None
    inputs: Inputs = Inputs.CHILDREN
    output: Output | None = None
    column_rule: ColumnRule = ColumnRule.PASSED
    controls: tuple[tuple[str, int], ...] = ()
    compared: tuple[slice, int] | None = None
    package: str = "spark"


Uses = Callable[[TreeNode], list[tuple[TreeNode, int]]]


def _create_child_use_rule(*ranks: int) -> Uses:
    """Return the rule for these kinds of use of the first children; further ones have the last kind."""

    def apply(node: TreeNode) -> list[tuple[TreeNode, int]]:
        return [(child, ranks[min(at, len(ranks) - 1)]) for at, child in enumerate(node.children)]

    return apply


_TRANSFORMS_CHILDREN = _create_child_use_rule(TRANSFORMED)


def _list_case_uses(node: TreeNode) -> list[tuple[TreeNode, int]]:
    """Return the uses of `CASE`: alternating conditions and values, then the value of ELSE."""
    paired = len(node.children) // 2 * 2
    return [
        (child, CONDITIONAL if at < paired and at % 2 == 0 else TRANSFORMED) for at, child in enumerate(node.children)
    ]


def _list_cast_uses(node: TreeNode) -> list[tuple[TreeNode, int]]:
    """Return the use of a cast: a cast to the column's own type, as Spark adds to views and inserts, changes nothing."""
    child = node.children[0]
    is_same = child.kind == "AttributeReference" and child.attrs.get("dataType") == node.attrs.get("dataType")
    return [(child, IDENTITY if is_same else TRANSFORMED)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionNode:
    """A kind of expression: the plain fields that `PlanWriter.java` sends, the trees that are read, and the use of the children.

    `attributes` are values that `PlanWriter.java` sends and that are not fields of the class.
    """

    fields: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    uses: Uses = _TRANSFORMS_CHILDREN


def _declare_row_change(label: str, package: str = "spark") -> PlanNode:
    return PlanNode(command=CommandNode(label, effect=Effect.CHANGES_ROWS), package=package)


def _declare_write(
    label: str,
    target: write_targets.TargetRule | None,
    *fields: str,
    role: Role = Role.WHOLE,
    trees: tuple[str, ...] = (),
) -> PlanNode:
    return PlanNode(fields=fields, trees=trees, command=CommandNode(label, target, role=role))


_LEAVES: Mapping[str, PlanNode] = {
    "OneRowRelation": PlanNode(reads=Reads.NOTHING),
    "Range": PlanNode(reads=Reads.NOTHING),
    "LogicalRDD": PlanNode(reads=Reads.MEMORY),
    "ExternalRDD": PlanNode(reads=Reads.MEMORY),
    "LocalRelation": PlanNode(reads=Reads.MEMORY),
    # A memory sink of a stream.
    "MemoryPlan": PlanNode(reads=Reads.MEMORY),
    # Spark runs the query when it analyses `transpose`.
    "Transpose": PlanNode(reads=Reads.MEMORY),
    "HiveTableRelation": PlanNode(
        fields=("tableMeta",), reads=Reads.TABLE, output=Output(NONE, ("dataCols", "partitionCols"))
    ),
    "LogicalRelation": PlanNode(
        fields=("catalogTable",), reads=Reads.RELATION, datasets=datasets_from_jvm.find_relation_refs
    ),
    "DataSourceV2Relation": PlanNode(reads=Reads.RELATION, datasets=datasets_from_jvm.find_v2_refs),
    "DataSourceV2ScanRelation": PlanNode(reads=Reads.RELATION, datasets=datasets_from_jvm.find_v2_scan_refs),
    # The sources of a stream are read from its progress.
    "StreamingExecutionRelation": PlanNode(fields=("catalogTable",), reads=Reads.RELATION),
    "StreamingDataSourceV2Relation": PlanNode(reads=Reads.RELATION),
    "StreamingDataSourceV2ScanRelation": PlanNode(reads=Reads.RELATION),
    "CTERelationRef": PlanNode(
        fields=("cteId",), reads=Reads.NOTHING, inputs=Inputs.COMMON_TABLE, column_rule=ColumnRule.COMMON_TABLE
    ),
    "UnionLoopRef": PlanNode(fields=("loopId",), reads=Reads.NOTHING, column_rule=ColumnRule.RECURSION),
}

_TRANSFORMS: Mapping[str, PlanNode] = {
    "View": PlanNode(fields=("desc", "isTempView"), reads=Reads.VIEW),
    "Project": PlanNode(output=Output(NONE, ("projectList",))),
    "Filter": PlanNode(controls=(("condition", FILTER),)),
    "Aggregate": PlanNode(
        output=Output(NONE, ("aggregateExpressions",)), controls=(("groupingExpressions", GROUP_BY),)
    ),
    "Window": PlanNode(output=Output(FIRST, ("windowExpressions",))),
    "Generate": PlanNode(
        trees=("generator",), output=Output(FIRST, ("generatorOutput",)), column_rule=ColumnRule.GENERATOR
    ),
    "MergeRows": PlanNode(
        trees=MERGE_INSTRUCTIONS,
        output=Output(NONE, ("output",)),
        column_rule=ColumnRule.MERGED_ROWS,
    ),
    "Expand": PlanNode(trees=("output", "projections"), column_rule=ColumnRule.PROJECTIONS),
    "Join": PlanNode(fields=("joinType",), output=Output(ALL), controls=(("condition", JOIN),)),
    "AsOfJoin": PlanNode(
        fields=("joinType",),
        output=Output(ALL),
        controls=(("asOfCondition", JOIN), ("condition", JOIN), ("orderExpression", JOIN)),
    ),
    "NearestByJoin": PlanNode(fields=("joinType",), output=Output(ALL), controls=(("rankingExpression", JOIN),)),
    "LateralJoin": PlanNode(
        fields=("joinType",),
        trees=("right",),
        inputs=Inputs.LATERAL,
        output=Output(ALL),
        controls=(("condition", JOIN),),
    ),
    "Union": PlanNode(output=Output(FIRST), column_rule=ColumnRule.BY_POSITION),
    "UnionLoop": PlanNode(
        fields=("id", "outputAttrIds"), output=Output(FIRST, ids="outputAttrIds"), column_rule=ColumnRule.BY_POSITION
    ),
    "Except": PlanNode(output=Output(FIRST), compared=(slice(1, None), FILTER)),
    "Intersect": PlanNode(output=Output(FIRST), compared=(slice(1, None), FILTER)),
    "Distinct": PlanNode(compared=(FIRST, GROUP_BY)),
    "Deduplicate": PlanNode(controls=(("keys", GROUP_BY),)),
    "Sort": PlanNode(fields=("global",), controls=(("order", SORT),)),
    "Sample": PlanNode(inputs=Inputs.SAMPLED),
    "WithCTE": PlanNode(inputs=Inputs.LAST_CHILD, output=Output(LAST)),
    "CTERelationDef": PlanNode(fields=("id",)),
    "ScriptTransformation": PlanNode(trees=("output",), column_rule=ColumnRule.ROWS),
    **dict.fromkeys(
        (
            "FlatMapCoGroupsInArrow",
            "FlatMapCoGroupsInPandas",
            "FlatMapGroupsInArrow",
            "FlatMapGroupsInPandas",
            "MapInArrow",
            "MapInPandas",
        ),
        PlanNode(trees=("functionExpr", "output"), column_rule=ColumnRule.FUNCTION),
    ),
    **dict.fromkeys(
        (
            "CollectMetrics",
            "EventTimeWatermark",
            "GlobalLimit",
            "LocalLimit",
            "Offset",
            "RebalancePartitions",
            "Repartition",
            "RepartitionByExpression",
            "ResolvedHint",
            "SubqueryAlias",
            "Tail",
        ),
        PlanNode(),
    ),
}

_INSERT, _SELECT, _CREATE = "insert", "create table as select", "create table"

_COMMANDS: Mapping[str, PlanNode] = {
    "InsertIntoHadoopFsRelationCommand": _declare_write(
        _INSERT, write_targets.get_files_target, "catalogTable", role=Role.FILES
    ),
    "InsertIntoDataSourceCommand": _declare_write(
        _INSERT, write_targets.get_inserted_source_target, trees=("logicalRelation",)
    ),
    "InsertIntoDataSourceDirCommand": _declare_write("insert directory", None, role=Role.WRAPPER),
    "InsertIntoHiveTable": _declare_write(_INSERT, write_targets.get_hive_table_target, "table"),
    "InsertIntoHiveDirCommand": _declare_write("insert directory", write_targets.get_hive_directory_target),
    "AppendData": _declare_write(_INSERT, write_targets.get_written_v2_target),
    "OverwriteByExpression": _declare_write(_INSERT, write_targets.get_written_v2_target),
    "OverwritePartitionsDynamic": _declare_write(_INSERT, write_targets.get_written_v2_target),
    "CreateDataSourceTableAsSelectCommand": _declare_write(
        _SELECT, write_targets.get_table_as_select_target, "table", role=Role.CREATES_TABLE
    ),
    "CreateHiveTableAsSelectCommand": _declare_write(
        _SELECT, write_targets.create_described_table_rule("tableDesc"), "tableDesc", role=Role.WRAPPER
    ),
    "SaveAsV1TableCommand": _declare_write(
        _SELECT, write_targets.create_described_table_rule("tableDesc"), "tableDesc", role=Role.WRAPPER
    ),
    "CreateTableAsSelect": _declare_write(_SELECT, write_targets.get_created_v2_target),
    "ReplaceTableAsSelect": _declare_write(_SELECT, write_targets.get_created_v2_target),
    "SaveIntoDataSourceCommand": _declare_write("save", write_targets.get_saved_source_target),
    "CreateDataSourceTableCommand": PlanNode(
        fields=("table",), command=CommandNode(_CREATE, write_targets.get_external_table_target, query=None)
    ),
    "CreateTableCommand": PlanNode(
        fields=("table",), command=CommandNode(_CREATE, write_targets.get_empty_table_target, query=None)
    ),
    "CreateTableLikeCommand": PlanNode(
        fields=("targetTable",), command=CommandNode(_CREATE, write_targets.get_empty_copy_target, query=None)
    ),
    "CreateTable": PlanNode(command=CommandNode(_CREATE, write_targets.get_empty_v2_target, query=None)),
    "ReplaceTable": PlanNode(command=CommandNode(_CREATE, write_targets.get_empty_v2_target, query=None)),
    "CreateViewCommand": PlanNode(
        fields=("name",), command=CommandNode("create view", write_targets.get_created_view_target, query="plan")
    ),
    "AlterViewAsCommand": _declare_write("create view", write_targets.get_changed_view_target, "name"),
    "DeleteFromTable": _declare_row_change("delete"),
    "DeleteFromTableWithFilters": _declare_row_change("delete"),
    "UpdateTable": _declare_row_change("update"),
    "MergeIntoTable": _declare_row_change("merge"),
    "ReplaceData": _declare_row_change("rows changed"),
    "WriteDelta": _declare_row_change("rows changed"),
    "DeleteCommand": _declare_row_change("delete", "delta"),
    "UpdateCommand": _declare_row_change("update", "delta"),
    "MergeIntoCommand": _declare_row_change("merge", "delta"),
    "DeltaDynamicPartitionOverwriteCommand": PlanNode(
        command=CommandNode(_INSERT, write_targets.get_written_v2_target), package="delta"
    ),
    "AlterTableRenameCommand": PlanNode(
        fields=("oldName", "newName", "isView"), command=CommandNode("rename", effect=Effect.RENAMES)
    ),
    "RenameTable": PlanNode(command=CommandNode("rename", effect=Effect.RENAMES)),
    "DropTableCommand": PlanNode(fields=("tableName",), command=CommandNode("drop", effect=Effect.DROPS)),
    "DropTable": PlanNode(command=CommandNode("drop", effect=Effect.DROPS)),
    "DropDatabaseCommand": PlanNode(fields=("databaseName",), command=CommandNode("drop", effect=Effect.DROPS)),
    "DropNamespace": PlanNode(command=CommandNode("drop", effect=Effect.DROPS)),
    "SetVariable": PlanNode(
        trees=("targetVariables",), command=CommandNode("set variable", effect=Effect.SETS_VARIABLE)
    ),
    # The result of a command that has run: its inputs are not read again.
    "CommandResult": PlanNode(trees=("output",)),
}

PLAN_NODES: Mapping[str, PlanNode] = {**_LEAVES, **_TRANSFORMS, **_COMMANDS}

EXPRESSION_NODES: Mapping[str, ExpressionNode] = {
    "AttributeReference": ExpressionNode(fields=("name", "dataType", "nullable", "exprId")),
    "VariableReference": ExpressionNode(attributes=("variable",)),
    "OuterReference": ExpressionNode(trees=("e",)),
    "Alias": ExpressionNode(fields=("exprId",), uses=_create_child_use_rule(IDENTITY)),
    "Cast": ExpressionNode(fields=("dataType",), uses=_list_cast_uses),
    "UpCast": ExpressionNode(uses=_list_cast_uses),
    # Only the conditions of the subquery count.
    "Exists": ExpressionNode(trees=("plan",)),
    # Distributes its values to the columns row by row.
    "Stack": ExpressionNode(),
    "AggregateExpression": ExpressionNode(uses=_create_child_use_rule(AGGREGATED, FILTER)),
    "WindowExpression": ExpressionNode(uses=_create_child_use_rule(TRANSFORMED, WINDOW)),
    "If": ExpressionNode(uses=_create_child_use_rule(CONDITIONAL, TRANSFORMED)),
    "PivotFirst": ExpressionNode(uses=_create_child_use_rule(CONDITIONAL, TRANSFORMED)),
    "CaseWhen": ExpressionNode(uses=_list_case_uses),
    # Their argument is the order of the window; their value is a position.
    **dict.fromkeys(("Rank", "DenseRank", "PercentRank"), ExpressionNode(uses=_create_child_use_rule(WINDOW))),
}

_UNDECLARED = PlanNode(column_rule=ColumnRule.FUNCTION)
_UNDECLARED_EXPRESSION = ExpressionNode()


def get_plan_node(kind: str) -> PlanNode:
    """Return the declaration of a kind of plan node; a default for unknown kinds, by the usual names of fields."""
    return PLAN_NODES.get(kind, _UNDECLARED)


def get_expression_node(kind: str) -> ExpressionNode:
    """Return the declaration of a kind of expression; an unknown one transforms all its children."""
    return EXPRESSION_NODES.get(kind, _UNDECLARED_EXPRESSION)


def get_command(kind: str, effect: Effect = Effect.WRITES) -> CommandNode | None:
    """Return the command of a kind of node, if it has this effect."""
    command = get_plan_node(kind).command
    return command if command is not None and command.effect is effect else None


def is_known_leaf(kind: str) -> bool:
    """Return whether leaves of this kind are supported, or only resolve a name (`ResolvedNamespace`)."""
    return get_plan_node(kind).reads is not None or kind.startswith("Resolved")


def list_fields_sent_by_plan_writer() -> frozenset[str]:
    """Return the plain fields that `PlanWriter.java` sends for every node that has them."""
    declared: Iterable[PlanNode | ExpressionNode] = (*PLAN_NODES.values(), *EXPRESSION_NODES.values())
    return frozenset(field for node in declared for field in node.fields)
