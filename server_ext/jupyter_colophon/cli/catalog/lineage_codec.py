"""A lineage answer of a server as the value that it was made of."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.lineage.graph import ColumnLineage, Lineage, LineageEdge, Node
from jupyter_colophon.core.time_format import format_time, parse_instant


def lineage(told: Mapping[str, Any]) -> Lineage:
    """The graph of `lineage.json`."""
    return Lineage(
        nodes=tuple(_node(one) for one in told["nodes"]),
        edges=tuple(_edge(one) for one in told["edges"]),
        columns=tuple(
            ColumnLineage(
                source=one["source"],
                source_field=one["sourceField"],
                target=one["target"],
                target_field=one["targetField"],
                program=one["program"],
                transformation=one["transformation"],
            )
            for one in told["columns"]
        ),
        truncated=told["truncated"],
        frontier=tuple(told["frontier"]),
    )


def time_asked(ms: int | None) -> str | None:
    """A time as it is asked for; None where it is not."""
    return None if ms is None else format_time(ms)


def _node(told: Mapping[str, Any]) -> Node:
    return Node(
        urn=told["urn"],
        type=told["type"],
        namespace=told["namespace"],
        name=told["name"],
        platform=told["platform"],
        level=told["level"],
        deleted=told["deleted"],
        hidden_upstream=told["notShown"]["upstream"],
        hidden_downstream=told["notShown"]["downstream"],
        title=told.get("title", ""),
        hidden_at_least=told["notShown"].get("isLowerBound", False),
    )


def _edge(told: Mapping[str, Any]) -> LineageEdge:
    return LineageEdge(
        source=told["source"],
        target=told["target"],
        access=told["access"],
        runs=tuple(told["runs"]),
        run_count=told["runCount"],
        start=parse_instant(told["start"]),
        end=None if told["end"] is None else parse_instant(told["end"]),
        components=tuple(told["components"]),
        reported_by=told["reportedBy"],
        asserted=told["declared"],
        statements=tuple(told["statements"]),
    )
