"""Where values that are told by time are: by entity, aspect and moment."""

from typing import Any

from jupyter_colophon.storage.spi import Range


def within(urn: str, aspect: str, start: int | None, end: int | None) -> Range:
    """The values of an aspect from one moment to another (ms), both of them too; None is open."""
    all_: tuple[Any, ...] = (urn, aspect)
    return Range(all_ if start is None else (*all_, start), all_ if end is None else (*all_, end))
