"""`jupyter colophon search [WORD…] [--tag=TAG …]`."""

from typing import Any

from jupyter_colophon.cli.catalog.client import CatalogClient
from jupyter_colophon.cli.catalog.command import CatalogCommand
from jupyter_colophon.cli.catalog.completers import complete_namespaces, complete_tags
from jupyter_colophon.cli.exit_status import EXIT_OK, EXIT_USAGE
from jupyter_colophon.cli.parser import (
    CommandParser,
    build_choice_type,
    build_integer_type,
    format_choices,
    format_suggestion,
    set_completer,
)
from jupyter_colophon.client.api.missing_permissions import explain_missing_permissions
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_filters import FILTERS

#: Filters whose values are names of the catalog.
_COMPLETERS = {"namespace": complete_namespaces, "tag": complete_tags}


class SearchCommand(CatalogCommand):
    """Search the catalog."""

    description = "Search entities by words, key:value, prefixes with *, and filters."
    examples = ("orders", "owner:alice --type=dataset", "--tag=reviewed --limit=50")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the words, and an option for each filter of search."""
        super().add_arguments(parser)
        parser.add_argument("words", metavar="WORD", nargs="*", help="What to search for; * matches everything.")
        for filter_ in FILTERS:
            option = parser.add_argument(
                f"--{filter_.name}",
                choices=filter_.choices or None,
                type=build_choice_type(filter_.choices),
                help=filter_.description,
            )
            if filter_.name in _COMPLETERS:
                set_completer(option, _COMPLETERS[filter_.name])
        parser.add_argument("--removed", action="store_true", help="Include soft-deleted entities.")
        parser.add_argument("--limit", type=build_integer_type(1, 500), default=20, help="Maximum number of results.")

    def run(self) -> int:
        """Search, and print the results."""
        words = self.args.words
        filters = {each.name: value for each in FILTERS if (value := getattr(self.args, each.name))}
        if not words and not filters:
            return self.print_error_and_get_status("search needs words or a filter; '*' matches everything", EXIT_USAGE)
        query = " ".join(words) or "*"
        with self.connect_to_catalog() as client:
            if self.args.type:
                _require_entity_type(client, self.args.type)
            result = client.search(query, **filters, limit=self.args.limit, include_removed=self.args.removed or None)
            notice = "" if result["hits"] else explain_missing_permissions(client)
        columns = {
            "urn": "",
            "type": "",
            "namespace": "",
            "name": "",
            "description": "",
            "tags": (),
            "displayName": None,
        }
        hits = [{name: hit.get(name, default) for name, default in columns.items()} for hit in result["hits"]]
        document: dict[str, Any] = {"total": result["total"], "hits": hits}
        shown_hits = [{**hit, "owner": None, "matches": ()} for hit in hits]
        displayed = {**document, "query": query, "isLowerBound": False, "hits": shown_hits, "notice": notice}
        self.print_result(document, self.render_document("search", displayed))
        return EXIT_OK


def _require_entity_type(client: CatalogClient, name: str) -> None:
    """Raise InvalidQuery if the registry has no entity type of this name."""
    types = [each["type"] for each in client.list_entity_types()["types"]]
    if name not in types:
        raise InvalidQuery(
            f"unknown entity type {name!r}{format_suggestion(name, types) or format_choices(types)}", "--type"
        )
