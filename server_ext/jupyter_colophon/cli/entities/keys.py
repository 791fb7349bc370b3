"""`jupyter colophon keys`: which properties and tags there are."""

from dataclasses import asdict

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_keys
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, complete_with


class Keys(CatalogCommand):
    """Lists keys, or the values of one."""

    description = "List properties and tags that entities carry, or with --values=KEY what is said under a key."

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
        with self.source() as source:
            found = source.values(key, prefix) if key else source.keys(prefix)
        kind, member = ("values", "value") if key else ("keys", "key")
        rows = [asdict(one) | {member: one.text} for one in found]
        text = self.page(kind, {kind: rows, "key": key, "prefix": prefix})
        self.answer({kind: [asdict(one) for one in found]}, text)
        return EXIT_OK
