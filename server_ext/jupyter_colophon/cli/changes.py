"""`jupyter colophon changes`: the change log, as it is or as it goes on."""

import json
from collections.abc import Mapping
from typing import Any

from traitlets import Bool, Enum, Int, Unicode

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource, ChangesAsked
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE, WRONG_USAGE
from jupyter_colophon.core.changes.announcement import FORMS
from jupyter_colophon.core.display_text import printable

#: How long is waited for a change before it is asked again, in seconds.
_WAIT_S = 20


class Changes(CatalogCommand):
    """Lists changes, a line each."""

    name = "jupyter-colophon-changes"
    description = "List changes, oldest first; with --follow, go on with those that come, and begin there."
    aliases = CatalogCommand.aliases | {
        "after": "Changes.after",
        "namespace": "Changes.namespace",
        "format": "Changes.format",
    }
    flags = CatalogCommand.flags | {"follow": ({"Changes": {"follow": True}}, "Go on with what comes.")}

    after = Int(None, allow_none=True, min=0, config=True, help="After the change with this number.")
    namespace = Unicode("", config=True, help="Of this namespace alone.")
    format = Enum(
        FORMS,
        FORMS[0],
        config=True,
        help="`record`: metadata change records of a namespace; `audit`: its audit messages; one JSON object a line.",
    )
    follow = Bool(False, config=True, help="Go on with what comes.")

    def work(self) -> int:
        """List them."""
        if self.format != FORMS[0] and not self.namespace:
            return self.told(f"--format={self.format} is for one namespace: say --namespace=NAME", WRONG_USAGE)
        with self.source() as source:
            if self.namespace:
                source.show(f"urn:li:namespace:{self.namespace}")
            self._list(source)
        return FINE

    def _list(self, source: CatalogSource) -> None:
        after = self.after
        if after is None:
            after = source.changes(self._asked(None), 0)[1] if self.follow else 0
        while True:
            found, cursor = source.changes(self._asked(after), _WAIT_S if self.follow else 0)
            for one in found:
                print(self._line(one), flush=self.follow)
            if cursor == after and not self.follow:
                return
            after = cursor

    def _asked(self, after: int | None) -> ChangesAsked:
        return ChangesAsked(after, self.namespace, self.format)

    def _line(self, one: Mapping[str, Any]) -> str:
        if self.json or self.format != FORMS[0]:
            return json.dumps(one, ensure_ascii=False)
        told = (one["seq"], one["time"], one["actor"], one["operation"], one["aspect"] or "-", one["urn"])
        return "   ".join(printable(str(one)) for one in told)
