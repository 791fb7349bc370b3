"""Render the states of the cells of a notebook."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.rendering.elements import EntityName, TableElement, TextLine
from jupyter_colophon.rendering.page import Page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]


def build_cells_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the cells of a notebook, and the inputs that make each stale."""
    if not document["cells"]:
        return Page((TextLine("No cell that read or wrote data is recorded."),))
    rows = [
        (
            EntityName(cell["cell"], cell["program"]),
            cell["state"],
            style.time(cell["start"]),
            _list_changes(cell, style),
        )
        for cell in document["cells"]
    ]
    return Page((TableElement("", ("cell", "state", "ran", "newer inputs"), rows).drop_empty_columns(),))


def _list_changes(cell: Document, style: Style) -> str:
    return ", ".join(
        f"{shorten_urn(change['data'])} ({style.time(change['written']) if change['written'] else 'of a stale cell'})"
        for change in cell["changes"]
    )
