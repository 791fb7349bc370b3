"""A plan that is too large to be taken whole: its commands without their queries, and the tables at its leaves."""

import json
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from jupyter_colophon.spark.facts import Facts
from jupyter_colophon.spark.jvm import leaves_of, queries_of, refs_of, targets_of
from jupyter_colophon.spark.observation import DataRef, Unseen
from jupyter_colophon.spark.plan import table_ref
from jupyter_colophon.spark.tree import Node

MOST_LEAVES = 200
"""A plan's first leaves, each some calls over py4j; no more are looked at."""

TABLES = ("catalogTable", "table", "tableDesc")
"""The fields in which commands hold the description of a table of the catalog."""


def outline(plan: Any) -> Node:
    """Give a plan's root, or the commands of a union of them, without anything below."""
    kind = plan.getClass().getSimpleName()
    children: tuple[Node, ...] = ()
    if kind == "Union":
        children = tuple(outline(plan.children().apply(position)) for position in range(plan.children().length()))
    return Node(kind, True, dict(_attributes(plan, kind)), {}, children)


def _attributes(plan: Any, kind: str) -> Iterator[tuple[str, Any]]:
    names = plan.productElementNames().mkString(" ").split(" ")
    for position, name in enumerate(names):
        if name in TABLES or (name == "name" and "View" in kind):
            value = plan.productElement(position)
            yield name, _identifier(value) if name == "name" else _table(value)


def _table(value: Any) -> Mapping[str, Any] | None:
    """Describe a `CatalogTable`, or one in an `Option`, as Spark's JSON of it does."""
    if value.getClass().getSimpleName().startswith(("Some", "None")):
        return _table(value.get()) if value.isDefined() else None
    if value.getClass().getSimpleName() != "CatalogTable":
        return None
    return {
        "identifier": _identifier(value.identifier()),
        "schema": json.loads(value.schema().json()),
        "provider": _option(value.provider()),
        "tableType": {"name": value.tableType().name()},
    }


def _identifier(value: Any) -> dict[str, str | None]:
    return {
        "table": value.table(),
        "database": _option(value.database()),
        "catalog": _option(value.catalog()),
    }


def _option(value: Any) -> str | None:
    return str(value.get()) if value.isDefined() else None


def ask_outline(execution: Any, plan: Any, root: Node) -> Facts:
    """Ask the JVM for the targets of an outlined plan's commands, and the tables that its queries read."""
    targets = targets_of(execution, plan, root)
    found = [list(islice(leaves_of(query), MOST_LEAVES + 1)) for query in queries_of(plan, root)]
    unseen = (Unseen.COLUMNS, *([Unseen.PLACES] if any(len(leaves) > MOST_LEAVES for leaves in found) else []))
    reads = tuple(tuple(_reads(leaves[:MOST_LEAVES])) for leaves in found)
    return Facts(targets=targets, outlined=reads, unseen=unseen)


def _reads(leaves: list[Any]) -> Iterator[DataRef]:
    found = {ref.urn: ref for leaf in leaves for ref in _refs(leaf)}
    yield from found.values()


def _refs(leaf: Any) -> tuple[DataRef, ...]:
    held = {"LogicalRelation": "catalogTable", "HiveTableRelation": "tableMeta"}.get(leaf.getClass().getSimpleName())
    table = _table(getattr(leaf, held)()) if held else None
    if table is None:
        return refs_of(leaf)
    ref = table_ref(table)
    return (ref,) if ref else ()
