"""`jupyter colophon set ENTITY KEY=VALUE…`."""

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets, complete_pairs
from jupyter_colophon.cli.parser import Parser, complete_with, key_value
from jupyter_colophon.core.entities.annotation import Annotation


class Set(CatalogCommand):
    """Sets properties of an entity."""

    description = "Set properties of an entity."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the entity and the properties."""
        super().add_arguments(parser)
        complete_with(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)
        pairs = parser.add_argument(
            "properties", metavar="KEY=VALUE", nargs="+", type=key_value, help="A key and its value."
        )
        complete_with(pairs, complete_pairs)

    def run(self) -> int:
        """Set them."""
        return self.annotate(self.args.entity, Annotation(dict(self.args.properties)))
