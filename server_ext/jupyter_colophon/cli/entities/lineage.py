"""`jupyter colophon lineage ENTITY`: what made it, and what was made of it."""

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import Parser, complete_with, whole_number
from jupyter_colophon.core.lineage import graph

_DIRECTIONS = ("both", "upstream", "downstream", "undirected")


class Lineage(CatalogCommand):
    """Shows the lineage of data or of a program."""

    description = "Show what made an entity, and what was made of it."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the entity, and how much of its lineage is shown."""
        super().add_arguments(parser)
        complete_with(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)
        levels = whole_number(1, graph.MAX_LEVELS)
        parser.add_argument(
            "--levels", type=levels, default=1, help="Number of hops: from data through a program to other data."
        )
        parser.add_argument(
            "--direction", choices=_DIRECTIONS, default="both", help="Which side; undirected: all that is connected."
        )
        parser.add_argument(
            "--start",
            default="",
            metavar="TIME",
            help="Without runs that ended before this time: now-1d, 2026-11-20, …",
        )
        parser.add_argument("--end", default="", metavar="TIME", help="Without runs that began at this time or later.")
        parser.add_argument("--as-of", default="", metavar="TIME", help="As the catalog knew it at this time.")
        relations = whole_number(1, graph.MAX_RELATIONS)
        parser.add_argument(
            "--limit", type=relations, default=graph.DEFAULT_RELATIONS, help="Maximum number of relations."
        )

    def run(self) -> int:
        """Show it."""
        args = self.args
        times = self.times("start", "end", "as_of")
        with self.client() as client:
            document = client.read_lineage(
                self.urn(args.entity), direction=args.direction, levels=args.levels, limit=args.limit, **times
            )
        self.answer(document, self.page("lineage", document))
        return EXIT_OK
