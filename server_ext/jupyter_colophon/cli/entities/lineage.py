"""`jupyter colophon lineage ENTITY`: what made it, and what was made of it."""

import time

from traitlets import Enum, Int, Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage import graph
from jupyter_colophon.core.time_format import parse_time
from jupyter_colophon.operations.native import lineage_documents

_DIRECTIONS = ("both", "upstream", "downstream", "undirected")


class Lineage(CatalogCommand):
    """Shows the lineage of data or of a program."""

    name = "jupyter-colophon-lineage"
    description = "Show what made an entity, and what was made of it: a table's name, the path of a file (from / or ./), or a URN."
    arguments = ("ENTITY",)
    aliases = CatalogCommand.aliases | {
        "levels": "Lineage.levels",
        "direction": "Lineage.direction",
        "start": "Lineage.since",
        "end": "Lineage.until",
        "as-of": "Lineage.as_of",
        "limit": "Lineage.limit",
    }

    levels = Int(1, min=1, max=graph.MAX_LEVELS, config=True, help="How far: data, programs and their other data.")
    direction = Enum(_DIRECTIONS, "both", config=True, help="On which side; undirected: all that is connected.")
    since = Unicode("", config=True, help="Of runs that were not over before this time: now-1d, 2026-11-20, …")
    until = Unicode("", config=True, help="Of runs that began before this time.")
    as_of = Unicode("", config=True, help="As the catalog knew it then.")
    limit = Int(graph.DEFAULT_RELATIONS, min=1, max=graph.MAX_RELATIONS, config=True, help="Relations at most.")

    def work(self) -> int:
        """Show it."""
        question = self._question()
        with self.source() as source:
            found = source.lineage(question)
        document = lineage_documents.asked(question) | lineage_documents.lineage(found)
        self.answer(document, self.page("lineage", document))
        return FINE

    def _question(self) -> graph.LineageQuestion:
        now = time.time_ns() // 1_000_000
        times = {"--start": self.since, "--end": self.until, "--as-of": self.as_of}
        start, end, as_of = (parse_time(told, now, option) if told else None for option, told in times.items())
        if start is not None and end is not None and start > end:
            raise InvalidQuery("is after --end", "--start")
        return graph.LineageQuestion(
            urn=Urn.parse(self.urn(self.extra_args[0])),
            direction=self.direction,  # type: ignore[arg-type]  # the trait takes no other word
            levels=self.levels,
            window=graph.Window(start, end),
            limit=self.limit,
            as_of=as_of,
        )
