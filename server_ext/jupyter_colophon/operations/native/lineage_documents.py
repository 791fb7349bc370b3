"""Render lineage as documents of `schemas/api`."""

from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_colophon.core.documents.codec import to_api_document, to_api_documents
from jupyter_colophon.core.lineage.answers import Impact, LineageDiff, Paths
from jupyter_colophon.core.lineage.graph import Lineage, LineageNode, LineageRequest, TimeWindow
from jupyter_colophon.core.time_format import format_ms_as_iso_time

Document = dict[str, Any]


def render_lineage_query(request: LineageRequest) -> Document:
    """Return the parameters of a query, as in `lineage.json`."""
    return {
        "urn": str(request.urn),
        "direction": request.direction,
        "levels": request.levels,
    } | render_requested_times(request.window, request.as_of)


def render_requested_times(window: TimeWindow, as_of: int | None) -> Document:
    """Return the requested times."""
    moments = {"start": window.start, "end": window.end, "asOf": as_of}
    return {name: None if ms is None else format_ms_as_iso_time(ms) for name, ms in moments.items()}


def render_lineage(value: Lineage) -> Document:
    """Return the graph of `lineage.json`; the operation adds the query."""
    return {
        "nodes": render_lineage_nodes(value.nodes),
        "edges": to_api_documents(value.edges),
        "columns": to_api_documents(value.columns),
        "truncated": value.truncated,
        "frontier": list(value.frontier),
    }


def render_lineage_paths(value: Paths) -> Document:
    """Return the paths of `lineage-path.json`."""
    return {
        "levels": value.levels,
        "count": value.count,
        "paths": [list(path) for path in value.paths],
        "nodes": render_lineage_nodes(value.nodes),
        "edges": to_api_documents(value.edges),
        "truncated": value.truncated,
    }


def render_impact_counts(value: Impact) -> Document:
    """Return the counts of `lineage-impact.json`."""
    return {
        "total": value.total,
        "byType": _render_value_counts(value.by_type),
        "byOwner": _render_value_counts(value.by_owner),
        "byNamespace": _render_value_counts(value.by_namespace),
        "truncated": value.truncated,
    }


def render_lineage_diff(value: LineageDiff) -> Document:
    """Return the edges of `lineage-diff.json`."""
    return {
        "added": to_api_documents(value.added),
        "removed": to_api_documents(value.removed),
        "changed": [{"edge": to_api_document(item.edge), "changes": list(item.changes)} for item in value.changed],
        "nodes": render_lineage_nodes(value.nodes),
        "truncated": value.truncated,
    }


def render_lineage_nodes(nodes: Iterable[LineageNode]) -> list[Document]:
    """Return nodes, each with the number of neighbours not shown."""
    items = list(nodes)
    documents = to_api_documents(items)
    for item, document in zip(items, documents, strict=True):
        document["notShown"] = _render_hidden_counts(item)
    return documents


def _render_hidden_counts(node: LineageNode) -> Document:
    hidden: Document = {"upstream": node.hidden_upstream, "downstream": node.hidden_downstream}
    if node.hidden_at_least:
        hidden["isLowerBound"] = True
    return hidden


def _render_value_counts(counts: Mapping[str, int]) -> list[Document]:
    return [{"name": name, "count": count} for name, count in counts.items()]
