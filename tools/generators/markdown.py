"""Pieces of Markdown that reference pages share."""

import re
from collections.abc import Iterable, Sequence

_PAGE = re.compile(r"\bdocs/([\w/-]+\.md)((?:#[\w-]+)?)")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return the lines of a table."""
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(map(_cell, cells))} |" for cells in lines]


def link_pages(text: str) -> str:
    """Return a text in which names of pages are links, as seen from docs/reference."""
    return _PAGE.sub(r"[\1](../\1\2)", text)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")


def anchor(heading: str) -> str:
    """Return the anchor of a heading as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
