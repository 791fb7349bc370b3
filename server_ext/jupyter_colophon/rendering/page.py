"""A page: elements, rendered as text and as HTML."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.rendering.elements import Element, Preformatted, TableElement, TextLine

#: The MIME type of a page whose names and tags the lab extension links. Frontends without it show the HTML.
PAGE_MIME = "application/vnd.jupyter-colophon.page.v1+json"
#: Cells of tables are truncated to this length in notebooks: a property may have 10 KB. The URN of a run fits.
MAX_CELL = 64


@dataclass(frozen=True, slots=True)
class Page:
    """The output of a command: `str` of it for terminals, a MIME bundle for notebooks.

    `extra` holds further MIME types; without `has_html` notebooks show one of them instead.
    """

    elements: tuple[Element, ...]
    extra: Mapping[str, Any] = field(default_factory=dict)
    has_html: bool = True

    def __str__(self) -> str:
        return self._render_text(None)

    def __repr__(self) -> str:
        return self._render_text(MAX_CELL)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        """Return all representations at once: Jupyter shows the richest one that it knows."""
        bundle: dict[str, Any] = {"text/plain": repr(self)}
        if self.has_html:
            html = "".join(element.to_html() for element in self.elements)
            bundle["text/html"] = f'<div class="jp-Colophon-answer">{html}</div>'
            elements = [element.to_document() for element in self.elements]
            if any(map(_has_link, elements)):
                bundle[PAGE_MIME] = {"elements": elements}
        return bundle | dict(self.extra)

    def _render_text(self, max_cell: int | None) -> str:
        return "\n".join(element.to_text(max_cell) for element in self.elements).strip("\n")


def _has_link(part: object) -> bool:
    """Return whether a part of a page has the name of an entity, or a tag."""
    if isinstance(part, list):
        return any(map(_has_link, part))
    if not isinstance(part, dict):
        return False
    return "urn" in part or bool(part.get("key") and part.get("words")) or any(map(_has_link, part.values()))


def build_document_page(document: Mapping[str, Any]) -> Page:
    """Return a page with a document unchanged: JupyterLab shows it as a tree, a terminal as text."""
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return Page((Preformatted(text),), {"application/json": dict(document)}, has_html=False)


def build_table_page(rows: Sequence[Sequence[object]], *columns: str, empty: str) -> Page:
    """Return a page with one table, or the line `empty` if there are no rows."""
    return Page((TableElement("", columns, rows) if rows else TextLine(empty),))
