"""`jupyter colophon changes`: list the change log, or follow it."""

import json
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.cli.catalog.client import CatalogClient
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK, EXIT_USAGE
from jupyter_colophon.cli.parser import CommandParser, build_integer_type, set_completer
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.changes.change_formatter import FORMS
from jupyter_colophon.core.display_text import escape_control_characters

#: How long a request waits for changes, in seconds.
_WAIT_S = 20
#: Time for the server to answer beyond that wait, in seconds.
_ANSWER_TIMEOUT_S = 10
_PAGE = 500


class ChangesCommand(CatalogCommand):
    """List changes, one per line."""

    description = "List changes, oldest first. With --follow, print new changes as they happen."
    examples = ("--after=1000", "--namespace=sales --follow")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare which changes are listed, and their format."""
        super().add_arguments(parser)
        parser.add_argument(
            "--after", type=build_integer_type(0), metavar="N", help="Only changes after the one with this number."
        )
        namespace = parser.add_argument(
            "--namespace", default="", metavar="NAME", help="Only changes in this namespace."
        )
        set_completer(namespace, complete_namespaces)
        parser.add_argument(
            "--format",
            choices=FORMS,
            default=FORMS[0],
            help="record: metadata change records of a namespace; audit: its audit messages; one JSON object a line.",
        )
        parser.add_argument("--follow", action="store_true", help="Keep following new changes.")

    def run(self) -> int:
        """List the changes."""
        form, namespace = self.args.format, self.args.namespace
        if form != FORMS[0] and not namespace:
            return self.print_error_and_get_status(f"--format={form} requires --namespace=NAME", EXIT_USAGE)
        with self.connect_to_catalog() as client:
            if namespace:
                client.read_entity(f"urn:li:namespace:{namespace}", aspects="status")
            self._print_changes_and_follow(client)
        return EXIT_OK

    def _print_changes_and_follow(self, client: CatalogClient) -> None:
        after, follows = self.args.after, self.args.follow
        if after is None:
            after = self._read_page(client, None, 0, 0)["cursor"] if follows else 0
        while True:
            page = self._read_page(client, after, _PAGE, _WAIT_S if follows else 0)
            for change in page["changes"]:
                print(self._format_change(change), flush=follows)
            if page["cursor"] == after and not follows:
                return
            after = page["cursor"]

    def _read_page(self, client: CatalogClient, after: int | None, limit: int, wait_s: int) -> Document:
        """Return a page of changes in the chosen format."""
        form, namespace = self.args.format, self.args.namespace
        timeout_s, wait_seconds = wait_s + _ANSWER_TIMEOUT_S, wait_s or None
        if form == FORMS[0]:
            return client.read_changes(
                after=after, limit=limit, wait_seconds=wait_seconds, namespace=namespace or None, timeout_s=timeout_s
            )
        return client.v3.read_changes(
            namespace, after=after, limit=limit, wait_seconds=wait_seconds, format=form, timeout_s=timeout_s
        )

    def _format_change(self, change: Mapping[str, Any]) -> str:
        if self.json or self.args.format != FORMS[0]:
            return json.dumps(change, ensure_ascii=False)
        members = ("seq", "time", "actor", "operation", "urn", "summary")
        return "   ".join(escape_control_characters(str(change[name] or "-")) for name in members)
