"""`jupyter colophon search [WORD…] [--tag=TAG …]`."""

from typing import Any

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces, complete_tags
from jupyter_colophon.cli.exit_status import EXIT_OK, EXIT_USAGE
from jupyter_colophon.cli.parser import Parser, complete_with, ignoring_case, whole_number
from jupyter_colophon.core.model.search_filters import FILTERS

#: Filters whose values are names of the catalog.
_COMPLETERS = {"namespace": complete_namespaces, "tag": complete_tags}


class Search(CatalogCommand):
    """Searches the catalog."""

    description = "Search entities: words, key:value, prefixes with *; by filters alone too."

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the words, and an option for each filter of search."""
        super().add_arguments(parser)
        parser.add_argument("words", metavar="WORD", nargs="*", help="What is searched; * finds everything.")
        for one in FILTERS:
            choices = one.choices or None
            option = parser.add_argument(
                f"--{one.name}", choices=choices, type=ignoring_case(one.choices), help=one.description
            )
            if one.name in _COMPLETERS:
                complete_with(option, _COMPLETERS[one.name])
        parser.add_argument("--removed", action="store_true", help="Also what was softly deleted.")
        parser.add_argument("--limit", type=whole_number(1, 500), default=20, help="Maximum number of results.")

    def run(self) -> int:
        """Search."""
        words = self.args.words
        filters = {one.name: value for one in FILTERS if (value := getattr(self.args, one.name))}
        if not words and not filters:
            return self.fail("a search needs words or a filter; '*' finds everything", EXIT_USAGE)
        query = " ".join(words) or "*"
        with self.client() as client:
            found = client.search(query, **filters, limit=self.args.limit, include_removed=self.args.removed or None)
        columns = {"urn": "", "type": "", "namespace": "", "name": "", "description": "", "tags": ()}
        listed = [{name: one.get(name, default) for name, default in columns.items()} for one in found["hits"]]
        document: dict[str, Any] = {"total": found["total"], "hits": listed}
        hits = [{**hit, "owner": None, "matches": ()} for hit in listed]
        self.answer(document, self.page("search", {**document, "query": query, "isLowerBound": False, "hits": hits}))
        return EXIT_OK
