"""`jupyter colophon compact`."""

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_integer_type


class CompactCommand(CliCommand):
    """Remove old changes, and free space."""

    description = (
        "Remove changes older than `change_log_retention_days` (default 0: keep all) from the change log, and return"
        " unused space to the file system."
    )
    examples = ("--days=90",)

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the retention time."""
        parser.add_argument(
            "--days",
            type=build_integer_type(0),
            help="Retention time in days. Default: the setting `change_log_retention_days`.",
        )

    def run(self) -> int:
        """Remove changes, then free space. Clients that read on from a removed change get 410."""
        days = self.args.days
        with self.open_maintenance() as maintenance:
            removed, freed = maintenance.delete_old_changes_and_reclaim_space(
                self.settings.change_log_retention_days if days is None else days
            )
        self.print_result({"removed": removed, "freed": freed}, f"{removed} changes removed, {freed} bytes freed")
        return EXIT_OK
