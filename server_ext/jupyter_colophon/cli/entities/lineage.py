"""`jupyter colophon lineage ENTITY`: its upstream and downstream lineage."""

import json

from jupyter_colophon.cli.catalog.command import ENTITY_HELP, CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_datasets
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, build_integer_type, set_completer
from jupyter_colophon.client.run_events import iterate_run_events, list_runs_of_edges
from jupyter_colophon.core.lineage import graph

_FORMATS = ("tree", "openlineage")
_DIRECTIONS = ("both", "upstream", "downstream", "undirected")


class LineageCommand(CatalogCommand):
    """Show the lineage of a dataset or a program."""

    description = "Show the upstream and downstream lineage of an entity as trees."
    examples = (
        "sales.orders",
        "sales.orders --direction=upstream --levels=3 --start=now-7d",
        "sales.orders --levels=20 --format=openlineage",
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the entity, and the extent of its lineage."""
        super().add_arguments(parser)
        set_completer(parser.add_argument("entity", metavar="ENTITY", help=ENTITY_HELP), complete_datasets)
        levels = build_integer_type(1, graph.MAX_LEVELS)
        parser.add_argument(
            "--levels", type=levels, default=1, help="Number of hops: from data through a program to other data."
        )
        parser.add_argument(
            "--direction",
            choices=_DIRECTIONS,
            default="both",
            help="The direction; undirected: every connected entity.",
        )
        parser.add_argument(
            "--start",
            default="",
            metavar="TIME",
            help="Omit runs that ended before this time, such as now-1d or 2026-11-20.",
        )
        parser.add_argument("--end", default="", metavar="TIME", help="Omit runs that began at this time or later.")
        parser.add_argument("--as-of", default="", metavar="TIME", help="The lineage as recorded at this time.")
        relations = build_integer_type(1, graph.MAX_RELATIONS)
        parser.add_argument(
            "--limit", type=relations, default=graph.DEFAULT_RELATIONS, help="Maximum number of relations."
        )

        parser.add_argument(
            "--format",
            choices=_FORMATS,
            default="tree",
            help="openlineage: the runs on the edges as events of OpenLineage, one a line.",
        )

    def run(self) -> int:
        """Show the lineage."""
        args = self.args
        times = self.parse_time_options("start", "end", "as_of")
        with self.connect_to_catalog() as client:
            document = client.read_lineage(
                self.resolve_urn(args.entity), direction=args.direction, levels=args.levels, limit=args.limit, **times
            )
            if args.format == "openlineage":
                for event in iterate_run_events(client, list_runs_of_edges(document["edges"])):
                    print(json.dumps(event, ensure_ascii=False))
                return EXIT_OK
        self.print_result(document, self.render_document("lineage", document))
        return EXIT_OK
