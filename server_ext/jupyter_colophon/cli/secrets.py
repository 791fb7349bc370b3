"""`jupyter colophon secrets list|put|delete`."""

import sys
from getpass import getpass

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, set_completer
from jupyter_colophon.rendering.page import build_table_page

_VERBS = (
    ("list", "List the names and descriptions of the secrets of a namespace.", "sales"),
    (
        "put",
        "Create a secret, or replace its value, which is read from standard input.",
        'sales warehouse --description="Database of the warehouse"',
    ),
    ("delete", "Delete a secret.", "sales warehouse"),
)
_COLUMNS = ("name", "description", "updatedBy")


class SecretsCommand(CatalogCommand):
    """Manage secrets of namespaces."""

    description = (
        "List, write and delete the secrets of namespaces, such as passwords of connections. Values are not shown."
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            namespace = subparser.add_argument("namespace", metavar="NAMESPACE", help="The namespace.")
            set_completer(namespace, complete_namespaces)
            if verb != "list":
                subparser.add_argument("name", metavar="NAME", help="The name of the secret.")
            if verb == "put":
                subparser.add_argument("--description", default="", metavar="TEXT", help="What it is for.")

    def run(self) -> int:
        """Run the subcommand."""
        return {"list": self._list, "put": self._put, "delete": self._delete}[self.args.verb]()

    def _list(self) -> int:
        with self.connect_to_catalog() as client:
            secrets = client.v3.list_secrets(self.args.namespace)["secrets"]
        rows = [tuple(secret[column] for column in _COLUMNS) for secret in secrets]
        self.print_result({"secrets": secrets}, str(build_table_page(rows, *_COLUMNS, empty="No secrets.")))
        return EXIT_OK

    def _put(self) -> int:
        body = {"value": _read_value(), "description": self.args.description}
        with self.connect_to_catalog() as client:
            secret = client.v3.put_secret(self.args.namespace, self.args.name, body)
        self.print_result(secret, f"Secret {self.args.name} stored.")
        return EXIT_OK

    def _delete(self) -> int:
        with self.connect_to_catalog() as client:
            secret = client.v3.delete_secret(self.args.namespace, self.args.name)
        self.print_result(secret, f"Secret {self.args.name} deleted.")
        return EXIT_OK


def _read_value() -> str:
    """Ask for the value in a terminal, without showing it; else read it without the line break at its end."""
    return getpass("Value: ") if sys.stdin.isatty() else sys.stdin.read().removesuffix("\n")
