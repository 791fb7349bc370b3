"""`jupyter colophon keys`: which properties and tags there are."""

from functools import partial

from jupyter_colophon.cli.catalog.client import collect_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_keys
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, complete_with


class Keys(CatalogCommand):
    """Lists keys, or the values of one."""

    description = "List properties and tags that entities carry, or with --values=KEY the values of a key."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare which are listed."""
        super().add_arguments(parser)
        prefix = parser.add_argument("--prefix", default="", help="Only those with this prefix.")
        values = parser.add_argument("--values", default="", metavar="KEY", help="List the values of this key.")
        for action in (prefix, values):
            complete_with(action, complete_keys)

    def run(self) -> int:
        """List them."""
        key, prefix = self.args.values, self.args.prefix
        kind, member = ("values", "value") if key else ("keys", "key")
        with self.client() as client:
            list_page = partial(client.list_values, key) if key else client.list_keys
            rows = collect_pages(partial(list_page, prefix=prefix or None), kind)
        text = self.page(kind, {kind: rows, "key": key, "prefix": prefix})
        found = [
            {
                "text": one[member],
                "entities": one["entities"],
                "kind": one.get("kind", ""),
                "scope": one.get("scope", ""),
            }
            for one in rows
        ]
        self.answer({kind: found}, text)
        return EXIT_OK
