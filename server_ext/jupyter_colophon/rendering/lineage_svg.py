"""Lineage as SVG. JupyterLab shows it in an <img>, which does not know the page's colours: it has its own background."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from jupyter_colophon.core.display_text import count_display_columns, escape_control_characters, truncate_text
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.rendering.graph_layout import arrange_nodes
from jupyter_colophon.rendering.style import NOTEBOOK

#: The most nodes that are drawn: for larger graphs, the tree and JupyterLab's panel are better.
MAX_NODES = 200

_COLUMN, _ROW, _MARGIN = 250, 52, 16
_WIDTH, _HEIGHT = 204, 34
#: The width for a label, and the size of letters in the fonts of `_STYLE`, estimated generously.
_ROOM, _EM = _WIDTH - 16, 12
_NARROW, _BROAD = frozenset("fijlrt .,:;'|!()[]/-I1"), frozenset("mwMW@%&#…—")

_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#212121}"
    ".data{fill:#e3f2fd;stroke:#1565c0}.program{fill:#fff3e0;stroke:#b45309}"
    ".focus{stroke-width:3}.deleted{stroke-dasharray:4 3}"
    ".edge{fill:none;stroke:#616161;stroke-width:1.3}"
)


def draw_lineage(document: Mapping[str, Any]) -> str | None:
    """Return an SVG document from `Lineage`; None if the graph is too large."""
    nodes = {node["urn"]: node for node in document["nodes"]}
    if not nodes or len(nodes) > MAX_NODES:
        return None
    ends = list(dict.fromkeys((edge["source"], edge["target"]) for edge in document["edges"]))
    places = {
        urn: (_MARGIN + column * _COLUMN, _MARGIN + row * _ROW)
        for urn, (column, row) in arrange_nodes(tuple(nodes), ends).items()
    }
    width = max(x for x, _ in places.values()) + _WIDTH + _MARGIN
    height = max(y for _, y in places.values()) + _HEIGHT + _MARGIN
    window = NOTEBOOK.format_interval(document["start"], document["end"])
    title = escape(escape_control_characters(f"Lineage of {shorten_urn(document['urn'])} {window}".rstrip()))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{title}" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}"><title>{title}</title><style>{_STYLE}</style>'
        '<defs><marker id="colophon-arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0L8 4L0 8z" fill="#616161"/></marker></defs>'
        f'<rect width="100%" height="100%" rx="6" fill="#fafafa"/>{"".join(_draw_edges(ends, places))}'
        f"{''.join(_draw_node(node, *places[urn], is_focus=urn == document['urn']) for urn, node in nodes.items())}</svg>"
    )


def _draw_edges(ends: Iterable[tuple[str, str]], places: Mapping[str, tuple[float, float]]) -> Iterable[str]:
    for source, target in ends:
        if source in places and target in places:
            (x0, y0), (x1, y1) = places[source], places[target]
            x0, y0, y1 = x0 + _WIDTH, y0 + _HEIGHT / 2, y1 + _HEIGHT / 2
            # An edge that closes a cycle leaves and arrives in a wide bow.
            bow = max(abs(x1 - x0) / 2, 40)
            path = f"M{x0:g} {y0:g}C{x0 + bow:g} {y0:g} {x1 - bow:g} {y1:g} {x1:g} {y1:g}"
            yield f'<path class="edge" marker-end="url(#colophon-arrow)" d="{path}"/>'


def _draw_node(node: Mapping[str, Any], x: float, y: float, *, is_focus: bool) -> str:
    is_data = node["type"] == "dataset"
    classes = ["data" if is_data else "program", *(["focus"] * is_focus), *(["deleted"] * bool(node["deleted"]))]
    name = escape_control_characters(NOTEBOOK.format_label(node["urn"], node))
    label = _shorten_name_to_box(name)
    return (
        f'<g><title>{escape(truncate_text(name, 500))}</title><rect class="{" ".join(classes)}" x="{x:g}" y="{y:g}"'
        f' width="{_WIDTH}" height="{_HEIGHT}" rx="{6 if is_data else _HEIGHT // 2}"/>'
        f'<text x="{x + _WIDTH / 2:g}" y="{y + _HEIGHT / 2 + 4:g}" text-anchor="middle">{escape(label)}</text></g>'
    )


def _shorten_name_to_box(name: str) -> str:
    """Return the longest end of a name that fits into a box."""
    room = _ROOM - sum(map(_estimate_width, name))
    if room >= 0:
        return name
    room -= _estimate_width("…")
    for at, letter in enumerate(name, 1):
        room += _estimate_width(letter)
        if room >= 0:
            return f"…{name[at:]}"
    return "…"


def _estimate_width(letter: str) -> float:
    """Estimate the width of a letter in pixels."""
    if letter in _NARROW:
        return 0.4 * _EM
    if letter in _BROAD or count_display_columns(letter) > 1:
        return 1.0 * _EM
    return (0.75 if letter.isupper() else 0.6) * _EM
