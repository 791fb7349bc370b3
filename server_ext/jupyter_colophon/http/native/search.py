"""Search, keys and values."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import HistoryExpired, InvalidQuery
from jupyter_colophon.core.model.search_filters import FACETS, FILTERS
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.core.search.search import KeysQuestion, SearchAnswer, SearchQuestion, ValuesQuestion
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import documents
from jupyter_colophon.http.operation import Link, operation
from jupyter_colophon.operations.parameter import choice, text
from jupyter_colophon.operations.shared_parameters import AS_OF, CURSOR, LIMIT, NAMESPACE, PREFIX, REMOVED, SCOPE

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_Q = text(
    "q", "Words, phrases, `key:value`, prefixes, or `*`; one of them at least.", required=True, format="colophon-query"
)
_FACETS = text(
    "facets",
    "By what the matches are counted, with commas between; without it by all there is.",
    pattern=f"^(({'|'.join(FACETS)})(,|$))*$",
)
_FILTERS = tuple(
    choice(one.name, one.description, *one.choices) if one.choices else text(one.name, one.description)
    for one in FILTERS
)
_LABELS = {one.name: one.label for one in FILTERS}


class SearchHandler(ApiHandler):
    """`GET /search`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "search",
        takes=[_Q, *_FILTERS, REMOVED, _FACETS, LIMIT, CURSOR, AS_OF],
        answers="search-results",
        refuses=[HistoryExpired],
        links=[
            Link("readEntity", {"path.urn": "$response.body#/hits/0/urn"}),
            Link("readLineage", {"urn": "$response.body#/hits/0/urn"}),
        ],
    )
    async def get(self) -> None:
        """A page of hits with reasons and facets."""
        words, principal = self.asked(_Q), self.principal
        filters = tuple((one.name, value) for one in _FILTERS if (value := self.asked(one)))
        question = SearchQuestion(
            words,
            filters,
            self.asked(LIMIT),
            self.asked(CURSOR),
            self.asked(AS_OF),
            _facets(self.asked(_FACETS)),
            self.asked(REMOVED),
        )
        found = await self.hop(lambda catalog: catalog.searcher.search(question, principal))
        self.answer(_document(words, found))


class KeysHandler(ApiHandler):
    """`GET /keys`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listKeys",
        takes=[PREFIX, NAMESPACE, SCOPE, LIMIT, CURSOR, AS_OF],
        answers="keys",
        refuses=[HistoryExpired],
        links=[Link("listValues", {"key": "$response.body#/keys/0/key"})],
    )
    async def get(self) -> None:
        """Keys with the number of entities that carry them."""
        prefix, namespace, scope = self.asked(PREFIX), self.asked(NAMESPACE), self.asked(SCOPE)
        limit, cursor, principal, as_of = self.asked(LIMIT), self.asked(CURSOR), self.principal, self.asked(AS_OF)

        def work(catalog: "Catalog") -> dict[str, object]:
            cursors = catalog.searcher.cursors
            # A page of the past goes on with the moment of its first one: `now-1d` is later by then.
            start, time = cursors.read("keys", cursor) if cursor else (0, as_of)
            question = KeysQuestion(prefix, namespace, (scope,) if scope else (), as_of=time)
            found, cut = catalog.keys.keys(question, principal)
            keys = list(take_page((asdict(one) for one in found[int(start) : int(start) + limit]), measure))
            end = int(start) + len(keys)
            return {
                "keys": keys,
                "isLowerBound": cut,
                "cursor": cursors.write("keys", [end, time]) if end < len(found) else None,
            }

        self.answer(await self.hop(work))


class ValuesHandler(ApiHandler):
    """`GET /keys/{key}/values`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "listValues",
        takes=[PREFIX, NAMESPACE, SCOPE, LIMIT, CURSOR, AS_OF],
        answers="key-values",
        refuses=[HistoryExpired],
    )
    async def get(self, key: str) -> None:
        """Values of a key with the number of entities that say them."""
        prefix, namespace, scope = self.asked(PREFIX), self.asked(NAMESPACE), self.asked(SCOPE)
        limit, cursor, principal, as_of = self.asked(LIMIT), self.asked(CURSOR), self.principal, self.asked(AS_OF)

        def work(catalog: "Catalog") -> dict[str, object]:
            cursors = catalog.searcher.cursors
            # A page of the past goes on with the moment of its first one: `now-1d` is later by then.
            start, time = cursors.read("values", cursor) if cursor else (0, as_of)
            question = ValuesQuestion(key, prefix, namespace, (scope,) if scope else (), time)
            found, cut = catalog.keys.values(question, int(start) + limit + 1, principal)
            wanted = ({"value": value, "entities": count} for value, count in found[int(start) : int(start) + limit])
            values = list(take_page(wanted, measure))
            end = int(start) + len(values)
            return {
                "values": values,
                "isLowerBound": cut,
                "cursor": cursors.write("values", [end, time]) if len(found) > end else None,
            }

        self.answer(await self.hop(work))


def _facets(told: str) -> tuple[str, ...]:
    """Those that are asked for; all where none is named. Raises InvalidQuery."""
    wanted = [name for name in told.split(",") if name]
    if unknown := [name for name in wanted if name not in FACETS]:
        raise InvalidQuery(f"there is no facet {unknown[0]!r}, but {', '.join(FACETS)}", "facets")
    return tuple(name for name in FACETS if name in wanted) if wanted else FACETS


def _document(words: str, found: SearchAnswer) -> documents.Document:
    return {
        "query": words,
        "hits": [documents.hit(one) for one in found.hits],
        "total": found.total,
        "isLowerBound": found.at_least,
        "ranked": found.ranked,
        "facets": {
            name: [_facet_value(value, count, found.names.get(name, {})) for value, count in counts]
            for name, counts in found.facets.items()
        },
        "labels": {name: _LABELS[name] for name in found.facets},
        "cursor": found.cursor,
    }


def _facet_value(value: str, count: int, names: Mapping[str, str]) -> documents.Document:
    """A value of a facet, with the name of what it refers to where that is another one."""
    return {"value": value, "count": count} | ({"name": names[value]} if value in names else {})


ROUTES = [
    ("/search", SearchHandler),
    ("/keys", KeysHandler),
    ("/keys/{key}/values", ValuesHandler),
]
