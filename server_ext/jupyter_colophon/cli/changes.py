"""`jupyter colophon changes`: the change log, as it is or as it goes on."""

import json
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.cli.catalog.client import CatalogClient
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK, EXIT_USAGE
from jupyter_colophon.cli.parser import Parser, complete_with, whole_number
from jupyter_colophon.client.caller import Document
from jupyter_colophon.core.changes.change_formatter import FORMS
from jupyter_colophon.core.display_text import printable

#: How long is waited for a change before it is asked again, in seconds.
_WAIT_S = 20
#: How much longer than it waits for changes a server has time to answer, in seconds.
_SPARE_S = 10
_PAGE = 500


class Changes(CatalogCommand):
    """Lists changes, a line each."""

    description = "List changes, oldest first; with --follow, go on with those that come, and begin there."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare which changes are listed, and how."""
        super().add_arguments(parser)
        parser.add_argument("--after", type=whole_number(0), metavar="N", help="After the change with this number.")
        namespace = parser.add_argument("--namespace", default="", metavar="NAME", help="Of this namespace only.")
        complete_with(namespace, complete_namespaces)
        parser.add_argument(
            "--format",
            choices=FORMS,
            default=FORMS[0],
            help="record: metadata change records of a namespace; audit: its audit messages; one JSON object a line.",
        )
        parser.add_argument("--follow", action="store_true", help="Keep following new changes.")

    def run(self) -> int:
        """List them."""
        form, namespace = self.args.format, self.args.namespace
        if form != FORMS[0] and not namespace:
            return self.fail(f"--format={form} is for one namespace: say --namespace=NAME", EXIT_USAGE)
        with self.client() as client:
            if namespace:
                client.read_entity(f"urn:li:namespace:{namespace}", aspects="status")
            self._list(client)
        return EXIT_OK

    def _list(self, client: CatalogClient) -> None:
        after, follows = self.args.after, self.args.follow
        if after is None:
            after = self._read(client, None, 0, 0)["cursor"] if follows else 0
        while True:
            page = self._read(client, after, _PAGE, _WAIT_S if follows else 0)
            for one in page["changes"]:
                print(self._line(one), flush=follows)
            if page["cursor"] == after and not follows:
                return
            after = page["cursor"]

    def _read(self, client: CatalogClient, after: int | None, limit: int, wait: int) -> Document:
        form, namespace, timeout_s = self.args.format, self.args.namespace, wait + _SPARE_S
        place: dict[str, Any] = {"after": after, "limit": limit, "wait_seconds": wait or None, "timeout_s": timeout_s}
        if form == FORMS[0]:
            return client.read_changes(namespace=namespace or None, **place)
        return client.read_namespace_changes(namespace, form=form, **place)

    def _line(self, one: Mapping[str, Any]) -> str:
        if self.json or self.args.format != FORMS[0]:
            return json.dumps(one, ensure_ascii=False)
        cells = (one["seq"], one["time"], one["actor"], one["operation"], one["aspect"] or "-", one["urn"])
        return "   ".join(printable(str(one)) for one in cells)
