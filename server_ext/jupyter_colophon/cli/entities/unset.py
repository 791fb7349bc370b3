"""`jupyter colophon unset ENTITY KEY…`."""

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets, complete_keys
from jupyter_colophon.cli.parser import CommandParser, set_completer
from jupyter_colophon.core.entities.annotation import MetadataAnnotation


class UnsetCommand(CatalogCommand):
    """Remove properties of an entity."""

    description = "Remove properties of an entity."
    examples = ("sales.orders refresh",)

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the entity and the keys."""
        super().add_arguments(parser)
        set_completer(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)
        set_completer(parser.add_argument("keys", metavar="KEY", nargs="+", help="A key."), complete_keys)

    def run(self) -> int:
        """Remove the properties."""
        return self.annotate_and_print(
            self.args.entity, MetadataAnnotation(without_properties=frozenset(self.args.keys))
        )
