"""Find the heading that is above each cell of a notebook: a name for cells without a comment."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.core.credentials import mask_secrets_in_comment

#: Longer headings are truncated, as comments of cells are.
HEADING_LENGTH = 200
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*")
_FENCE = re.compile(r" {0,3}(```|~~~)")
#: A link or an image has the text in its brackets; the other signs only change how text looks.
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|[*`]|(?<!\w)_|_(?!\w))")


def find_cell_headings(notebook: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of the nearest heading above each code cell, by cell id; cells without one are left out."""
    headings: dict[str, str] = {}
    nearest = ""
    for cell in notebook.get("cells") or ():
        if cell.get("cell_type") == "markdown":
            nearest = next(reversed(list(_iterate_headings(_join_source(cell)))), nearest)
        elif nearest and isinstance(cell.get("id"), str):
            headings[cell["id"]] = nearest
    return headings


def _join_source(cell: Mapping[str, Any]) -> str:
    source = cell.get("source") or ""
    return source if isinstance(source, str) else "".join(map(str, source))


def _iterate_headings(text: str) -> Iterator[str]:
    """Yield the headings of a Markdown text as plain text, without credentials. Blocks of code have none."""
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark is not None and fence in ("", mark[1]):
            fence = "" if fence else mark[1]
        elif not fence and (heading := _HEADING.fullmatch(line)) is not None:
            plain = _EMPHASIS.sub("", _LINK.sub(r"\1", heading[1])).strip()
            if plain:
                yield mask_secrets_in_comment(plain[:HEADING_LENGTH])
