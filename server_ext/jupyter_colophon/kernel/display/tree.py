"""Lineage as an indented tree: what people read in a terminal."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_colophon.client.urns import called, shown
from jupyter_colophon.core.lineage.graph import flows_on
from jupyter_colophon.kernel.counts import counted
from jupyter_colophon.kernel.display.times import clock, interval

#: Lines of a tree; a wider graph is for the drawing.
LONGEST_TREE = 400

_WORDS = {"upstream": ("written by", "from"), "downstream": ("read by", "to")}


def tree(answer: Mapping[str, Any]) -> str:
    """Both sides of the entity that `Lineage` is about, as far as the answer has them."""
    sides = ("upstream", "downstream") if answer["direction"] == "both" else (answer["direction"],)
    nothing = f"└─ nothing {interval(answer['start'], answer['end'])}".rstrip()
    lines: list[str] = []
    for side in sides:
        branches = list(_Side(answer, side).lines())
        lines += [side, *(branches or [nothing])]
    if len(lines) > LONGEST_TREE:
        lines = [*lines[:LONGEST_TREE], f"… {counted(len(lines) - LONGEST_TREE, 'more line')}"]
    return "\n".join(lines)


class _Side:
    """One direction of the walk. Nodes met before are named again but not entered: cycles end there."""

    def __init__(self, answer: Mapping[str, Any], side: str) -> None:
        self._focus = answer["urn"]
        self._side = side
        self._nodes = {node["urn"]: node for node in answer["nodes"]}
        self._edges: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        here, self._there = ("target", "source") if side == "upstream" else ("source", "target")
        for edge in answer["edges"]:
            self._edges[edge[here]].append(edge)

    def lines(self) -> Iterator[str]:
        entered: set[tuple[str, ...]] = {(self._focus,)}
        # A stack of (edge, indentation, last of its brothers): deep chains must not end in a RecursionError.
        stack = self._branches(self._focus, None, "")
        while stack:
            edge, indent, is_last = stack.pop()
            urn = edge[self._there]
            # A program is entered once for each statement that leads to it: others lead elsewhere.
            statements = edge["statements"] if self._is_program(urn) else None
            place = (urn, *(statements or ()))
            again = place in entered
            yield f"{indent}{'└─ ' if is_last else '├─ '}{self._label(edge, again=again)}"
            if not again:
                entered.add(place)
                stack += self._branches(urn, statements, indent + ("   " if is_last else "│  "))

    def _branches(
        self, urn: str, statements: Sequence[str] | None, indent: str
    ) -> list[tuple[Mapping[str, Any], str, bool]]:
        found = self._edges.get(urn, ())
        edges = _sorted(
            [edge for edge in found if statements is None or flows_on(statements, edge["statements"])], self._there
        )
        return [(edge, indent, edge is edges[-1]) for edge in reversed(edges)]

    def _is_program(self, urn: str) -> bool:
        return bool(self._nodes.get(urn, {}).get("type") == "dataJob")

    def _label(self, edge: Mapping[str, Any], *, again: bool) -> str:
        urn = edge[self._there]
        node = self._nodes.get(urn, {})
        by, through = _WORDS[self._side]
        is_program = self._is_program(urn)
        label = f"{by if is_program else through} {called(urn, node)}"
        if is_program:
            label += f"  ({counted(edge['runCount'], 'run')}, last {clock(edge['end'] or edge['start'])})"
        hidden = node.get("notShown", {}).get(self._side, 0)
        notes = ["deleted"] * bool(node.get("deleted")) + ["see above"] * again + [f"{hidden} more"] * bool(hidden)
        return label + (f"  ({', '.join(notes)})" if notes else "")


def _sorted(edges: Sequence[Mapping[str, Any]], there: str) -> list[Mapping[str, Any]]:
    return sorted(edges, key=lambda edge: shown(edge[there]))
