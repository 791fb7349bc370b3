"""Answers about lineage as the documents of `schemas/api`."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from jupyter_colophon.core.lineage.answers import Impact, LineageDiff, Paths
from jupyter_colophon.core.lineage.graph import Lineage, LineageEdge, LineageQuestion, Node, Window
from jupyter_colophon.core.time_format import format_time

Document = dict[str, Any]


def asked(question: LineageQuestion) -> Document:
    """Return the parameters of a question, as in `lineage.json`."""
    return {"urn": str(question.urn), "direction": question.direction, "levels": question.levels} | times(
        question.window, question.as_of
    )


def times(window: Window, as_of: int | None) -> Document:
    """The times that were asked for."""
    told = {"start": window.start, "end": window.end, "asOf": as_of}
    return {name: None if ms is None else format_time(ms) for name, ms in told.items()}


def lineage(value: Lineage) -> Document:
    """The graph of `lineage.json`; the handler adds what was asked."""
    return {
        "nodes": nodes(value.nodes),
        "edges": edges(value.edges),
        "columns": [
            {
                "source": column.source,
                "sourceField": column.source_field,
                "target": column.target,
                "targetField": column.target_field,
                "program": column.program,
                "transformation": column.transformation,
            }
            for column in value.columns
        ],
        "truncated": value.truncated,
        "frontier": list(value.frontier),
    }


def paths(value: Paths) -> Document:
    """The ways of `lineage-path.json`."""
    return {
        "levels": value.levels,
        "count": value.count,
        "paths": [list(one) for one in value.paths],
        "nodes": nodes(value.nodes),
        "edges": edges(value.edges),
        "truncated": value.truncated,
    }


def impact(value: Impact) -> Document:
    """The counts of `lineage-impact.json`."""
    return {
        "total": value.total,
        "byType": _counts(value.by_type),
        "byOwner": _counts(value.by_owner),
        "byNamespace": _counts(value.by_namespace),
        "truncated": value.truncated,
    }


def diff(value: LineageDiff) -> Document:
    """The edges of `lineage-diff.json`."""
    return {
        "added": edges(value.added),
        "removed": edges(value.removed),
        "nodes": nodes(value.nodes),
        "truncated": value.truncated,
    }


def nodes(found: Iterable[Node]) -> list[Document]:
    """Nodes, each with what it hides."""
    return [_node(one) for one in found]


def edges(found: Iterable[LineageEdge]) -> list[Document]:
    """Edges, each with who said so."""
    return [_edge(one) for one in found]


def _node(node: Node) -> Document:
    members = asdict(node)
    # Declared lineage leads from data to data here: no node stands for it.
    del members["asserted"]
    hidden = {side: members.pop(f"hidden_{side}") for side in ("upstream", "downstream")}
    if members.pop("hidden_at_least"):
        hidden["isLowerBound"] = True
    if not members["title"]:
        del members["title"]
    return members | {"notShown": hidden}


def _edge(edge: LineageEdge) -> Document:
    return {
        "source": edge.source,
        "target": edge.target,
        "access": edge.access,
        "runs": list(edge.runs),
        "runCount": edge.run_count,
        "start": format_time(edge.start),
        "end": None if edge.end is None else format_time(edge.end),
        "components": list(edge.components),
        "reportedBy": edge.reported_by,
        "declared": edge.asserted,
        "statements": list(edge.statements),
    }


def _counts(found: Mapping[str, int]) -> list[Document]:
    return [{"name": name, "count": count} for name, count in found.items()]
