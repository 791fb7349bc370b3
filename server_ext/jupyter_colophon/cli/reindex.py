"""`jupyter colophon reindex`."""

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser


class Reindex(Command):
    """Makes what is derived anew."""

    description = (
        "Bring search, counts, lists and lineage to what the catalog was told, in short steps beside running servers."
    )

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare what else is rebuilt."""
        parser.add_argument(
            "--namespaces",
            action="store_true",
            help="First move entities of other platforms to the namespaces of `namespace_rules`.",
        )

    def run(self) -> int:
        """Mend every difference."""
        with self.keeper() as keeper:
            moved = keeper.mover(self.settings.identity()).apply() if self.args.namespaces else None
            mended = keeper.checker().reindex()
        said = f"{mended} differences mended" if mended else "nothing differed"
        if moved is None:
            self.answer({"mended": mended}, said)
        else:
            self.answer({"moved": moved, "mended": mended}, f"{moved} entities moved, {said}")
        return EXIT_OK
