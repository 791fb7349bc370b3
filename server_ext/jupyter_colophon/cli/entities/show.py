"""`jupyter colophon show ENTITY`: what people and machines say of it."""

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.parser import Parser, complete_with


class Show(CatalogCommand):
    """Shows one entity."""

    description = "Show what people and machines say of an entity."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the entity."""
        super().add_arguments(parser)
        complete_with(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)

    def run(self) -> int:
        """Show it."""
        return self.show(self.urn(self.args.entity))
