"""Name a cell that has no other name by the data that it writes."""

from collections.abc import Iterable
from typing import Final

from jupyter_colophon.core.identity.names import is_variable_urn
from jupyter_colophon.core.identity.short_names import shorten_urn

#: How many written datasets a name lists.
_MOST_LISTED: Final = 2


def format_written_data_name(urns: Iterable[str]) -> str:
    """Return the name of a cell that writes these data, such as `→ orders`; empty if there are none.

    Variables, which are called by their names, count only for a cell that writes nothing else.
    """
    written = list(urns)
    stored = [urn for urn in written if not is_variable_urn(urn)]
    names = list(dict.fromkeys(_get_short_name(urn) for urn in stored or written))
    more = ", …" if len(names) > _MOST_LISTED else ""
    return f"→ {', '.join(names[:_MOST_LISTED])}{more}" if names else ""


def get_last_part_of_path(name: str) -> str:
    """Return the last part of a path; other names are returned unchanged."""
    return next((part for part in reversed(name.split("/")) if part), name)


def _get_short_name(urn: str) -> str:
    name = get_last_part_of_path(shorten_urn(urn))
    return name.rpartition("#")[2] if is_variable_urn(urn) else name
