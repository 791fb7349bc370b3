"""`jupyter colophon namespace list|create|delete`."""

from functools import partial

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, set_completer
from jupyter_colophon.core.identity import names
from jupyter_colophon.rendering.page import build_table_page


class NamespaceCommand(CatalogCommand):
    """List, create and delete namespaces."""

    description = "List, create and delete namespaces."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        subcommands = (
            ("list", "List all namespaces.", ""),
            ("create", "Create a namespace.", "sales"),
            ("delete", "Delete an empty namespace.", "sales"),
        )
        for verb, subparser in parser.add_subcommands(subcommands):
            super().add_arguments(subparser)
            if verb != "list":
                name = subparser.add_argument("name", metavar="NAME", help="The namespace.")
                set_completer(name, complete_namespaces)

    def run(self) -> int:
        """Run the subcommand."""
        if self.args.verb == "list":
            return self._list_namespaces()
        name, changed = self.args.name, True
        urn = str(names.make_namespace_urn(name))
        with self.connect_to_catalog() as client:
            if self.args.verb == "delete":
                client.delete_entity(urn)
                outcome = "deleted"
            else:
                changed = client.v3.put_namespace("namespaces", name)["changed"]
                outcome = "created" if changed else "already exists"
        self.print_result({"urn": urn, "changed": changed}, f"Namespace {name} {outcome}.")
        return EXIT_OK

    def _list_namespaces(self) -> int:
        with self.connect_to_catalog() as client:
            list_page = partial(client.list_entities, type="namespace")
            namespaces = sorted(entity["name"] for entity in read_all_pages(list_page, "entities"))
        self.print_result(
            {"namespaces": namespaces},
            str(build_table_page([(name,) for name in namespaces], "namespace", empty="No namespaces.")),
        )
        return EXIT_OK
