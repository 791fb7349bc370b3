"""Answers about lineage as the documents of `schemas/api`."""

from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_colophon.core.documents.codec import to_document, to_documents
from jupyter_colophon.core.lineage.answers import Impact, LineageDiff, Paths
from jupyter_colophon.core.lineage.graph import Lineage, LineageQuestion, Node, Window
from jupyter_colophon.core.time_format import format_time

Document = dict[str, Any]


def asked(question: LineageQuestion) -> Document:
    """Return the parameters of a question, as in `lineage.json`."""
    return {"urn": str(question.urn), "direction": question.direction, "levels": question.levels} | times(
        question.window, question.as_of
    )


def times(window: Window, as_of: int | None) -> Document:
    """The times that were asked for."""
    moments = {"start": window.start, "end": window.end, "asOf": as_of}
    return {name: None if ms is None else format_time(ms) for name, ms in moments.items()}


def lineage(value: Lineage) -> Document:
    """The graph of `lineage.json`; the handler adds what was asked."""
    return {
        "nodes": nodes(value.nodes),
        "edges": to_documents(value.edges),
        "columns": to_documents(value.columns),
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
        "edges": to_documents(value.edges),
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
        "added": to_documents(value.added),
        "removed": to_documents(value.removed),
        "nodes": nodes(value.nodes),
        "truncated": value.truncated,
    }


def nodes(found: Iterable[Node]) -> list[Document]:
    """Nodes, each with what it hides."""
    return [_node(one) for one in found]


def _node(node: Node) -> Document:
    hidden: Document = {"upstream": node.hidden_upstream, "downstream": node.hidden_downstream}
    if node.hidden_at_least:
        hidden["isLowerBound"] = True
    return to_document(node) | {"notShown": hidden}


def _counts(found: Mapping[str, int]) -> list[Document]:
    return [{"name": name, "count": count} for name, count in found.items()]
