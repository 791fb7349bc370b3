"""`jupyter colophon reindex`."""

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.core.display_text import format_count_with_noun


class ReindexCommand(CliCommand):
    """Rebuild derived data: search, counts and lineage."""

    description = (
        "Rebuild search, counts, lists and lineage from the stored aspects. Servers may run meanwhile: the transactions"
        " are short."
    )
    examples = ("", "--namespaces")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the option `--namespaces`."""
        parser.add_argument(
            "--namespaces",
            action="store_true",
            help="First move entities of other platforms to the namespaces that the setting `namespace_rules` gives them.",
        )

    def run(self) -> int:
        """Repair every difference between derived data and the stored aspects."""
        with self.open_maintenance() as maintenance:
            moved = (
                maintenance.create_namespace_mover(self.settings.build_identity()).move_misplaced_entities()
                if self.args.namespaces
                else None
            )
            repaired = maintenance.create_integrity_checker().rebuild_derived_rows()
        summary = f"{format_count_with_noun(repaired, 'difference')} repaired" if repaired else "no differences found"
        if moved is None:
            self.print_result({"repaired": repaired}, summary)
        else:
            self.print_result({"moved": moved, "repaired": repaired}, f"{moved} entities moved, {summary}")
        return EXIT_OK
