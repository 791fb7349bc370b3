"""What `dataset` and `app` share: create, show, list, delete."""

from abc import abstractmethod
from functools import partial
from typing import Any, ClassVar

from jupyter_colophon.cli.catalog.client import collect_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces, complete_tags
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Completer, Parser, complete_with, key_value
from jupyter_colophon.core.cdap.names import v3_path
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.rendering.page import table_page


class EntityCommand(CatalogCommand):
    """A command on one kind of entity, with a subcommand for each verb."""

    #: The entity type, its word in sentences, how its names are written, and what completes them.
    type: ClassVar[str]
    word: ClassVar[str]
    name_help: ClassVar[str]
    completer: ClassVar[Completer]

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare a subcommand for each verb."""
        verbs = parser.add_subparsers(title="subcommands", dest="verb", metavar="SUBCOMMAND", required=True)
        for verb, help_ in (
            ("list", f"List {cls.word.lower()}s."),
            ("create", "Create one, or add to it."),
            ("show", "Show what people and machines say of one."),
            ("delete", "Delete one."),
        ):
            one = verbs.add_parser(verb, help=help_, description=help_)
            super().add_arguments(one)
            if verb == "list":
                namespace = one.add_argument("--namespace", default="", metavar="NAME", help="Of this namespace only.")
                complete_with(namespace, complete_namespaces)
                continue
            complete_with(one.add_argument("name", metavar="NAME", help=cls.name_help), cls.completer)
            if verb == "create":
                cls.add_members(one)

    @classmethod
    def add_members(cls, parser: Parser) -> None:
        """Declare the options of an entity that is created."""
        parser.add_argument("--description", metavar="TEXT", help="What it is.")
        add_pairs(parser, "--property", "A property; may be repeated.")
        tags = parser.add_argument("--tag", action="append", default=[], help="A tag; may be repeated.")
        complete_with(tags, complete_tags)

    def run(self) -> int:
        """Do what the verb says."""
        if self.args.verb == "list":
            return self._list()
        urn = self.meant(self.args.name)
        if self.args.verb == "show":
            return self.show(urn)
        return (self._create if self.args.verb == "create" else self._delete)(self.args.name, urn)

    @abstractmethod
    def meant(self, text: str) -> str:
        """Return the URN of the entity with a name. Raises InvalidName."""

    def deployment(self) -> dict[str, Any]:
        """Return the options as members of a document of `/v3`. Raises InvalidConfiguration, OSError."""
        args = self.args
        members: dict[str, Any] = {} if args.description is None else {"description": args.description}
        if args.property or args.tag:
            members["metadata"] = {"properties": dict(args.property), "tags": args.tag}
        return members

    def _create(self, name: str, urn: str) -> int:
        members = self.deployment()
        segments = v3_path(Urn.parse(urn), self.settings.identity()).segments
        with self.client() as client:
            put = client.put_application if self.type == "dataFlow" else client.put_dataset
            changed = put(segments[1], segments[3], members)["changed"]
        self.answer(
            {"urn": urn, "changed": changed}, f"{self.word} {name} {'is there' if changed else 'was so already'}."
        )
        return EXIT_OK

    def _delete(self, name: str, urn: str) -> int:
        with self.client() as client:
            client.delete_entity(urn)
        self.answer({"urn": urn}, f"{self.word} {name} was deleted.")
        return EXIT_OK

    def _list(self) -> int:
        columns = ("name", "namespace", "urn")
        with self.client() as client:
            list_page = partial(client.list_entities, type=self.type, namespace=self.args.namespace or None)
            entities = [{name: one[name] for name in columns} for one in collect_pages(list_page, "entities")]
        rows = [tuple(one.values()) for one in entities]
        self.answer({"entities": entities}, str(table_page(rows, *columns)))
        return EXIT_OK


def add_pairs(parser: Parser, name: str, help_: str, metavar: str = "KEY=VALUE") -> None:
    """Declare an option that takes `KEY=VALUE`, once or more often."""
    parser.add_argument(name, action="append", default=[], type=key_value, metavar=metavar, help=help_)
