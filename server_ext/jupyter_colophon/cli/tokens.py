"""`jupyter colophon tokens create|list|rotate|revoke`."""

from typing import Any

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_service_tokens
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_integer_type, set_completer
from jupyter_colophon.core.access import ALL_ACTIONS
from jupyter_colophon.rendering.page import build_table_page

_COLUMNS = ("name", "scopes", "namespaces", "expires", "last used")
_VERBS = (
    ("list", "List all service tokens.", ""),
    ("create", "Create a service token, and print it.", "airflow --scope=read --scope=emit --namespace=sales"),
    ("rotate", "Replace a service token by a new one, and print it.", "airflow --overlap-seconds=3600"),
    ("revoke", "Revoke a service token, and end its connections.", "airflow"),
)


class TokensCommand(CatalogCommand):
    """Manage the tokens of programs."""

    description = "List, create, rotate and revoke service tokens, by which programs use the catalog."

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the subcommands."""
        for verb, subparser in parser.add_subcommands(_VERBS):
            super().add_arguments(subparser)
            if verb != "list":
                name = subparser.add_argument("name", metavar="NAME", help="The name of the token.")
                if verb != "create":
                    set_completer(name, complete_service_tokens)
            if verb == "create":
                _add_rights_options(subparser)
            if verb in ("create", "rotate"):
                subparser.add_argument(
                    "--expires-in-days",
                    type=build_integer_type(1),
                    metavar="DAYS",
                    help="For how many days the token is valid. Default: 90, or as long as the rotated one.",
                )
            if verb == "rotate":
                subparser.add_argument(
                    "--overlap-seconds",
                    type=build_integer_type(0),
                    default=0,
                    metavar="SECONDS",
                    help="For how long the earlier token is still accepted. Default: 0.",
                )

    def run(self) -> int:
        """Run the subcommand."""
        run = {"list": self._list, "create": self._create, "rotate": self._rotate, "revoke": self._revoke}
        return run[self.args.verb]()

    def _list(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.list_service_tokens()
        rows = [
            (
                token["name"],
                ", ".join(token["scopes"]),
                "all" if token["namespaces"] is None else ", ".join(token["namespaces"]),
                token["expires"],
                token["lastUsed"] or "never",
            )
            for token in document["serviceTokens"]
        ]
        self.print_result(document, str(build_table_page(rows, *_COLUMNS, empty="No tokens.")))
        return EXIT_OK

    def _create(self) -> int:
        body: dict[str, Any] = {"name": self.args.name, "scopes": self.args.scopes or ["read"]}
        if self.args.namespaces:
            body["namespaces"] = self.args.namespaces
        with self.connect_to_catalog() as client:
            issued = client.create_service_token(body | self._read_days())
        return self._print_issued_token(issued)

    def _rotate(self) -> int:
        body = {"overlapSeconds": self.args.overlap_seconds} | self._read_days()
        with self.connect_to_catalog() as client:
            issued = client.rotate_service_token(self.args.name, body)
        return self._print_issued_token(issued)

    def _revoke(self) -> int:
        with self.connect_to_catalog() as client:
            document = client.revoke_service_token(self.args.name)
        self.print_result(document, f"Service token {self.args.name} revoked.")
        return EXIT_OK

    def _read_days(self) -> dict[str, int]:
        return {} if self.args.expires_in_days is None else {"expiresInDays": self.args.expires_in_days}

    def _print_issued_token(self, issued: dict[str, Any]) -> int:
        # Only the token is on stdout, so that a script can store it.
        self.print_result(issued, issued["token"])
        return EXIT_OK


def _add_rights_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--scope",
        action="append",
        dest="scopes",
        choices=sorted(ALL_ACTIONS),
        help="What the token permits; may be repeated. Default: read.",
    )
    parser.add_argument(
        "--namespace",
        action="append",
        dest="namespaces",
        metavar="NAMESPACE",
        help="A namespace that the token gives access to; may be repeated. Default: all.",
    )
