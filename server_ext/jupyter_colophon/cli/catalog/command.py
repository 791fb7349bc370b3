"""What the commands on entities share: `--url`, resolving names, rendering documents."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from jupyter_colophon.cli.catalog.client import CatalogClient, open_catalog_client
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.api.did_you_mean import explain_missing_entity
from jupyter_colophon.client.api.edits import Edits
from jupyter_colophon.client.problems import EntityNotFound
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import parse_dataset_name
from jupyter_colophon.core.time_format import format_ms_as_iso_time, parse_time_to_ms
from jupyter_colophon.rendering.renderers import render_creation_notice

#: System properties of every entity. They are shown as the entity's times, not as properties.
_LIFECYCLE_KEYS = frozenset({"created-by", "creation-time", "last-update-time", "last-updated-by"})
#: Members of a descriptor in `--json` (core/model/vocabulary.py).
_DESCRIPTOR_MEMBERS = ("kind", "key", "name", "scope", "detail")

ENTITY_HELP = "A table name, a file path that begins with / or ./, or a URN."


class CatalogCommand(CliCommand):
    """A command on the store of this machine, or with `--url` on a server."""

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the option `--url`."""
        add_catalog_url_option(parser)

    @contextmanager
    def connect_to_catalog(self) -> Iterator[CatalogClient]:
        """Open the catalog. Raises InvalidConfiguration, NotFound, StorageError."""
        self.drop_logs_unless_debug()
        with open_catalog_client(self.args.url, self.settings) as client:
            yield client

    def parse_time_options(self, *names: str) -> dict[str, Any]:
        """Return the values of options that are times, by option name, as operations expect them. Raises InvalidQuery."""
        now = time.time_ns() // 1_000_000
        texts = {name: getattr(self.args, name) for name in names}
        ms = {
            name: parse_time_to_ms(text, now, f"--{name.replace('_', '-')}") if text else None
            for name, text in texts.items()
        }
        start, end = ms.get("start"), ms.get("end")
        if start is not None and end is not None and start > end:
            raise InvalidQuery("must not be after --end", "--start")
        return {name: None if time_ms is None else format_ms_as_iso_time(time_ms) for name, time_ms in ms.items()}

    def annotate_and_print(self, name: str, change: MetadataAnnotation) -> int:
        """Change the USER metadata of an entity, as `%metadata` does: an unknown entity is created if something is added."""
        urn = self.resolve_urn(name)
        with self.connect_to_catalog() as client:
            result = Edits(client).annotate(urn, change).document
        document = {member: result[member] for member in ("urn", "changed", "isNew", "similarName")}
        creation = [line.to_text(None) for line in render_creation_notice(result, urn)]
        self.print_result(
            document, "\n".join([*creation, f"{name} {'updated' if result['changed'] else 'unchanged'}."])
        )
        return EXIT_OK

    def print_entity(self, urn: str) -> int:
        """Print an entity with its metadata."""
        with self.connect_to_catalog() as client:
            if (entity := find_entity(client, urn)) is None:
                raise EntityNotFound(explain_missing_entity(client, urn))
            metadata = client.read_entity_metadata(urn)
        descriptors = [descriptor for descriptor in entity["descriptors"] if descriptor["column"] is None]
        user, system = metadata["USER"], metadata["SYSTEM"]
        document = {name: entity[name] for name in ("urn", "type", "namespace", "name", "created", "updated")} | {
            "user": user["properties"],
            "user_tags": user["tags"],
            "system": system["properties"],
            "system_tags": system["tags"],
            "statements": [{name: descriptor[name] for name in _DESCRIPTOR_MEMBERS} for descriptor in descriptors],
        }
        in_aspects = {descriptor["key"] for descriptor in descriptors if descriptor["scope"] == "SYSTEM"}
        properties = [
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
            if key not in in_aspects | _LIFECYCLE_KEYS
        ]
        descriptors = [descriptor | {"aspect": ""} for descriptor in descriptors] + properties
        self.print_result(
            document, self.render_document("show", entity | {"aspects": {}, "descriptors": descriptors, "runs": []})
        )
        return EXIT_OK

    def resolve_urn(self, text: str) -> str:
        """Return the URN for `<database>.<table>`, the path of a file, or a URN. Raises InvalidName."""
        name = os.path.abspath(text) if text.startswith("./") else text
        return str(parse_dataset_name(name, self.settings.build_identity()))

    def render_document(self, kind: str, document: Mapping[str, Any]) -> str:
        """Return a document as text, with names that commands accept."""
        from jupyter_colophon.rendering.renderers import render_document_page
        from jupyter_colophon.rendering.style import make_command_style

        return str(render_document_page(kind, document, make_command_style(self.settings.build_identity())))


def add_catalog_url_option(parser: CommandParser) -> None:
    """Declare the option `--url`."""
    parser.add_argument(
        "--url",
        default="",
        help="Use the catalog of this server (token in COLOPHON_TOKEN). Default: the store of this machine.",
    )
