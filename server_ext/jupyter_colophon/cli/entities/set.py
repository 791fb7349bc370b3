"""`jupyter colophon set ENTITY KEY=VALUE…`."""

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets, complete_pairs
from jupyter_colophon.cli.parser import CommandParser, parse_key_value, set_completer
from jupyter_colophon.core.entities.annotation import MetadataAnnotation


class SetCommand(CatalogCommand):
    """Set properties of an entity."""

    description = "Set properties of an entity."
    examples = ("sales.orders owner=alice refresh=daily",)

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the entity and the properties."""
        super().add_arguments(parser)
        set_completer(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)
        pairs = parser.add_argument(
            "properties", metavar="KEY=VALUE", nargs="+", type=parse_key_value, help="A key and its value."
        )
        set_completer(pairs, complete_pairs)

    def run(self) -> int:
        """Set the properties."""
        return self.annotate_and_print(self.args.entity, MetadataAnnotation(dict(self.args.properties)))
