"""Markdown elements shared by reference pages."""

import re
from collections.abc import Iterable, Sequence

_PAGE = re.compile(r"\bdocs/([\w/-]+\.md)((?:#[\w-]+)?)")


def format_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(map(_format_cell, cells))} |" for cells in lines]


def link_pages(text: str) -> str:
    """Return a text with links to the named pages, relative to docs/reference."""
    return _PAGE.sub(r"[\1](../\1\2)", text)


def _format_cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def create_anchor(heading: str) -> str:
    """Return the anchor of a heading on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
