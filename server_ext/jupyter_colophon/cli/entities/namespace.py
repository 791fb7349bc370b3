"""`jupyter colophon namespace list|create|delete`."""

from functools import partial

from jupyter_colophon.cli.catalog.client import collect_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, complete_with
from jupyter_colophon.core.identity import names
from jupyter_colophon.rendering.page import table_page


class Namespace(CatalogCommand):
    """Lists, creates and deletes namespaces."""

    description = "List, create and delete namespaces."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare a subcommand for each verb."""
        verbs = parser.add_subparsers(title="subcommands", dest="verb", metavar="SUBCOMMAND", required=True)
        for verb, help_ in (
            ("list", "List all namespaces."),
            ("create", "Create one."),
            ("delete", "Delete an empty one."),
        ):
            one = verbs.add_parser(verb, help=help_, description=help_)
            super().add_arguments(one)
            if verb != "list":
                complete_with(one.add_argument("name", metavar="NAME", help="The namespace."), complete_namespaces)

    def run(self) -> int:
        """Do what the verb says."""
        if self.args.verb == "list":
            return self._list()
        name = self.args.name
        urn = str(names.namespace(name))
        with self.client() as client:
            if self.args.verb == "delete":
                client.delete_entity(urn)
                became = "deleted"
            else:
                became = "made" if client.put_namespace(name)["changed"] else "there already"
        self.answer({"urn": urn, "changed": became != "there already"}, f"Namespace {name} was {became}.")
        return EXIT_OK

    def _list(self) -> int:
        with self.client() as client:
            list_page = partial(client.list_entities, type="namespace")
            found = sorted(one["name"] for one in collect_pages(list_page, "entities"))
        self.answer({"namespaces": found}, str(table_page([(name,) for name in found], "namespace")))
        return EXIT_OK
