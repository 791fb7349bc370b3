"""Read `LineageDiff`, the differences of lineage between two times (schemas/api/lineage-diff.json)."""

from typing import Any

Document = dict[str, Any]


def list_edge_changes(document: Document) -> list[tuple[str, Document]]:
    """Return the edges of the document, each with how it differs."""
    return [
        *(("added", edge) for edge in document["added"]),
        *(("removed", edge) for edge in document["removed"]),
        *((f"changed: {', '.join(item['changes'])}", item["edge"]) for item in document["changed"]),
    ]
