"""What the commands on entities share: `--url`, names as people type them, tables."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from traitlets import Unicode

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource, Event, Shown, Statement
from jupyter_colophon.cli.command import Command
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Identity, parse_data_name
from jupyter_colophon.core.text_width import padded, width

#: Keys of what the catalog knows of every entity: its times are shown below the table.
_EVENTS = frozenset({"created-by", "creation-time", "last-update-time", "last-updated-by"})


class CatalogCommand(Command):
    """A command on a store of this machine, or with `--url` on a server's."""

    aliases: dict[str, str] = Command.aliases | {"url": "CatalogCommand.url"}

    url = Unicode(
        "",
        config=True,
        help="The server whose catalog is meant (its token in COLOPHON_TOKEN); else the store on this machine.",
    )

    @contextmanager
    def source(self) -> Iterator[CatalogSource]:
        """The catalog, open. Raises InvalidConfiguration, NotFound, StorageError."""
        from jupyter_colophon.cli.catalog.open_catalog import opened

        self.hush()
        found = opened(self.url, self.asked)
        try:
            yield found
        finally:
            found.close()

    def urn(self, text: str) -> str:
        """What is meant by a name: `<database>.<table>`, the path of a file, or a URN. Raises InvalidName."""
        whole = os.path.abspath(text) if text.startswith("./") else text
        return str(parse_data_name(whole, self.asked.identity()))


class Named(Protocol):
    """An entity, or what stands for one in an answer."""

    @property
    def urn(self) -> str:
        """Its own."""

    @property
    def namespace(self) -> str:
        """What it is in."""

    @property
    def name(self) -> str:
        """What it is called there."""


def called(one: Named, identity: Identity) -> str:
    """What commands take for it: `<database>.<table>` where that means it, else its URN."""
    name = f"{one.namespace}.{one.name}"
    try:
        return name if str(parse_data_name(name, identity)) == one.urn else one.urn
    except InvalidName:
        return one.urn


def table(rows: Sequence[Sequence[Any]], *titles: str) -> str:
    """Rows under titles, in columns."""
    texts = [list(titles), *([cell(one) for one in row] for row in rows)]
    widths = [max(map(width, column)) for column in zip(*texts, strict=True)]
    lines = ["   ".join(map(padded, row, widths)).rstrip() for row in texts]
    return "\n".join([lines[0], *lines[1:]])


def shown(found: Shown) -> str:
    """An entity with what people and machines say of it, references by their names."""
    rows = dict.fromkeys(_row(one) for scope in ("USER", "SYSTEM") for one in found.statements if one.scope == scope)
    keys = {one.key for one in found.statements if one.scope == "SYSTEM"}
    # What the catalog itself knows stands in no aspect.
    known = [("property", key, value, "SYSTEM") for key, value in found.system.items() if key not in keys | _EVENTS]
    head = f"{found.name} ({found.type} of {found.namespace})\n{found.urn}\n"
    events = [f"{word} {one.time} by {one.actor}" for word, one in _events(found)]
    return f"{head}\n{table([*rows, *known], 'Kind', 'Name', 'Value', 'Scope')}\n\n{', '.join(events)}"


def _events(found: Shown) -> tuple[tuple[str, Event], ...]:
    return ("created", found.created), ("updated", found.updated)


def _row(one: Statement) -> tuple[str, str, str, str]:
    text = f"{one.name} ({one.detail})" if one.detail else one.name
    return (one.kind, text, "", one.scope) if one.kind in ("tag", "term") else (one.kind, one.key, text, one.scope)


def cell(value: Any) -> str:
    """A value as a terminal is shown it."""
    text = " ".join(value) if isinstance(value, list | tuple) else str(value)
    # Names and values may hold anything: a terminal is given no control characters, and no value a line of its own.
    return "".join(one if one.isprintable() else " " if one == "\n" else "\ufffd" for one in text.replace("\r\n", "\n"))
