"""The reads and writes of an analysed plan: a pure function of its tree and the facts about it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from jupyter_colophon.capture.observation import (
    MAX_PATHS,
    STREAM,
    ColumnFlow,
    DataRef,
    DatasetKind,
    MissingDetail,
    Transformation,
    describe_unknown_node,
    merge_refs,
)
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.column_lineage import PlanColumns, compute_columns
from jupyter_colophon.spark.plans.datasets_from_jvm import create_table_ref, get_table_description
from jupyter_colophon.spark.plans.jvm_facts import JvmFacts, WriteTarget
from jupyter_colophon.spark.plans.plan_nodes import Reads, get_plan_node, is_known_leaf
from jupyter_colophon.spark.plans.plan_tree import TreeNode, get_expr_id, walk_tree
from jupyter_colophon.spark.plans.session_variables import Variable, derive_variable_id
from jupyter_colophon.spark.plans.transformations import RANKS, is_direct_use
from jupyter_colophon.spark.plans.write_commands import (
    get_command_label,
    get_command_query,
    is_command,
    list_write_commands_at_root,
)

MAX_EDGES = 20_000
"""Maximum number of column edges of a statement; beyond it only tables are recorded."""

MAX_CONTROL_EDGES = 10_000
"""Maximum number of edges for control dependencies, which apply to each output column."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One command or query: its label, reads, writes and column lineage."""

    label: str
    reads: tuple[DataRef, ...] = ()
    writes: tuple[DataRef, ...] = ()
    edges: tuple[ColumnFlow, ...] = ()
    missing: tuple[str, ...] = ()
    renamed: tuple[str, str] | None = None
    """The old and the new URN of a renamed table."""
    dropped: tuple[str, ...] = ()
    """The URNs of dropped tables; of a dropped database, that with which those of its tables begin."""
    created: tuple[str, ...] = ()
    """The URNs of tables that were created without rows."""


@dataclass(frozen=True, slots=True)
class PlanSource:
    """A dataset that a plan reads, with the names of its fields by the ids of the columns that carry them."""

    ref: DataRef
    columns: Mapping[int, str]


def build_statements(root: TreeNode, jvm_facts: JvmFacts, function: str) -> tuple[Statement, ...]:
    """Return the statements of a plan: one for each writing command, else one for the query; none for other commands.

    `facts.targets` belong to the commands in order; a command without a target has no statement, unless it wrote to an unknown place.
    """
    if jvm_facts.outline is not None:
        return tuple(_build_outline_statements(root, jvm_facts.outline, jvm_facts, function))
    if list_write_commands_at_root(root):
        pairs = zip(list_write_commands_at_root(root), jvm_facts.targets, strict=True)
        return tuple(
            _build_write_statement(command, target, jvm_facts)
            for command, target in pairs
            if target.ref or target.has_no_dataset
        )
    reads, missing = _merge_source_refs(_find_sources(root, jvm_facts)), tuple(_find_missing_reads(root, jvm_facts))
    return (Statement(function, reads, missing=missing),) if reads or missing else ()


def _build_outline_statements(
    root: TreeNode, reads: Iterable[tuple[DataRef, ...]], jvm_facts: JvmFacts, function: str
) -> Iterator[Statement]:
    """Yield the statements of a plan that is too large, with its tables only."""
    if not list_write_commands_at_root(root):
        yield from (Statement(function, each, missing=jvm_facts.missing) for each in reads if each)
        return
    for command, target, each in zip(list_write_commands_at_root(root), jvm_facts.targets, reads, strict=True):
        if target.ref is not None:
            yield Statement(get_command_label(command), each, (target.ref,), missing=jvm_facts.missing)


def _build_write_statement(command: TreeNode, target: WriteTarget, jvm_facts: JvmFacts) -> Statement:
    query, label = get_command_query(command), get_command_label(command)
    if target.ref is not None and target.is_empty:
        return Statement(label, created=(target.ref.urn,))
    writes = (target.ref,) if target.ref else ()
    if target.located_on is not None:
        return Statement(label, (target.located_on,), writes, tuple(_build_identity_flows(target)))
    return build_flow_statement(query, target, jvm_facts, label) if query is not None else Statement(label, (), writes)


def build_stream_statement(query: TreeNode, target: WriteTarget, jvm_facts: JvmFacts) -> Statement:
    """Return the statement of a streaming query."""
    return build_flow_statement(query, target, jvm_facts, STREAM)


def build_flow_statement(query: TreeNode, target: WriteTarget, jvm_facts: JvmFacts, label: str) -> Statement:
    """Return the statement that writes the rows of a query."""
    sources = tuple(_find_sources(query, jvm_facts))
    way = _trace_columns(query, target, sources) if sources and target.ref else ColumnPaths()
    memory = (MissingDetail.MEMORY,) if jvm_facts.has_memory_rows else ()
    lost = () if target.ref else (MissingDetail.SINK,)
    missing = tuple(dict.fromkeys((*way.missing, *_find_missing_reads(query, jvm_facts), *memory, *lost)))
    return Statement(label, _merge_source_refs(sources), (target.ref,) if target.ref else (), way.edges, missing)


@dataclass(frozen=True, slots=True)
class ColumnPaths:
    """The column lineage of a statement, and what is missing from it."""

    edges: tuple[ColumnFlow, ...] = ()
    missing: tuple[MissingDetail, ...] = ()


def _trace_columns(query: TreeNode, target: WriteTarget, sources: Iterable[PlanSource]) -> ColumnPaths:
    leaves = _map_column_ids_to_fields(sources)
    columns = compute_columns(query)
    controls = columns.find_control_columns(query, leaves)
    missing = [MissingDetail.COLUMNS] if columns.too_large else []
    if len(controls) * len(target.fields) > MAX_CONTROL_EDGES:
        controls = {}
        missing.append(MissingDetail.CONTROLS)
    edges = tuple(islice(_build_column_flows(query, columns, target, leaves, controls), MAX_EDGES + 1))
    return ColumnPaths(edges, tuple(missing)) if len(edges) <= MAX_EDGES else ColumnPaths((), (MissingDetail.COLUMNS,))


def _find_missing_reads(query: TreeNode, jvm_facts: JvmFacts) -> Iterator[str]:
    """Yield details for relations that the JVM could not name, and for unknown leaves."""
    named = [jvm_facts.relations.get(column, ()) for column in find_unnamed_relations(query)]
    if not all(named):
        yield MissingDetail.SOURCE
    if any(len(refs) > MAX_PATHS for refs in named):
        yield MissingDetail.PLACES
    for node in walk_tree(query, stop=is_command):
        if node.kind == "VariableReference":
            yield from jvm_facts.variables.get(node.attrs["variable"], Variable()).missing
    leaves = (node for node in walk_tree(query, stop=is_command) if node.is_plan and not node.children)
    yield from sorted({describe_unknown_node(leaf.kind) for leaf in leaves if not is_known_leaf(leaf.kind)})


def _merge_source_refs(sources: Iterable[PlanSource]) -> tuple[DataRef, ...]:
    return merge_refs(source.ref for source in sources)


def _build_column_flows(
    query: TreeNode, computed: PlanColumns, target: WriteTarget, leaves: "Leaves", controls: Mapping[int, int]
) -> Iterator[ColumnFlow]:
    urn = target.ref.urn if target.ref else ""
    whole = _select_strongest_use(controls, leaves)
    for column, field in zip(computed.get_output(query), target.fields, strict=False):
        ways = dict(whole)
        for origin, rank in _select_strongest_use(computed.find_source_columns(column, leaves), leaves).items():
            ways[origin] = max(rank, ways.get(origin, rank))
        for (source, name), rank in ways.items():
            yield ColumnFlow(source, name, urn, field.path, RANKS[rank])


def _select_strongest_use(ranks: Mapping[int, int], leaves: "Leaves") -> dict[tuple[str, str], int]:
    """Return the strongest use of each field: a table that is joined with itself has several columns for it."""
    strongest: dict[tuple[str, str], int] = {}
    for leaf, rank in ranks.items():
        for origin in leaves[leaf]:
            strongest[origin] = max(rank, strongest.get(origin, rank))
    return strongest


Leaves: TypeAlias = Mapping[int, list[tuple[str, str]]]
"""The fields of datasets that columns carry, by the columns' ids."""


def _map_column_ids_to_fields(sources: Iterable[PlanSource]) -> Leaves:
    fields: dict[int, list[tuple[str, str]]] = {}
    for source in sources:
        for column, name in source.columns.items():
            fields.setdefault(column, []).append((source.ref.urn, name))
    return fields


def _build_identity_flows(target: WriteTarget) -> Iterator[ColumnFlow]:
    """Yield the edges of an external table: its columns are those of the files."""
    if target.ref is not None and target.located_on is not None:
        for field in target.fields:
            yield ColumnFlow(target.located_on.urn, field.path, target.ref.urn, field.path, Transformation.IDENTITY)


def trace_column_origins(root: TreeNode, jvm_facts: JvmFacts) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Return for each column of a query, in order, the datasets and fields of its values."""
    leaves = _map_column_ids_to_fields(_find_sources(root, jvm_facts))
    columns = compute_columns(root)
    return tuple(
        tuple(
            dict.fromkeys(
                field
                for leaf, rank in columns.find_source_columns(column, leaves).items()
                if is_direct_use(rank)
                for field in leaves[leaf]
            )
        )
        for column in columns.get_output(root)
    )


def find_unnamed_relations(root: TreeNode) -> frozenset[int]:
    """Return the relations that the JSON does not name, by the id of their first column."""
    nodes = (
        node
        for node in walk_tree(root)
        if get_plan_node(node.kind).reads is Reads.RELATION and not get_table_description(node)
    )
    firsts = (next((get_expr_id(item) for item in node.get_trees("output")), None) for node in nodes)
    return frozenset(first for first in firsts if first is not None)


def has_in_memory_rows(root: TreeNode) -> bool:
    """Return whether a plan has leaves with rows in memory."""
    return any(get_plan_node(node.kind).reads is Reads.MEMORY for node in walk_tree(root))


def _find_sources(query: TreeNode, jvm_facts: JvmFacts) -> Iterator[PlanSource]:
    for node in walk_tree(query, stop=is_command):
        if node.kind == "VariableReference":
            yield from _find_variable_sources(node.attrs["variable"], jvm_facts)
        match get_plan_node(node.kind).reads:
            case Reads.TABLE | Reads.RELATION:
                yield from _find_relation_source(node, jvm_facts)
            case Reads.VIEW if not node.attrs.get("isTempView"):
                yield from _find_view_source(node)


def _find_relation_source(node: TreeNode, jvm_facts: JvmFacts) -> Iterator[PlanSource]:
    output = [
        item
        for field in ("output", "dataCols", "partitionCols")
        for item in node.get_trees(field)
        if not _is_file_metadata_column(item)
    ]
    carried = {column: item.attrs["name"] for item in output if (column := get_expr_id(item)) is not None}
    table = get_table_description(node)
    if table is not None:
        ref = create_table_ref(table)
        yield from [PlanSource(ref, carried)] if ref else []
        return
    # The single column `value` of a text file is not a schema; Spark also infers the schema of a CSV file with it.
    fields = schema.parse_attributes([item.attrs for item in output])
    for ref in jvm_facts.relations.get(next(iter(carried), -1), ())[:MAX_PATHS]:
        yield PlanSource(ref if ref.format == "text" else ref.with_fields(fields), carried)


def _find_variable_sources(name: str, jvm_facts: JvmFacts) -> Iterator[PlanSource]:
    """Yield the sources of the value of a variable; their fields are carried by the variable."""
    variable = jvm_facts.variables.get(name, Variable())
    for ref in variable.reads:
        yield PlanSource(ref, {})
        yield from (
            PlanSource(ref, {derive_variable_id(name): field}) for urn, field in variable.origins if urn == ref.urn
        )


def build_variable(query: TreeNode, jvm_facts: JvmFacts) -> Variable:
    """Return the value that a query assigns to a variable, with all of its columns."""
    statements = build_statements(query, jvm_facts, "")
    reads, missing = (
        merge_refs(ref for each in statements for ref in each.reads),
        {word for each in statements for word in each.missing},
    )
    fields = tuple(dict.fromkeys(field for column in trace_column_origins(query, jvm_facts) for field in column))
    return Variable(reads, fields, tuple(sorted(missing)))


def _is_file_metadata_column(column: TreeNode) -> bool:
    """Return whether a column is Spark's `_metadata`, which describes the file of a row and is not a field of the data."""
    type_ = column.attrs.get("dataType")
    if column.attrs.get("name") != "_metadata" or not isinstance(type_, dict):
        return False
    return {"file_path", "file_name"} <= {field["name"] for field in type_.get("fields", ())}


def _find_view_source(node: TreeNode) -> Iterator[PlanSource]:
    """Yield a view of the catalog, besides its tables: its columns are those of its query, by position."""
    description = node.attrs.get("desc")
    ref = create_table_ref(description, DatasetKind.VIEW) if isinstance(description, dict) else None
    if ref is None:
        return
    names = [field.path for field in ref.fields or ()]
    yield PlanSource(ref, dict(zip(compute_columns(node).get_output(node), names, strict=False)))
