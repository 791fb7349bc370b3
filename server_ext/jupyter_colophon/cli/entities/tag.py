"""`jupyter colophon tag [--remove] ENTITY TAG…`."""

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets, complete_tags
from jupyter_colophon.cli.parser import CommandParser, set_completer
from jupyter_colophon.core.entities.annotation import MetadataAnnotation


class TagCommand(CatalogCommand):
    """Add or remove tags."""

    description = "Add tags to an entity, or remove them."
    examples = ("sales.orders reviewed pii", "--remove sales.orders pii")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the entity and the tags."""
        super().add_arguments(parser)
        set_completer(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)
        set_completer(parser.add_argument("tags", metavar="TAG", nargs="+", help="A tag."), complete_tags)
        parser.add_argument("--remove", action="store_true", help="Remove the tags.")

    def run(self) -> int:
        """Add or remove the tags."""
        tags = self.args.tags
        change = (
            MetadataAnnotation(without_tags=frozenset(tags))
            if self.args.remove
            else MetadataAnnotation(tags=tuple(tags))
        )
        return self.annotate_and_print(self.args.entity, change)
