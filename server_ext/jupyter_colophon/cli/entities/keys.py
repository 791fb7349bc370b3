"""`jupyter colophon keys`: which properties and tags there are."""

from dataclasses import asdict

from traitlets import Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand, table
from jupyter_colophon.cli.command import FINE


class Keys(CatalogCommand):
    """Lists keys, or the values of one."""

    name = "jupyter-colophon-keys"
    description = "List properties and tags that entities carry, or with --values=KEY what is said under a key."
    aliases = CatalogCommand.aliases | {"prefix": "Keys.prefix", "values": "Keys.values"}

    prefix = Unicode("", config=True, help="Those alone that begin so.")
    values = Unicode("", config=True, help="The values of this key.")

    def work(self) -> int:
        """List them."""
        with self.source() as source:
            found = source.values(self.values, self.prefix) if self.values else source.keys(self.prefix)
        if self.values:
            shown = table([(one.text, one.entities) for one in found], "Value", "Entities")
        else:
            rows = [(one.text, one.kind, one.scope, one.entities) for one in found]
            shown = table(rows, "Key", "Kind", "Scope", "Entities")
        document = {"values" if self.values else "keys": [asdict(one) for one in found]}
        self.answer(document, shown if found else "There is none.")
        return FINE
