"""Render lineage: the document for JupyterLab's renderer, an SVG image for notebooks, a tree for terminals."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.display_text import escape_control_characters, format_count_with_noun
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.lineage.graph import has_data_flow
from jupyter_colophon.rendering.drawing.svg import draw_lineage
from jupyter_colophon.rendering.elements import Element, Preformatted, TableElement, TextLine, Title
from jupyter_colophon.rendering.page import Page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]
#: An edge, its target node, the indentation of its line, and whether it is the last one of its node.
_Branch = tuple[Document, str, str, bool]

#: The MIME type of the document `Lineage` (schemas/api/lineage.json), which the lab extension draws.
LINEAGE_MIME = "application/vnd.jupyter-colophon.lineage.v1+json"
#: Edges between columns on a page; the document has all.
MAX_COLUMNS = 200
CUT = TextLine("The graph is truncated.", quiet=True)

#: The arrows to a program and to data: against the flow, with it, and for an unknown access.
_AGAINST, _ALONG, _EITHER = ("written by", "from"), ("read by", "to"), ("accessed by", "accesses")


def build_lineage_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page from `Lineage`."""
    urn, frontier = document["urn"], len(document["frontier"])
    notes = (
        "lineage",
        "deleted" if any(node["deleted"] for node in document["nodes"] if node["urn"] == urn) else "",
        document["direction"],
        format_count_with_noun(document["levels"], "level"),
        style.format_interval(document["start"], document["end"]),
    )
    elements: list[Element] = [
        Title(_get_focus_name(document), ", ".join(filter(None, notes))),
        TextLine(urn, quiet=True),
        Preformatted(format_lineage_tree(document, style)),
    ]
    if document["truncated"]:
        elements.append(CUT)
    if frontier:
        elements.append(
            TextLine(f"More lineage after {format_count_with_noun(frontier, 'node')}: use --levels.", quiet=True)
        )
    svg = draw_lineage(document)
    extra = {LINEAGE_MIME: dict(document)} | ({"image/svg+xml": svg} if svg else {})
    return Page(tuple(elements), extra, has_html=not svg)


def _get_focus_name(document: Document) -> str:
    """Return the title of the entity that `Lineage` is about, else its short name."""
    titles = (node.get("title") for node in document["nodes"] if node["urn"] == document["urn"])
    return next(filter(None, titles), shorten_urn(document["urn"]))


def build_columns_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page from `Lineage` with the edges between columns below the tree."""
    page, columns = build_lineage_page(document, style), document["columns"]
    rows = [
        (
            f"{style.name(column['source'])}#{column['sourceField']}",
            f"{style.name(column['target'])}#{column['targetField']}",
            column["transformation"],
            column["program"] and style.name(column["program"]),
        )
        for column in columns[:MAX_COLUMNS]
    ]
    added: list[Element] = [
        TableElement("columns", ("from", "to", "how", "by"), rows) if rows else TextLine("No column lineage.")
    ]
    if len(columns) > len(rows):
        added.append(TextLine(f"… {format_count_with_noun(len(columns) - len(rows), 'more edge')}", quiet=True))
    return Page((*page.elements, *added), page.extra)


def format_lineage_tree(document: Document, style: Style = NOTEBOOK) -> str:
    """Return each side of the entity that `Lineage` is about as an indented tree."""
    sides = ("upstream", "downstream") if document["direction"] == "both" else (document["direction"],)
    nothing = f"└─ nothing {style.format_interval(document['start'], document['end'])}".rstrip()
    lines: list[str] = []
    for side in sides:
        lines += [side, *(list(_LineageTreeSide(document, side, style).list_lines()) or [nothing])]
    more = len(lines) - (style.max_lines or len(lines))
    return "\n".join([*lines[:-more], f"… {format_count_with_noun(more, 'more line')}"] if more > 0 else lines)


class _LineageTreeSide:
    """One direction of the graph. A node that was already shown is named but not followed, which ends cycles."""

    def __init__(self, document: Document, side: str, style: Style) -> None:
        self._focus, self._style = document["urn"], style
        self._nodes = {node["urn"]: node for node in document["nodes"]}
        #: Edges by the node that they leave, each with its target node.
        self._edges: dict[str, list[tuple[Document, str]]] = defaultdict(list)
        for edge in document["edges"]:
            # An access of unknown kind may have either direction.
            both = side == "undirected" or edge["access"] == "unknown"
            if both or side == "upstream":
                self._edges[edge["target"]].append((edge, edge["source"]))
            if both or side == "downstream":
                self._edges[edge["source"]].append((edge, edge["target"]))

    def list_lines(self) -> Iterator[str]:
        """Yield a line for each edge, depth first, without recursion: chains are long."""
        entered: set[tuple[str, ...]] = {(self._focus,)}
        stack = self._list_branches(self._focus, None, None, "")
        while stack:
            edge, urn, indent, is_last = stack.pop()
            # A program is entered once for each statement that leads to it: others lead elsewhere.
            statements = edge["statements"] if self._is_program(urn) else None
            entry = (urn, *(statements or ()))
            again = entry in entered
            yield f"{indent}{'└─ ' if is_last else '├─ '}{self._format_branch_label(edge, urn, again=again, is_first=not indent)}"
            if not again:
                entered.add(entry)
                stack += self._list_branches(urn, edge, statements, indent + ("   " if is_last else "│  "))

    def _list_branches(
        self, urn: str, incoming_edge: Document | None, statements: Sequence[str] | None, indent: str
    ) -> list[_Branch]:
        """Return the branches at a node, the last one first."""
        branches = [
            (edge, other)
            for edge, other in self._edges.get(urn, ())
            if edge is not incoming_edge and (statements is None or has_data_flow(statements, edge["statements"]))
        ]
        branches.sort(key=lambda branch: shorten_urn(branch[1]), reverse=True)
        return [(edge, other, indent, at == 0) for at, (edge, other) in enumerate(branches)]

    def _is_program(self, urn: str) -> bool:
        return bool(self._nodes.get(urn, {}).get("type") == "dataJob")

    def _format_branch_label(self, edge: Document, urn: str, *, again: bool, is_first: bool) -> str:
        node, is_program = self._nodes.get(urn, {}), self._is_program(urn)
        words = _EITHER if edge["access"] == "unknown" else _AGAINST if edge["source"] == urn else _ALONG
        notes = [
            self._format_time(edge) if is_program or is_first or edge["declared"] else "",
            "deleted" if node.get("deleted") else "",
            "see above" if again else "",
            *self._list_hidden_counts(node, edge, urn),
        ]
        text = ", ".join(filter(None, notes))
        # A title may contain line breaks, which would break the tree.
        return f"{words[not is_program]} {escape_control_characters(self._style.format_label(urn, node))}" + (
            f"  ({text})" if text else ""
        )

    def _format_time(self, edge: Document) -> str:
        time, start, end = self._style.time, edge["start"], edge["end"]
        if edge["declared"]:
            return f"declared from {time(start)} until {time(end)}" if end else f"declared since {time(start)}"
        return f"{format_count_with_noun(edge['runCount'], 'run')}, {f'last {time(end)}' if end else 'running'}"

    @staticmethod
    def _list_hidden_counts(node: Document, edge: Document, urn: str) -> Iterator[str]:
        """Yield the numbers of neighbours of a node in this direction that are not in the document."""
        counts = node.get("notShown", {})
        if hidden := counts.get("upstream" if edge["source"] == urn else "downstream", 0):
            yield f"{'at least ' if counts.get('isLowerBound') else ''}{hidden} more"
