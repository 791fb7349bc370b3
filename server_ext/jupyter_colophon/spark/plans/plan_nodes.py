"""The nodes of Spark's plans that capture follows, one declaration for each kind. All other modules read these tables.

A kind is the short name of the node's class. To support a new one, see "Support a new plan node" in `docs/spark-lineage.md`.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from jupyter_colophon.spark.plans import datasets_from_jvm, write_targets
from jupyter_colophon.spark.plans.observation import DataRef
from jupyter_colophon.spark.plans.plan_tree import Node
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
    """Where the rows of a node come from that has no input, or that names a dataset beside its input."""

    NOTHING = auto()
    """The query itself."""
    MEMORY = auto()
    """A program, or a VALUES clause."""
    TABLE = auto()
    """A table of the catalog that a field describes."""
    RELATION = auto()
    """Such a table, or data outside the catalog: only the JVM can name it, by the declaration's `datasets`."""
    VIEW = auto()
    """A view of the catalog, named beside the tables below it."""


class Effect(Enum):
    """What a command does to data."""

    WRITES = auto()
    CHANGES_ROWS = auto()
    """Changes rows in place: reported as unseen."""
    RENAMES = auto()
    SETS_VARIABLE = auto()


class Role(Enum):
    """The part of a writing command among the executions that Spark starts for one statement."""

    WHOLE = auto()
    FILES = auto()
    """Writes files, for itself or within a CREATES_TABLE."""
    CREATES_TABLE = auto()
    """Has its files written by another execution, which ends first and knows the path alone."""
    WRAPPER = auto()
    """Has another command do its work, which is observed by itself."""


class Inputs(Enum):
    """Which plans a node takes its rows from."""

    CHILDREN = auto()
    LAST_CHILD = auto()
    COMMON_TABLE = auto()
    """The common table expression that it refers to."""
    LATERAL = auto()
    """Its children and the subquery in the field `right`."""
    SAMPLED = auto()
    """Its child, without the sort by which `randomSplit` keeps its parts apart."""


class Made(Enum):
    """How a node makes its columns; the expressions in its fields make theirs by themselves."""

    PASSED = auto()
    """It passes them on."""
    FUNCTION = auto()
    """The function in `functionExpr` may make each output column of all that it is given."""
    GENERATOR = auto()
    """The function in `generator` makes the columns in `generatorOutput` so; a `Stack` deals its values out to them."""
    ROWS = auto()
    """Each may come from all columns of the input."""
    BY_POSITION = auto()
    """From the columns at the same position of each child."""
    COMMON_TABLE = auto()
    """From the columns at the same position of the common table expression that it refers to."""
    RECURSION = auto()
    """From the columns at the same position of the recursion that it is within."""
    PROJECTIONS = auto()
    """From the expressions at the same position of each list in `projections`."""


NONE, FIRST, LAST, ALL = slice(0, 0), slice(0, 1), slice(-1, None), slice(None)


@dataclass(frozen=True, slots=True)
class Output:
    """The columns that a node has: those of some of its inputs, then those of the expressions in its fields.

    `ids` is the plain field that holds the ids of all of them, where it is set.
    """

    inputs: slice
    fields: tuple[str, ...] = ()
    ids: str | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """What a command does. `label` is the name of its statement; `query` is the field with the query whose rows it writes, if any."""

    label: str
    target: write_targets.Rule | None = None
    query: str | None = "query"
    role: Role = Role.WHOLE
    effect: Effect = Effect.WRITES


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNode:
    """A kind of plan node. A declaration without anything passes on the columns of its child, or has those in its field `output`.

    `fields` are the plain fields that `PlanWriter.java` sends; `trees` are fields with plans or expressions that a rule reads and
    that stand nowhere else in the declaration. `steering` names the fields whose expressions decide which rows there are, and
    how; `compared` does so for all columns of some of the children. `package` names the project of a node that is not Spark's.
    """

    fields: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    reads: Reads | None = None
    datasets: Callable[[Any], tuple[DataRef, ...]] | None = None
    command: Command | None = None
    inputs: Inputs = Inputs.CHILDREN
    output: Output | None = None
    made: Made = Made.PASSED
    steering: tuple[tuple[str, int], ...] = ()
    compared: tuple[slice, int] | None = None
    package: str = "spark"


Uses = Callable[[Node], list[tuple[Node, int]]]


def _use_children(*ranks: int) -> Uses:
    """Return the rule that the first children are used in these ways, and all further ones in the last of them."""

    def rule(node: Node) -> list[tuple[Node, int]]:
        return [(child, ranks[min(at, len(ranks) - 1)]) for at, child in enumerate(node.children)]

    return rule


_TRANSFORMS_CHILDREN = _use_children(TRANSFORMED)


def _use_case(node: Node) -> list[tuple[Node, int]]:
    """Return the uses of `CASE`: conditions and values in turn, then the value of ELSE."""
    paired = len(node.children) // 2 * 2
    return [
        (child, CONDITIONAL if at < paired and at % 2 == 0 else TRANSFORMED) for at, child in enumerate(node.children)
    ]


def _use_cast(node: Node) -> list[tuple[Node, int]]:
    """Return the use of a cast: one to the type that the column has is no change. Spark puts those into views and inserts."""
    child = node.children[0]
    is_same = child.kind == "AttributeReference" and child.attrs.get("dataType") == node.attrs.get("dataType")
    return [(child, IDENTITY if is_same else TRANSFORMED)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionNode:
    """A kind of expression: the plain fields that `PlanWriter.java` sends, the trees that are read, and how children are used.

    `attributes` are what `PlanWriter.java` sends that is no field of the class.
    """

    fields: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    uses: Uses = _TRANSFORMS_CHILDREN


def _change_rows(label: str, package: str = "spark") -> PlanNode:
    return PlanNode(command=Command(label, effect=Effect.CHANGES_ROWS), package=package)


def _write(
    label: str, target: write_targets.Rule | None, *fields: str, role: Role = Role.WHOLE, trees: tuple[str, ...] = ()
) -> PlanNode:
    return PlanNode(fields=fields, trees=trees, command=Command(label, target, role=role))


_LEAVES: Mapping[str, PlanNode] = {
    "OneRowRelation": PlanNode(reads=Reads.NOTHING),
    "Range": PlanNode(reads=Reads.NOTHING),
    "LogicalRDD": PlanNode(reads=Reads.MEMORY),
    "ExternalRDD": PlanNode(reads=Reads.MEMORY),
    "LocalRelation": PlanNode(reads=Reads.MEMORY),
    # The rows of a stream into memory.
    "MemoryPlan": PlanNode(reads=Reads.MEMORY),
    # The rows of a query that ran when `transpose` was analysed.
    "Transpose": PlanNode(reads=Reads.MEMORY),
    "HiveTableRelation": PlanNode(
        fields=("tableMeta",), reads=Reads.TABLE, output=Output(NONE, ("dataCols", "partitionCols"))
    ),
    "LogicalRelation": PlanNode(fields=("catalogTable",), reads=Reads.RELATION, datasets=datasets_from_jvm.relation),
    "DataSourceV2Relation": PlanNode(reads=Reads.RELATION, datasets=datasets_from_jvm.v2),
    "DataSourceV2ScanRelation": PlanNode(reads=Reads.RELATION, datasets=datasets_from_jvm.v2_scan),
    # What a stream reads is learned from its progress.
    "StreamingExecutionRelation": PlanNode(fields=("catalogTable",), reads=Reads.RELATION),
    "StreamingDataSourceV2Relation": PlanNode(reads=Reads.RELATION),
    "StreamingDataSourceV2ScanRelation": PlanNode(reads=Reads.RELATION),
    "CTERelationRef": PlanNode(
        fields=("cteId",), reads=Reads.NOTHING, inputs=Inputs.COMMON_TABLE, made=Made.COMMON_TABLE
    ),
    "UnionLoopRef": PlanNode(fields=("loopId",), reads=Reads.NOTHING, made=Made.RECURSION),
}

_TRANSFORMS: Mapping[str, PlanNode] = {
    "View": PlanNode(fields=("desc", "isTempView"), reads=Reads.VIEW),
    "Project": PlanNode(output=Output(NONE, ("projectList",))),
    "Filter": PlanNode(steering=(("condition", FILTER),)),
    "Aggregate": PlanNode(
        output=Output(NONE, ("aggregateExpressions",)), steering=(("groupingExpressions", GROUP_BY),)
    ),
    "Window": PlanNode(output=Output(FIRST, ("windowExpressions",))),
    "Generate": PlanNode(trees=("generator",), output=Output(FIRST, ("generatorOutput",)), made=Made.GENERATOR),
    "Expand": PlanNode(trees=("output", "projections"), made=Made.PROJECTIONS),
    "Join": PlanNode(fields=("joinType",), output=Output(ALL), steering=(("condition", JOIN),)),
    "AsOfJoin": PlanNode(
        fields=("joinType",),
        output=Output(ALL),
        steering=(("asOfCondition", JOIN), ("condition", JOIN), ("orderExpression", JOIN)),
    ),
    "NearestByJoin": PlanNode(fields=("joinType",), output=Output(ALL), steering=(("rankingExpression", JOIN),)),
    "LateralJoin": PlanNode(
        fields=("joinType",),
        trees=("right",),
        inputs=Inputs.LATERAL,
        output=Output(ALL),
        steering=(("condition", JOIN),),
    ),
    "Union": PlanNode(output=Output(FIRST), made=Made.BY_POSITION),
    "UnionLoop": PlanNode(
        fields=("id", "outputAttrIds"), output=Output(FIRST, ids="outputAttrIds"), made=Made.BY_POSITION
    ),
    "Except": PlanNode(output=Output(FIRST), compared=(slice(1, None), FILTER)),
    "Intersect": PlanNode(output=Output(FIRST), compared=(slice(1, None), FILTER)),
    "Distinct": PlanNode(compared=(FIRST, GROUP_BY)),
    "Deduplicate": PlanNode(steering=(("keys", GROUP_BY),)),
    "Sort": PlanNode(fields=("global",), steering=(("order", SORT),)),
    "Sample": PlanNode(inputs=Inputs.SAMPLED),
    "WithCTE": PlanNode(inputs=Inputs.LAST_CHILD, output=Output(LAST)),
    "CTERelationDef": PlanNode(fields=("id",)),
    "ScriptTransformation": PlanNode(trees=("output",), made=Made.ROWS),
    **dict.fromkeys(
        (
            "FlatMapCoGroupsInArrow",
            "FlatMapCoGroupsInPandas",
            "FlatMapGroupsInArrow",
            "FlatMapGroupsInPandas",
            "MapInArrow",
            "MapInPandas",
        ),
        PlanNode(trees=("functionExpr", "output"), made=Made.FUNCTION),
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

_INSERT, _SELECT = "insert", "create table as select"

_COMMANDS: Mapping[str, PlanNode] = {
    "InsertIntoHadoopFsRelationCommand": _write(_INSERT, write_targets.write_files, "catalogTable", role=Role.FILES),
    "InsertIntoDataSourceCommand": _write(_INSERT, write_targets.write_source, trees=("logicalRelation",)),
    "InsertIntoDataSourceDirCommand": _write("insert directory", None, role=Role.WRAPPER),
    "InsertIntoHiveTable": _write(_INSERT, write_targets.write_hive_table, "table"),
    "InsertIntoHiveDirCommand": _write("insert directory", write_targets.write_hive_directory),
    "AppendData": _write(_INSERT, write_targets.write_v2),
    "OverwriteByExpression": _write(_INSERT, write_targets.write_v2),
    "OverwritePartitionsDynamic": _write(_INSERT, write_targets.write_v2),
    "CreateDataSourceTableAsSelectCommand": _write(
        _SELECT, write_targets.create_table_as_select, "table", role=Role.CREATES_TABLE
    ),
    "CreateHiveTableAsSelectCommand": _write(
        _SELECT, write_targets.create_described("tableDesc"), "tableDesc", role=Role.WRAPPER
    ),
    "SaveAsV1TableCommand": _write(
        _SELECT, write_targets.create_described("tableDesc"), "tableDesc", role=Role.WRAPPER
    ),
    "CreateTableAsSelect": _write(_SELECT, write_targets.create_v2),
    "ReplaceTableAsSelect": _write(_SELECT, write_targets.create_v2),
    "SaveIntoDataSourceCommand": _write("save", write_targets.save_source),
    "CreateDataSourceTableCommand": PlanNode(
        fields=("table",), command=Command("create table", write_targets.create_external_table, query=None)
    ),
    "CreateViewCommand": PlanNode(
        fields=("name",), command=Command("create view", write_targets.create_view, query="plan")
    ),
    "AlterViewAsCommand": _write("create view", write_targets.alter_view, "name"),
    "DeleteFromTable": _change_rows("delete"),
    "DeleteFromTableWithFilters": _change_rows("delete"),
    "UpdateTable": _change_rows("update"),
    "MergeIntoTable": _change_rows("merge"),
    "ReplaceData": _change_rows("rows changed"),
    "WriteDelta": _change_rows("rows changed"),
    "DeleteCommand": _change_rows("delete", "delta"),
    "UpdateCommand": _change_rows("update", "delta"),
    "MergeIntoCommand": _change_rows("merge", "delta"),
    "AlterTableRenameCommand": PlanNode(
        fields=("oldName", "newName", "isView"), command=Command("rename", effect=Effect.RENAMES)
    ),
    "RenameTable": PlanNode(command=Command("rename", effect=Effect.RENAMES)),
    "SetVariable": PlanNode(trees=("targetVariables",), command=Command("set variable", effect=Effect.SETS_VARIABLE)),
    # The result of a command that ran: nothing below it is read with it.
    "CommandResult": PlanNode(trees=("output",)),
}

PLAN_NODES: Mapping[str, PlanNode] = {**_LEAVES, **_TRANSFORMS, **_COMMANDS}

EXPRESSION_NODES: Mapping[str, ExpressionNode] = {
    "AttributeReference": ExpressionNode(fields=("name", "dataType", "nullable", "exprId")),
    "VariableReference": ExpressionNode(attributes=("variable",)),
    "OuterReference": ExpressionNode(trees=("e",)),
    "Alias": ExpressionNode(fields=("exprId",), uses=_use_children(IDENTITY)),
    "Cast": ExpressionNode(fields=("dataType",), uses=_use_cast),
    "UpCast": ExpressionNode(uses=_use_cast),
    # Of a subquery only its conditions are looked at.
    "Exists": ExpressionNode(trees=("plan",)),
    # Deals its values out to the columns row by row.
    "Stack": ExpressionNode(),
    "AggregateExpression": ExpressionNode(uses=_use_children(AGGREGATED, FILTER)),
    "WindowExpression": ExpressionNode(uses=_use_children(TRANSFORMED, WINDOW)),
    "If": ExpressionNode(uses=_use_children(CONDITIONAL, TRANSFORMED)),
    "PivotFirst": ExpressionNode(uses=_use_children(CONDITIONAL, TRANSFORMED)),
    "CaseWhen": ExpressionNode(uses=_use_case),
    # They are given the order of their window; their value is a position.
    **dict.fromkeys(("Rank", "DenseRank", "PercentRank"), ExpressionNode(uses=_use_children(WINDOW))),
}

_UNDECLARED = PlanNode(made=Made.FUNCTION)
_UNDECLARED_EXPRESSION = ExpressionNode()


def declaration(kind: str) -> PlanNode:
    """Return the declaration of a kind of plan node; for one that is not declared a default, by the usual names of fields."""
    return PLAN_NODES.get(kind, _UNDECLARED)


def expression(kind: str) -> ExpressionNode:
    """Return the declaration of a kind of expression; one that is not declared transforms all its children."""
    return EXPRESSION_NODES.get(kind, _UNDECLARED_EXPRESSION)


def command(kind: str, effect: Effect = Effect.WRITES) -> Command | None:
    """Return what a kind of command does where it has this effect."""
    found = declaration(kind).command
    return found if found is not None and found.effect is effect else None


def is_known_leaf(kind: str) -> bool:
    """Return whether leaves of this kind are followed, or only resolve a name (`ResolvedNamespace`)."""
    return declaration(kind).reads is not None or kind.startswith("Resolved")


def sent_fields() -> frozenset[str]:
    """Return the plain fields that `PlanWriter.java` sends of every node that has them."""
    declared: Iterable[PlanNode | ExpressionNode] = (*PLAN_NODES.values(), *EXPRESSION_NODES.values())
    return frozenset(field for node in declared for field in node.fields)
