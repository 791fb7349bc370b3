"""`jupyter colophon changes`: the change log, as it is or as it goes on."""

import json
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource, ChangesAsked
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces
from jupyter_colophon.cli.exit_status import EXIT_OK, EXIT_USAGE
from jupyter_colophon.cli.parser import Parser, complete_with, whole_number
from jupyter_colophon.core.changes.announcement import FORMS
from jupyter_colophon.core.display_text import printable

#: How long is waited for a change before it is asked again, in seconds.
_WAIT_S = 20


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
        with self.source() as source:
            if namespace:
                source.show(f"urn:li:namespace:{namespace}")
            self._list(source)
        return EXIT_OK

    def _list(self, source: CatalogSource) -> None:
        after, follows = self.args.after, self.args.follow
        if after is None:
            after = source.changes(self._asked(None), 0)[1] if follows else 0
        while True:
            found, cursor = source.changes(self._asked(after), _WAIT_S if follows else 0)
            for one in found:
                print(self._line(one), flush=follows)
            if cursor == after and not follows:
                return
            after = cursor

    def _asked(self, after: int | None) -> ChangesAsked:
        return ChangesAsked(after, self.args.namespace, self.args.format)

    def _line(self, one: Mapping[str, Any]) -> str:
        if self.json or self.args.format != FORMS[0]:
            return json.dumps(one, ensure_ascii=False)
        told = (one["seq"], one["time"], one["actor"], one["operation"], one["aspect"] or "-", one["urn"])
        return "   ".join(printable(str(one)) for one in told)
