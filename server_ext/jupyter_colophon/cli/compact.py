"""`jupyter colophon compact`."""

from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, whole_number


class Compact(Command):
    """Makes the store smaller."""

    description = (
        "Remove changes older than `change_log_retention_days` (0, the default: none), and give unused space back."
    )

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the age of changes."""
        parser.add_argument("--days", type=whole_number(0), help="Instead of `change_log_retention_days`.")

    def run(self) -> int:
        """Remove changes, then return space. Clients that read from before then get 410."""
        days = self.args.days
        with self.keeper() as keeper:
            removed, freed = keeper.compact(self.settings.change_log_retention_days if days is None else days)
        self.answer({"removed": removed, "freed": freed}, f"{removed} changes removed, {freed} bytes given back")
        return EXIT_OK
