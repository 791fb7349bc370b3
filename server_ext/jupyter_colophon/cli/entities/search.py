"""`jupyter colophon search [WORD…] [--tag=TAG …]`."""

from dataclasses import asdict
from typing import Any

from traitlets import Bool, CaselessStrEnum, Int, Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.command import FINE, WRONG_USAGE
from jupyter_colophon.core.model.search_filters import FILTERS, SearchFilter


def _option(one: SearchFilter) -> Any:
    if one.choices:
        return CaselessStrEnum(("", *one.choices), "", config=True, help=one.description)
    return Unicode("", config=True, help=one.description)


#: A command with an option for each filter of search.
_Filtered: Any = type("_Filtered", (CatalogCommand,), {one.name: _option(one) for one in FILTERS})


class Search(_Filtered):  # type: ignore[misc]
    """Searches the catalog."""

    name = "jupyter-colophon-search"
    description = "Search entities: words, key:value, prefixes with *; by filters alone too."
    more = "WORD"
    needs_more = False
    aliases = CatalogCommand.aliases | {one.name: f"Search.{one.name}" for one in FILTERS} | {"limit": "Search.limit"}

    flags = CatalogCommand.flags | {"removed": ({"Search": {"removed": True}}, "Also what was softly deleted.")}

    removed = Bool(False, config=True, help="Also what was softly deleted.")
    limit = Int(20, min=1, max=500, config=True, help="How many at most.")

    def work(self) -> int:
        """Search."""
        filters = {one.name: value for one in FILTERS if (value := getattr(self, one.name))}
        if not self.extra_args and not filters:
            self.told("a search needs words or a filter; '*' finds everything", WRONG_USAGE)
            return WRONG_USAGE
        query = " ".join(self.extra_args) or "*"
        with self.source() as source:
            found = source.search(query, filters, self.limit, removed=self.removed)
        document: dict[str, Any] = {"total": found.total, "hits": [asdict(one) for one in found.lines]}
        hits = [{**hit, "owner": None, "matches": ()} for hit in document["hits"]]
        self.answer(document, self.page("search", {**document, "query": query, "isLowerBound": False, "hits": hits}))
        return FINE
