"""What an analysed plan reads and writes. Pure: a plan's tree and the facts about it in, statements out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.column_lineage import Columns, columns
from jupyter_colophon.spark.plans.datasets_from_jvm import described, table_ref
from jupyter_colophon.spark.plans.jvm_facts import Facts, Target
from jupyter_colophon.spark.plans.observation import (
    MOST_PATHS,
    STREAM,
    ColumnEdge,
    DataRef,
    Kind,
    Transformation,
    Unseen,
    united,
    unknown,
)
from jupyter_colophon.spark.plans.plan_nodes import Reads, declaration, is_known_leaf
from jupyter_colophon.spark.plans.plan_tree import Node, expr_id, walk
from jupyter_colophon.spark.plans.session_variables import Variable, variable_id
from jupyter_colophon.spark.plans.transformations import RANKS, is_direct
from jupyter_colophon.spark.plans.write_commands import commands, is_command, label_of, query_of

MOST_EDGES = 20_000
"""A statement with more edges between columns than this is recorded without them: the tables say enough."""

MOST_STEERED = 10_000
"""What steers a statement is said of each column that it makes, where that makes no more edges than this."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One command or query: what it is called, reads and writes, and the way of the columns."""

    label: str
    reads: tuple[DataRef, ...] = ()
    writes: tuple[DataRef, ...] = ()
    edges: tuple[ColumnEdge, ...] = ()
    unseen: tuple[str, ...] = ()
    renamed: tuple[str, str] | None = None
    """The old and the new URN of a table that was renamed."""


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset that a plan reads, and the columns that carry it: their ids, with their names in the dataset."""

    ref: DataRef
    columns: Mapping[int, str]


def statements(root: Node, facts: Facts, function: str) -> tuple[Statement, ...]:
    """Give what a plan does: a statement for each writing command, else one for the query; none for other commands.

    `facts.targets` belong to the commands in order; a command without a target gives no statement, unless data went where we cannot see.
    """
    if facts.outlined is not None:
        return tuple(_outlined(root, facts.outlined, facts, function))
    if commands(root):
        pairs = zip(commands(root), facts.targets, strict=True)
        return tuple(_write(command, target, facts) for command, target in pairs if target.ref or target.is_unnamed)
    reads, unseen = _refs(_sources(root, facts)), tuple(_unnamed_reads(root, facts))
    return (Statement(function, reads, unseen=unseen),) if reads or unseen else ()


def _outlined(root: Node, reads: Iterable[tuple[DataRef, ...]], facts: Facts, function: str) -> Iterator[Statement]:
    """Give what is known of a plan that is too large: its tables."""
    if not commands(root):
        yield from (Statement(function, each, unseen=facts.unseen) for each in reads if each)
        return
    for command, target, each in zip(commands(root), facts.targets, reads, strict=True):
        if target.ref is not None:
            yield Statement(label_of(command), each, (target.ref,), unseen=facts.unseen)


def _write(command: Node, target: Target, facts: Facts) -> Statement:
    query, label = query_of(command), label_of(command)
    writes = (target.ref,) if target.ref else ()
    if target.over is not None:
        return Statement(label, (target.over,), writes, tuple(_same(target)))
    return _flow(query, target, facts, label) if query is not None else Statement(label, (), writes)


def streamed(query: Node, target: Target, facts: Facts) -> Statement:
    """Give what a streaming query does."""
    return _flow(query, target, facts, STREAM)


def _flow(query: Node, target: Target, facts: Facts, label: str) -> Statement:
    """Give what it does to write the rows of a query."""
    sources = tuple(_sources(query, facts))
    way = _way(query, target, sources) if sources and target.ref else Way()
    memory = (Unseen.MEMORY,) if facts.made_in_memory else ()
    lost = () if target.ref else (Unseen.SINK,)
    unseen = tuple(dict.fromkeys((*way.unseen, *_unnamed_reads(query, facts), *memory, *lost)))
    return Statement(label, _refs(sources), (target.ref,) if target.ref else (), way.edges, unseen)


@dataclass(frozen=True, slots=True)
class Way:
    """The way of the columns of a statement, and what of it was not seen."""

    edges: tuple[ColumnEdge, ...] = ()
    unseen: tuple[Unseen, ...] = ()


def _way(query: Node, target: Target, sources: Iterable[Source]) -> Way:
    leaves = _leaves(sources)
    found = columns(query)
    steering = found.steering(query, leaves)
    unseen = [Unseen.COLUMNS] if found.vague else []
    if len(steering) * len(target.fields) > MOST_STEERED:
        steering = {}
        unseen.append(Unseen.STEERING)
    edges = tuple(islice(_edges(query, found, target, leaves, steering), MOST_EDGES + 1))
    return Way(edges, tuple(unseen)) if len(edges) <= MOST_EDGES else Way((), (Unseen.COLUMNS,))


def _unnamed_reads(query: Node, facts: Facts) -> Iterator[str]:
    """Tell of relations that even the JVM could not name, and of leaves that we do not know."""
    named = [facts.relations.get(column, ()) for column in unnamed(query)]
    if not all(named):
        yield Unseen.SOURCE
    if any(len(refs) > MOST_PATHS for refs in named):
        yield Unseen.PLACES
    for node in walk(query, stop=is_command):
        if node.kind == "VariableReference":
            yield from facts.variables.get(node.attrs["variable"], Variable()).unseen
    leaves = (node for node in walk(query, stop=is_command) if node.is_plan and not node.children)
    yield from sorted({unknown(leaf.kind) for leaf in leaves if not is_known_leaf(leaf.kind)})


def _refs(sources: Iterable[Source]) -> tuple[DataRef, ...]:
    return united(source.ref for source in sources)


def _edges(
    query: Node, found: Columns, target: Target, leaves: "Leaves", steering: Mapping[int, int]
) -> Iterator[ColumnEdge]:
    urn = target.ref.urn if target.ref else ""
    whole = _strongest(steering, leaves)
    for column, made in zip(found.output(query), target.fields, strict=False):
        ways = dict(whole)
        for origin, rank in _strongest(found.sources(column, leaves), leaves).items():
            ways[origin] = max(rank, ways.get(origin, rank))
        for (source, name), rank in ways.items():
            yield ColumnEdge(source, name, urn, made.path, RANKS[rank])


def _strongest(ranks: Mapping[int, int], leaves: "Leaves") -> dict[tuple[str, str], int]:
    """Give the strongest way to each field: a table that is joined with itself has several columns for it."""
    found: dict[tuple[str, str], int] = {}
    for leaf, rank in ranks.items():
        for origin in leaves[leaf]:
            found[origin] = max(rank, found.get(origin, rank))
    return found


Leaves: TypeAlias = Mapping[int, list[tuple[str, str]]]
"""The fields of datasets that columns carry, by the columns' ids."""


def _leaves(sources: Iterable[Source]) -> Leaves:
    found: dict[int, list[tuple[str, str]]] = {}
    for source in sources:
        for column, name in source.columns.items():
            found.setdefault(column, []).append((source.ref.urn, name))
    return found


def _same(target: Target) -> Iterator[ColumnEdge]:
    """Give the edges of a table that is laid over files: its columns are theirs."""
    if target.ref is not None and target.over is not None:
        for made in target.fields:
            yield ColumnEdge(target.over.urn, made.path, target.ref.urn, made.path, Transformation.IDENTITY)


def origins(root: Node, facts: Facts) -> tuple[tuple[tuple[str, str], ...], ...]:
    """Give for each column of a query, in order, the datasets and their fields that its values come from."""
    leaves = _leaves(_sources(root, facts))
    found = columns(root)
    return tuple(
        tuple(
            dict.fromkeys(
                field
                for leaf, rank in found.sources(column, leaves).items()
                if is_direct(rank)
                for field in leaves[leaf]
            )
        )
        for column in found.output(root)
    )


def unnamed(root: Node) -> frozenset[int]:
    """Give the relations that the JSON does not name, by the id of their first column."""
    nodes = (node for node in walk(root) if declaration(node.kind).reads is Reads.RELATION and not described(node))
    firsts = (next((expr_id(item) for item in node.forest("output")), None) for node in nodes)
    return frozenset(first for first in firsts if first is not None)


def has_rows(root: Node) -> bool:
    """Whether a plan has leaves with rows of their own."""
    return any(declaration(node.kind).reads is Reads.MEMORY for node in walk(root))


def _sources(query: Node, facts: Facts) -> Iterator[Source]:
    for node in walk(query, stop=is_command):
        if node.kind == "VariableReference":
            yield from _of_variable(node.attrs["variable"], facts)
        match declaration(node.kind).reads:
            case Reads.TABLE | Reads.RELATION:
                yield from _relation(node, facts)
            case Reads.VIEW if not node.attrs.get("isTempView"):
                yield from _view(node)


def _relation(node: Node, facts: Facts) -> Iterator[Source]:
    output = [
        item
        for field in ("output", "dataCols", "partitionCols")
        for item in node.forest(field)
        if not _is_of_files(item)
    ]
    carried = {column: item.attrs["name"] for item in output if (column := expr_id(item)) is not None}
    table = described(node)
    if table is not None:
        ref = table_ref(table)
        yield from [Source(ref, carried)] if ref else []
        return
    # The one column `value` of a text file is no schema; Spark also reads a CSV file so to infer its schema.
    fields = schema.attributes([item.attrs for item in output])
    for ref in facts.relations.get(next(iter(carried), -1), ())[:MOST_PATHS]:
        yield Source(ref if ref.format == "text" else ref.having(fields), carried)


def _of_variable(name: str, facts: Facts) -> Iterator[Source]:
    """Give the datasets that a variable's value was made from; its source fields are carried by the variable."""
    variable = facts.variables.get(name, Variable())
    for ref in variable.reads:
        yield Source(ref, {})
        yield from (Source(ref, {variable_id(name): field}) for urn, field in variable.origins if urn == ref.urn)


def variable_of(query: Node, facts: Facts) -> Variable:
    """Return the value that a query gives to a variable: all columns of it, should there be several."""
    found = statements(query, facts, "")
    reads, unseen = (
        united(ref for each in found for ref in each.reads),
        {word for each in found for word in each.unseen},
    )
    fields = tuple(dict.fromkeys(field for column in origins(query, facts) for field in column))
    return Variable(reads, fields, tuple(sorted(unseen)))


def _is_of_files(column: Node) -> bool:
    """Whether a column is Spark's `_metadata`, which describes the file that a row is in and is not a field of the data."""
    type_ = column.attrs.get("dataType")
    if column.attrs.get("name") != "_metadata" or not isinstance(type_, dict):
        return False
    return {"file_path", "file_name"} <= {field["name"] for field in type_.get("fields", ())}


def _view(node: Node) -> Iterator[Source]:
    """Give a view of the catalog, beside the tables below it: its columns are its query's, by position."""
    description = node.attrs.get("desc")
    ref = table_ref(description, Kind.VIEW) if isinstance(description, dict) else None
    if ref is None:
        return
    names = [field.path for field in ref.fields or ()]
    yield Source(ref, dict(zip(columns(node).output(node), names, strict=False)))
