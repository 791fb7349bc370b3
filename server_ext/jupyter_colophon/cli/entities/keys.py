"""`jupyter colophon keys`: properties and tags in use."""

from functools import partial

from jupyter_colophon.cli.catalog.client import read_all_pages
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_keys
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, set_completer


class KeysCommand(CatalogCommand):
    """List keys, or the values of a key."""

    description = "List properties and tags that entities have, or with --values=KEY the values of a key."
    examples = ("", "--prefix=own", "--values=owner")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the prefix and the key."""
        super().add_arguments(parser)
        prefix = parser.add_argument("--prefix", default="", help="Only those with this prefix.")
        values = parser.add_argument("--values", default="", metavar="KEY", help="List the values of this key.")
        for action in (prefix, values):
            set_completer(action, complete_keys)

    def run(self) -> int:
        """List keys or values."""
        key, prefix = self.args.values, self.args.prefix
        kind, member = ("values", "value") if key else ("keys", "key")
        with self.connect_to_catalog() as client:
            list_page = partial(client.list_values, key) if key else client.list_keys
            rows = read_all_pages(partial(list_page, prefix=prefix or None), kind)
        text = self.render_document(kind, {kind: rows, "key": key, "prefix": prefix})
        documents = [
            {
                "text": row[member],
                "entities": row["entities"],
                "kind": row.get("kind", ""),
                "scope": row.get("scope", ""),
            }
            for row in rows
        ]
        self.print_result({kind: documents}, text)
        return EXIT_OK
