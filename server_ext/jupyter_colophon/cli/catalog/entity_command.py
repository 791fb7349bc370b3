"""What `dataset` and `app` share: the subcommands list, create, show and delete."""

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces, complete_tags
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, Completer, parse_key_value, set_completer
from jupyter_colophon.core.cdap.names import make_v3_path
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.rendering.page import build_table_page


class EntityCommand(CatalogCommand):
    """A command on entities of one type, with subcommands."""

    entity_type: ClassVar[str]
    #: The type in messages.
    label: ClassVar[str]
    #: Help on names, what completes them, and the arguments of an example of `create`, the name first.
    name_help: ClassVar[str]
    completer: ClassVar[Completer]
    create_example: ClassVar[str]

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        noun, name = cls.label.lower(), cls.create_example.split(" ")[0]
        subcommands = (
            ("list", f"List {noun}s.", ""),
            ("create", f"Create a new {noun}, or add to the metadata of an existing one.", cls.create_example),
            ("show", f"Show the {noun} with its metadata.", name),
            ("delete", f"Delete the {noun}. Its history and lineage are kept.", name),
        )
        for verb, subparser in parser.add_subcommands(subcommands):
            super().add_arguments(subparser)
            if verb == "list":
                namespace = subparser.add_argument(
                    "--namespace", default="", metavar="NAME", help="Only those in this namespace."
                )
                set_completer(namespace, complete_namespaces)
                continue
            set_completer(subparser.add_argument("name", metavar="NAME", help=cls.name_help), cls.completer)
            if verb == "create":
                cls.add_entity_options(subparser)

    @classmethod
    def add_entity_options(cls, parser: CommandParser) -> None:
        """Declare the options of `create`."""
        parser.add_argument("--description", metavar="TEXT", help="Its description.")
        add_pairs_option(parser, "--property", "A property; may be repeated.")
        tags = parser.add_argument("--tag", action="append", default=[], help="A tag; may be repeated.")
        set_completer(tags, complete_tags)

    def run(self) -> int:
        """Run the subcommand."""
        if self.args.verb == "list":
            return self._list_entities()
        urn = self.resolve_entity(self.args.name)
        if self.args.verb == "show":
            return self.print_entity(urn)
        return (self._create_entity if self.args.verb == "create" else self._delete_entity)(self.args.name, urn)

    @abstractmethod
    def resolve_entity(self, name: str) -> str:
        """Return the URN of the entity with a name. Raises InvalidName."""

    def build_registration_document(self) -> dict[str, Any]:
        """Return the options as a document of the CDAP API. Raises InvalidConfiguration, OSError."""
        args = self.args
        members: dict[str, Any] = {} if args.description is None else {"description": args.description}
        if args.property or args.tag:
            members["metadata"] = {"properties": dict(args.property), "tags": args.tag}
        return members

    def _create_entity(self, name: str, urn: str) -> int:
        members = self.build_registration_document()
        segments = make_v3_path(Urn.parse(urn), self.settings.build_identity()).segments
        with self.connect_to_catalog() as client:
            if self.entity_type == "dataFlow":
                result = client.v3.put_application(segments[1], segments[3], members)
            else:
                result = client.v3.put_dataset(segments[1], "datasets", segments[3], members)
        changed = result["changed"]
        text = f"{self.label} {name} {'saved' if changed else 'already exists; unchanged'}."
        self.print_result({"urn": urn, "changed": changed}, text)
        return EXIT_OK

    def _delete_entity(self, name: str, urn: str) -> int:
        with self.connect_to_catalog() as client:
            client.delete_entity(urn)
        self.print_result({"urn": urn}, f"{self.label} {name} deleted.")
        return EXIT_OK

    def _list_entities(self) -> int:
        columns = ("name", "namespace", "urn")
        with self.connect_to_catalog() as client:
            list_page = partial(client.list_entities, type=self.entity_type, namespace=self.args.namespace or None)
            listed = list(read_all_pages(list_page, "entities"))
        entities = [{name: entity[name] for name in columns} for entity in listed]
        has_titles = any("displayName" in entity for entity in listed)
        shown = ("name", "displayName", "namespace", "urn") if has_titles else columns
        rows = [tuple(entity.get(name) for name in shown) for entity in listed]
        page = build_table_page(
            rows, *("title" if name == "displayName" else name for name in shown), empty="No entities."
        )
        self.print_result({"entities": entities}, str(page))
        return EXIT_OK


def add_pairs_option(parser: CommandParser, name: str, help_: str, metavar: str = "KEY=VALUE") -> None:
    """Declare a repeatable option whose values are `KEY=VALUE`."""
    parser.add_argument(name, action="append", default=[], type=parse_key_value, metavar=metavar, help=help_)
