"""What the commands on entities share: `--url`, names as people type them, pages."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource, Shown, Statement
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.core.identity.names import parse_data_name

#: Keys of what the catalog knows of every entity: its times are shown below its properties.
_EVENTS = frozenset({"created-by", "creation-time", "last-update-time", "last-updated-by"})

ENTITY_HELP = "A table's name, the path of a file (from / or ./), or a URN."


class CatalogCommand(Command):
    """A command on a store of this machine, or with `--url` on a server's."""

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare which catalog is meant."""
        add_url(parser)

    @contextmanager
    def source(self) -> Iterator[CatalogSource]:
        """The catalog, open. Raises InvalidConfiguration, NotFound, StorageError."""
        from jupyter_colophon.cli.catalog.open_catalog import opened

        self.silence_logs()
        found = opened(self.args.url, self.settings)
        try:
            yield found
        finally:
            found.close()

    def urn(self, text: str) -> str:
        """What is meant by a name: `<database>.<table>`, the path of a file, or a URN. Raises InvalidName."""
        whole = os.path.abspath(text) if text.startswith("./") else text
        return str(parse_data_name(whole, self.settings.identity()))

    def page(self, kind: str, document: Mapping[str, Any]) -> str:
        """Return the text of a document, names as commands take them."""
        from jupyter_colophon.rendering.renderers import render
        from jupyter_colophon.rendering.style import command_style

        return str(render(kind, document, command_style(self.settings.identity())))


def add_url(parser: Parser) -> None:
    """Declare the server whose catalog is meant."""
    parser.add_argument(
        "--url",
        default="",
        help="The server whose catalog is meant (its token in COLOPHON_TOKEN). Default: the store of this machine.",
    )


def entity_document(found: Shown) -> dict[str, Any]:
    """Return an entity as `entity.json` has it, what the catalog itself knows of it as properties in no aspect."""
    in_aspects = {one.key for one in found.statements if one.scope == "SYSTEM"}
    known = [
        Statement("property", key, value, "SYSTEM")
        for key, value in found.system.items()
        if key not in in_aspects | _EVENTS
    ]
    return {
        "urn": found.urn,
        "aspects": {},
        "descriptors": [asdict(one) | {"aspect": "", "column": None} for one in (*found.statements, *known)],
        "created": asdict(found.created),
        "updated": asdict(found.updated),
        "runs": [],
    }
