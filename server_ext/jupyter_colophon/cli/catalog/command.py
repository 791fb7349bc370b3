"""What the commands on entities share: `--url`, names as people type them, pages."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from jupyter_colophon.cli.catalog.client import CatalogClient, open_client
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.client.aspect_edits import edit_aspect
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import parse_data_name
from jupyter_colophon.core.time_format import format_time, parse_time

#: Keys of what the catalog knows of every entity: its times are shown below its properties.
_EVENTS = frozenset({"created-by", "creation-time", "last-update-time", "last-updated-by"})
#: Members of a value of the vocabulary (core/model/vocabulary.py).
_STATEMENT = ("kind", "key", "name", "scope", "detail")

ENTITY_HELP = "A table's name, the path of a file (from / or ./), or a URN."


class CatalogCommand(Command):
    """A command on a store of this machine, or with `--url` on a server's."""

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare which catalog is meant."""
        add_url(parser)

    @contextmanager
    def client(self) -> Iterator[CatalogClient]:
        """Open the catalog. Raises InvalidConfiguration, NotFound, StorageError."""
        self.silence_logs()
        with open_client(self.args.url, self.settings) as client:
            yield client

    def times(self, *names: str) -> dict[str, Any]:
        """Return the options that are times as operations take them, by their names. Raises InvalidQuery."""
        now = time.time_ns() // 1_000_000
        given = {name: getattr(self.args, name) for name in names}
        ms = {
            name: parse_time(text, now, f"--{name.replace('_', '-')}") if text else None for name, text in given.items()
        }
        start, end = ms.get("start"), ms.get("end")
        if start is not None and end is not None and start > end:
            raise InvalidQuery("is after --end", "--start")
        return {name: None if one is None else format_time(one) for name, one in ms.items()}

    def annotate(self, name: str, change: Annotation) -> int:
        """Change what people say of an existing entity."""
        urn = self.urn(name)

        def edit(value: dict[str, Any]) -> dict[str, Any]:
            return change.applied({"properties": {}, "tags": [], **value})

        with self.client() as client:
            client.read_entity(urn, aspects="status")
            changed = bool(edit_aspect(client, urn, "businessMetadata", edit)["changed"])
        self.answer({"urn": urn, "changed": changed}, f"{name} {'was changed' if changed else 'was so already'}.")
        return EXIT_OK

    def show(self, urn: str) -> int:
        """Show an entity."""
        with self.client() as client:
            entity, metadata = client.read_entity(urn), client.read_entity_metadata(urn)
        own = [one for one in entity["descriptors"] if one["column"] is None]
        user, system = metadata["USER"], metadata["SYSTEM"]
        document = {name: entity[name] for name in ("urn", "type", "namespace", "name", "created", "updated")} | {
            "user": user["properties"],
            "user_tags": user["tags"],
            "system": system["properties"],
            "system_tags": system["tags"],
            "statements": [{name: one[name] for name in _STATEMENT} for one in own],
        }
        in_aspects = {one["key"] for one in own if one["scope"] == "SYSTEM"}
        known = [
            {
                "kind": "property",
                "key": key,
                "name": value,
                "scope": "SYSTEM",
                "detail": "",
                "aspect": "",
                "column": None,
            }
            for key, value in system["properties"].items()
            if key not in in_aspects | _EVENTS
        ]
        descriptors = [one | {"aspect": ""} for one in own] + known
        self.answer(document, self.page("show", entity | {"aspects": {}, "descriptors": descriptors, "runs": []}))
        return EXIT_OK

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
