"""Iterate over paged responses."""

from collections.abc import Callable, Iterator
from typing import Any

Document = dict[str, Any]


def read_pages(fetch_page: Callable[[str | None], Document], name: str) -> Iterator[Document]:
    """Yield the items under `name` of all pages. Raises what `fetch_page` raises."""
    cursor: str | None = None
    while True:
        page = fetch_page(cursor)
        yield from page[name]
        cursor = page["cursor"]
        if cursor is None:
            return
