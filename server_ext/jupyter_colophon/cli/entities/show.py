"""`jupyter colophon show ENTITY`: its metadata."""

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.parser import CommandParser, set_completer


class ShowCommand(CatalogCommand):
    """Show an entity."""

    description = "Show the metadata of an entity: what users wrote (USER) and what programs recorded (SYSTEM)."
    examples = ("sales.orders", "./data/flights.csv")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the entity."""
        super().add_arguments(parser)
        set_completer(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)

    def run(self) -> int:
        """Show the entity."""
        return self.print_entity(self.resolve_urn(self.args.entity))
