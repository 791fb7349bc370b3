"""Styles of names and times: short and local in notebooks, complete in commands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.identity.short_names import format_place, format_shortest_name, shorten_urn
from jupyter_colophon.rendering.elements import EntityName


def format_local_time(time: str) -> str:
    """Return an ISO 8601 time in local time, to the second; anything else unchanged."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return time


@dataclass(frozen=True, slots=True)
class Style:
    """The format of URNs and ISO 8601 times on a page, and the most lines of a tree; None means that there is no limit."""

    name: Callable[[str], str] = shorten_urn
    time: Callable[[str], str] = format_local_time
    #: The format of URNs after a title.
    place: Callable[[str], str] = format_place
    max_lines: int | None = 400

    def make_link(self, urn: str) -> EntityName:
        """Return the name of an entity in this style, with its URN."""
        return EntityName(self.name(urn), urn)

    def make_titled_link(self, urn: str, title: str) -> EntityName:
        """Return the title of an entity, followed by its place in this style; without a title, its name."""
        return EntityName(f"{title} ({self.place(urn)})" if title else self.name(urn), urn)

    def format_label(self, urn: str, node: Mapping[str, Any]) -> str:
        """Return the title of a lineage node, followed by its name in this style if that differs."""
        title, name = node.get("title") or shorten_urn(urn), self.name(urn)
        return name if name == title else f"{title} ({name})"

    def format_interval(self, start: str | None, end: str | None) -> str:
        """Return the words for an interval, to follow a noun; either end may be open, and without both the text is
        empty.
        """
        if start and end:
            return f"between {self.time(start)} and {self.time(end)}"
        if start:
            return f"since {self.time(start)}"
        return f"until {self.time(end)}" if end else ""


NOTEBOOK = Style()


def make_command_style(identity: IdentityRules) -> Style:
    """Return the style of commands: names can be typed again, and nothing is truncated."""
    name = partial(format_shortest_name, identity=identity)
    return Style(name, str, name, None)
