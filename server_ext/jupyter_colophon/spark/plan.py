"""What an analysed plan reads and writes. Pure: a plan's tree and the facts about it in, statements out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from jupyter_colophon.spark import naming, schema
from jupyter_colophon.spark.columns import columns, expr_id
from jupyter_colophon.spark.commands import LABELS, commands, is_command, query_of
from jupyter_colophon.spark.facts import Facts, Target
from jupyter_colophon.spark.observation import ColumnEdge, DataRef, Field, Kind, Transformation
from jupyter_colophon.spark.tree import Node, walk

MOST_EDGES = 20_000
"""A statement with more edges between columns than this is recorded without them: the tables say enough."""

RELATIONS = frozenset({"LogicalRelation", "DataSourceV2Relation", "DataSourceV2ScanRelation"})
"""Leaves that may read data outside the catalog: only the JVM can say which."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One command or query: what it is called, reads and writes, and the way of the columns."""

    label: str
    reads: tuple[DataRef, ...] = ()
    writes: tuple[DataRef, ...] = ()
    edges: tuple[ColumnEdge, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset that a plan reads, and the columns that carry it: their ids, with their names in the dataset."""

    ref: DataRef
    columns: Mapping[int, str]


def statements(root: Node, facts: Facts, function: str) -> tuple[Statement, ...]:
    """Give what a plan does: a statement for each writing command, else one for the query; none for other commands.

    `facts.targets` belong to the commands in order; a command without a target gives no statement.
    """
    if commands(root):
        pairs = zip(commands(root), facts.targets, strict=True)
        return tuple(_write(command, target, facts) for command, target in pairs if target.ref is not None)
    reads = _refs(_sources(root, facts))
    return (Statement(function, reads),) if reads else ()


def _write(command: Node, target: Target, facts: Facts) -> Statement:
    query, writes = query_of(command), (target.ref,) if target.ref else ()
    if target.over is not None:
        return Statement(LABELS[command.kind], (target.over,), writes, tuple(_same(target)))
    sources = tuple(_sources(query, facts)) if query else ()
    found = (edge for ref in writes if query for edge in _edges(query, ref.urn, target.fields, sources))
    edges = list(islice(found, MOST_EDGES + 1))
    return Statement(LABELS[command.kind], _refs(sources), writes, tuple(edges) if len(edges) <= MOST_EDGES else ())


def _refs(sources: Iterable[Source]) -> tuple[DataRef, ...]:
    return tuple({source.ref.urn: source.ref for source in sources}.values())


def _edges(query: Node, urn: str, fields: Iterable[Field], sources: Iterable[Source]) -> Iterator[ColumnEdge]:
    leaves = _leaves(sources)
    found = columns(query)
    for column, made in zip(found.output(query), fields, strict=False):
        for leaf, transformation in found.sources(column, leaves).items():
            for origin, name in leaves[leaf]:
                yield ColumnEdge(origin, name, urn, made.path, transformation)


def _leaves(sources: Iterable[Source]) -> dict[int, list[tuple[str, str]]]:
    """Give the fields of datasets that columns carry, by the columns' ids."""
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
        tuple(dict.fromkeys(field for leaf in found.sources(column, leaves) for field in leaves[leaf]))
        for column in found.output(root)
    )


def unnamed(root: Node) -> frozenset[int]:
    """Give the relations that the JSON does not name, by the id of their first column."""
    nodes = (node for node in walk(root) if node.kind in RELATIONS and not _catalog_table(node))
    firsts = (next((expr_id(item) for item in node.forest("output")), None) for node in nodes)
    return frozenset(first for first in firsts if first is not None)


def _sources(query: Node, facts: Facts) -> Iterator[Source]:
    for node in walk(query, stop=is_command):
        if node.kind in RELATIONS or node.kind == "HiveTableRelation":
            yield from _relation(node, facts)
        elif node.kind == "View" and not node.attrs.get("isTempView"):
            yield from _view(node)


def _relation(node: Node, facts: Facts) -> Iterator[Source]:
    output = [item for field in ("output", "dataCols", "partitionCols") for item in node.forest(field)]
    carried = {column: item.attrs["name"] for item in output if (column := expr_id(item)) is not None}
    table = _catalog_table(node)
    if table is not None:
        ref = table_ref(table)
        yield from [Source(ref, carried)] if ref else []
        return
    # The one column `value` of a text file is no schema; Spark also reads a CSV file so to infer its schema.
    fields = schema.attributes([item.attrs for item in output])
    for ref in facts.relations.get(next(iter(carried), -1), ()):
        yield Source(ref if ref.format == "text" else replace(ref, fields=fields), carried)


def _view(node: Node) -> Iterator[Source]:
    """Give a view of the catalog, beside the tables below it: its columns are its query's, by position."""
    description = node.attrs.get("desc")
    ref = table_ref(description, Kind.VIEW) if isinstance(description, dict) else None
    if ref is None:
        return
    names = [field.path for field in ref.fields or ()]
    yield Source(ref, dict(zip(columns(node).output(node), names, strict=False)))


def _catalog_table(node: Node) -> Mapping[str, Any] | None:
    found = node.attrs.get("catalogTable") or node.attrs.get("tableMeta")
    return found if isinstance(found, dict) else None


def table_ref(table: Mapping[str, Any], kind: Kind = Kind.TABLE, location: str | None = None) -> DataRef | None:
    """Give the dataset that a `CatalogTable`'s JSON describes; None where its name fits none."""
    urn = naming.table(table["identifier"])
    if urn is None:
        return None
    if table.get("tableType", {}).get("name") == "VIEW":
        kind = Kind.VIEW
    return DataRef(urn, kind, schema.fields(table["schema"]) or None, table.get("provider"), location)
