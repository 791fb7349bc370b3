"""How names and times are written: short and local in notebooks, as they are typed again in commands."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.identity.short_names import name_to_type, short_name


def local_time(time: str) -> str:
    """Return an ISO 8601 time in local time, to the second; anything else unchanged."""
    try:
        return datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return time


@dataclass(frozen=True, slots=True)
class Style:
    """How a page writes URNs and ISO 8601 times, and how many lines a tree has at most; None is no limit."""

    name: Callable[[str], str] = short_name
    time: Callable[[str], str] = local_time
    max_lines: int | None = 400

    def label(self, urn: str, node: Mapping[str, Any]) -> str:
        """Return how people call a node of lineage, with the name that this style writes where that is another one."""
        title, name = node.get("title") or short_name(urn), self.name(urn)
        return name if name == title else f"{title} ({name})"

    def interval(self, start: str | None, end: str | None) -> str:
        """Return the words for an interval, to follow a noun; either end may be open, without both there are none."""
        if start and end:
            return f"between {self.time(start)} and {self.time(end)}"
        if start:
            return f"since {self.time(start)}"
        return f"until {self.time(end)}" if end else ""


NOTEBOOK = Style()


def command_style(identity: Identity) -> Style:
    """Return the style of commands: what they write can be typed again, and is never cut."""
    return Style(partial(name_to_type, identity=identity), str, None)
