"""`jupyter colophon keys`: which properties and tags there are."""

from dataclasses import asdict

from traitlets import Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand
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
        kind, member = ("values", "value") if self.values else ("keys", "key")
        rows = [asdict(one) | {member: one.text} for one in found]
        text = self.page(kind, {kind: rows, "key": self.values, "prefix": self.prefix})
        self.answer({kind: [asdict(one) for one in found]}, text)
        return FINE
