"""Draw lineage as SVG. Notebooks show it in an <img>, which does not know the page's colours: it has a background."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil
from typing import Any
from xml.sax.saxutils import escape

from jupyter_colophon.core.display_text import escape_control_characters
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.rendering.drawing.folding import fold_lineage
from jupyter_colophon.rendering.drawing.labels import format_card_name, format_card_place, format_hidden_count
from jupyter_colophon.rendering.drawing.layout import NODE_HEIGHT, NODE_WIDTH, Point, compute_layout
from jupyter_colophon.rendering.drawing.shortened_name import shorten_name
from jupyter_colophon.rendering.drawing.text_width import estimate_width, truncate_to_width
from jupyter_colophon.rendering.style import NOTEBOOK

Document = Mapping[str, Any]

#: The most cards that are drawn: for larger graphs, the tree and JupyterLab's panel are better.
MAX_NODES = 200

#: The room around the graph, in which the numbers of hidden neighbours fit.
_MARGIN = 48
_FONT = "system-ui,sans-serif"
_ICON_SIZE, _ICON_GAP = 18, 8
_MIN_REACH, _MAX_REACH = 24, 90

#: The outlines of the icons by type, in a square of 24.
_ICONS = {
    "dataset": (
        "M12 3c4.400 0 8 1.300 8 3v12c0 1.700-3.600 3-8 3s-8-1.300-8-3V6c0-1.700 3.600-3 8-3zm0 1.800C8.400 4"
        ".800 5.800 5.600 5.800 6S8.400 7.300 12 7.300 18.200 6.500 18.200 6 15.600 4.800 12 4.800zM5.800 8.3"
        "00V18c0 .500 2.500 1.300 6.200 1.300s6.200-.800 6.200-1.300V8.300C16.700 8.800 14.500 9.100 12 9.100"
        "s-4.700-.300-6.200-.800z"
    ),
    "mlModel": "M12 2l9 5v10l-9 5-9-5V7zm0 2.300L6.500 7.350 12 10.400l5.500-3.050zM5 9v6.850l6 3.300v-6.850zm14 0-6 3.300v6.850l6-3.300z",
    "dataJob": (
        "M4 5h16a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zm1 2v10h14V7zm2.200 1.700 3.6"
        "00 3.300-3.600 3.300-1.200-1.300 2.100-2-2.100-2zM12 14.200h5V16h-5z"
    ),
    "group": "M4 3h12v2H6v10H4zm4 4h12v14H8zm2 2v10h8V9zm2 2h4v2h-4zm0 4h4v2h-4z",
    "custom": "M4 11h10.200L10.600 7.400 12 6l6 6-6 6-1.400-1.400 3.600-3.600H4zM19 5h2v14h-2z",
}


def draw_lineage(document: Document) -> str | None:
    """Return an SVG document from `Lineage`; None if the graph is too large."""
    graph = fold_lineage(document)
    if not graph.nodes or len(graph.nodes) > MAX_NODES:
        return None
    numbers = {node["urn"]: number for number, node in enumerate(graph.nodes)}
    layout = compute_layout(
        len(graph.nodes), [(numbers[edge["source"]], numbers[edge["target"]]) for edge in graph.edges]
    )
    edges = zip(graph.edges, layout.routes, layout.backward, strict=True)
    window = NOTEBOOK.format_interval(document["start"], document["end"])
    title = f"Lineage of {shorten_urn(document['urn'])} {window}".rstrip()
    return "\n".join(
        [
            *_list_head(title, layout.width + 2 * _MARGIN, layout.height + 2 * _MARGIN),
            '<g fill="none" stroke="#757575" stroke-width="1.3">',
            *(_draw_edge(edge, route, is_back=is_back) for edge, route, is_back in edges),
            "</g>",
            *(
                _draw_card(node, at, graph.run_counts.get(node["urn"], 0), is_focus=node["urn"] == document["urn"])
                for node, at in zip(graph.nodes, layout.nodes, strict=True)
            ),
            "</svg>",
            "",
        ]
    )


def _list_head(title: str, width: float, height: float) -> Iterator[str]:
    box = f'width="{_format_number(width)}" height="{_format_number(height)}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{_escape(title)}"'
        f' viewBox="{-_MARGIN} {-_MARGIN} {_format_number(width)} {_format_number(height)}" {box}'
        f' font-family="{_FONT}"><title>{_escape(title)}</title>'
    )
    yield (
        '<defs><marker id="colophon-arrow" viewBox="0 0 7 8" refX="7" refY="4" markerWidth="7" markerHeight="8"'
        ' markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path d="M0 0L7 4L0 8z" fill="#757575"/></marker></defs>'
    )
    yield f'<rect x="{-_MARGIN}" y="{-_MARGIN}" {box} fill="#fff"/>'


def _draw_edge(edge: Document, route: Sequence[Point], *, is_back: bool) -> str:
    # An edge that closes a cycle is dotted, one of unknown access dashed.
    dashes = "2 4" if is_back else "7 5" if edge["access"] == "unknown" else ""
    start = ' marker-start="url(#colophon-arrow)"' if edge["access"] == "both" else ""
    style = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="{_format_path(route, is_back=is_back)}"{start} marker-end="url(#colophon-arrow)"{style}/>'


def _format_path(route: Sequence[Point], *, is_back: bool) -> str:
    """Return curves that leave the source and enter the target rightwards."""
    direction, last = -1 if is_back else 1, len(route) - 2
    curves = []
    for index, ((x0, y0), (x1, y1)) in enumerate(pairwise(route)):
        reach = min(_MAX_REACH, max(_MIN_REACH, abs(x1 - x0) / 2))
        out, into = 1 if index == 0 else direction, 1 if index == last else direction
        points = (x0, y0), (x0 + out * reach, y0), (x1 - into * reach, y1), (x1, y1)
        start, bend, other, end = (f"{_format_number(x)} {_format_number(y)}" for x, y in points)
        curves.append(f"M{start}C{bend} {other} {end}")
    return "".join(curves)


def _draw_card(node: Document, at: Point, run_count: int, *, is_focus: bool) -> str:
    kind = node["type"]
    padding = 18 if kind == "dataJob" else 10
    x = padding + _ICON_SIZE + _ICON_GAP
    badge, right = _draw_run_count(run_count, NODE_WIDTH - padding)
    room = right - x
    place = format_card_place(node)
    icon = f"translate({padding} {(NODE_HEIGHT - _ICON_SIZE) // 2}) scale({_ICON_SIZE / 24})"
    name_style = 'fill="#212121" font-weight="600"' + (' text-decoration="line-through"' if node["deleted"] else "")
    return "".join(
        [
            f'<g transform="translate({_format_number(at[0])} {_format_number(at[1])})">',
            f"<title>{_escape(format_card_name(node) if kind == 'group' else node['urn'])}</title>",
            *_draw_outline(kind, is_focus=is_focus),
            f'<path d="{_ICONS[kind]}" fill="#616161" transform="{icon}"/>',
            _draw_text(format_card_name(node), (x, 21), room, 13, name_style, shorten_name),
            _draw_text(f"{place} · deleted" if node["deleted"] else place, (x, 37), room, 11, 'fill="#616161"'),
            badge,
            *_draw_hidden_counts(node),
            "</g>",
        ]
    )


def _draw_outline(kind: str, *, is_focus: bool) -> Iterator[str]:
    size = f'width="{NODE_WIDTH}" height="{NODE_HEIGHT}" rx="{NODE_HEIGHT // 2 if kind == "dataJob" else 4}"'
    if kind == "group":
        yield f'<rect x="3" y="3" {size} fill="#bdbdbd"/>'
    fill = "#fff" if kind in ("dataset", "mlModel", "custom") else "#eee"
    stroke = 'stroke="#1976d2" stroke-width="2"' if is_focus else 'stroke="#bdbdbd"'
    dashes = ' stroke-dasharray="4 3"' if kind == "dataJob" else ""
    yield f'<rect {size} fill="{fill}" {stroke}{dashes}/>'


def _draw_text(
    text: str,
    at: tuple[int, int],
    room: float,
    size: int,
    style: str,
    shorten: Callable[[str, int], str] | None = None,
) -> str:
    shown = truncate_to_width(escape_control_characters(text), room, size, shorten)
    return f'<text x="{at[0]}" y="{at[1]}" font-size="{size}" {style}>{_escape(shown)}</text>'


def _draw_run_count(count: int, right: int) -> tuple[str, int]:
    """Return the number of runs of a program that ran several times, and the right end of the room that it leaves."""
    if count <= 1:
        return "", right
    text = f"\N{MULTIPLICATION SIGN}{count:,}"
    width = ceil(estimate_width(text, 11)) + 10
    left = right - width - 4
    return (
        f'<rect x="{left}" y="16" width="{width}" height="16" rx="8" fill="#fff" stroke="#bdbdbd"/>'
        f'<text x="{_format_number(left + width / 2)}" y="28" font-size="11" fill="#212121" text-anchor="middle">{text}</text>',
        left,
    )


def _draw_hidden_counts(node: Document) -> Iterator[str]:
    """Yield the numbers of neighbours that are not in the document, on their sides of the card."""
    for side in ("upstream", "downstream"):
        if text := format_hidden_count(node, side):
            width = max(26, ceil(estimate_width(text, 11)) + 12)
            x = 4 - width if side == "upstream" else NODE_WIDTH - 4
            yield (
                f'<rect x="{x}" y="28" width="{width}" height="18" rx="9" fill="#fff" stroke="#bdbdbd"/>'
                f'<text x="{_format_number(x + width / 2)}" y="41" font-size="11" fill="#212121" text-anchor="middle">{text}</text>'
            )


def _format_number(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)


def _escape(text: str) -> str:
    return escape(escape_control_characters(text), {'"': "&quot;"})
