"""A change as the JSON text that subscribers receive."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

# A server has lists of subscribers from its start: do not delay that by importing these.
if TYPE_CHECKING:
    from jupyter_colophon.core.changes.change_formatter import ChangeFormatter
    from jupyter_colophon.core.entities.change import Change


class WrittenChange(NamedTuple):
    """A change as JSON, with its number."""

    seq: int
    text: bytes


def encode_changes_as_json(formatter: "ChangeFormatter", changes: "Sequence[Change]", form: str) -> list[WrittenChange]:
    """Return changes as JSON, without those that the format excludes."""
    written = ((change.seq, formatter.format_change_as(change, form)) for change in changes)
    return [
        WrittenChange(seq, json.dumps(document, ensure_ascii=False).encode())
        for seq, document in written
        if document is not None
    ]
