"""`jupyter colophon reindex`."""

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser


class Reindex(Command):
    """Derives search, counts and lineage again."""

    description = (
        "Rebuild search, counts, lists and lineage from the stored aspects, in short steps beside running servers."
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
        summary = f"{mended} differences mended" if mended else "nothing differed"
        if moved is None:
            self.answer({"mended": mended}, summary)
        else:
            self.answer({"moved": moved, "mended": mended}, f"{moved} entities moved, {summary}")
        return EXIT_OK
