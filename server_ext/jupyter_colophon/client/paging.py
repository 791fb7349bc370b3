"""Answers that come in pages, each with a cursor for the next."""

from collections.abc import Callable, Iterator
from typing import Any

Document = dict[str, Any]


def pages(ask: Callable[[str | None], Document], name: str) -> Iterator[Document]:
    """What is under a name in all pages. Raises what `ask` raises."""
    cursor: str | None = None
    while True:
        page = ask(cursor)
        yield from page[name]
        cursor = page["cursor"]
        if cursor is None:
            return
