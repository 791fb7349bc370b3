"""Search, keys and values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from jupyter_colophon.core.documents.codec import to_document
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.errors import HistoryExpired, InvalidQuery
from jupyter_colophon.core.model.search_filters import FACETS, FILTERS
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.core.search.search import KeysQuestion, SearchAnswer, SearchQuestion, ValuesQuestion
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import Link, operation
from jupyter_colophon.operations.parameter import choice, text
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import AS_OF, CURSOR, LIMIT, NAMESPACE, PREFIX, REMOVED, SCOPE

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_Q = text(
    "q",
    "The query: at least one word, phrase, `key:value` pair or prefix, or `*`.",
    required=True,
    format="colophon-query",
)
_FACETS = text(
    "facets",
    "Comma-separated facets to count the matches by; by default, all facets.",
    pattern=f"^(({'|'.join(FACETS)})(,|$))*$",
)
_FILTERS = tuple(
    choice(one.name, one.description, *one.choices) if one.choices else text(one.name, one.description)
    for one in FILTERS
)
_LABELS = {one.name: one.label for one in FILTERS}


@operation(
    "search",
    "GET /search",
    parameters=[_Q, *_FILTERS, REMOVED, _FACETS, LIMIT, CURSOR, AS_OF],
    answers="search-results",
    errors=[HistoryExpired],
    links=[
        Link("readEntity", {"path.urn": "$response.body#/hits/0/urn"}),
        Link("readLineage", {"urn": "$response.body#/hits/0/urn"}),
    ],
)
def search(services: Services, request: Request) -> Document:
    """Search entities; each hit states why it matched, and matches are counted by facet."""
    question = SearchQuestion(
        request[_Q],
        tuple((one.name, value) for one in _FILTERS if (value := request[one])),
        request[LIMIT],
        request[CURSOR],
        request[AS_OF],
        _facets(request[_FACETS]),
        request[REMOVED],
    )
    return _document(request[_Q], services.catalog().searcher.search(question, request.principal))


@operation(
    "listKeys",
    "GET /keys",
    parameters=[PREFIX, NAMESPACE, SCOPE, LIMIT, CURSOR, AS_OF],
    answers="keys",
    errors=[HistoryExpired],
    links=[Link("listValues", {"key": "$response.body#/keys/0/key"})],
)
def list_keys(services: Services, request: Request) -> Document:
    """List metadata keys with the number of entities that have them."""
    catalog, limit = services.catalog(), request[LIMIT]
    start, time = _position(catalog, "keys", request)
    question = KeysQuestion(request[PREFIX], request[NAMESPACE], _scopes(request), as_of=time)
    found, is_lower_bound = catalog.keys.keys(question, request.principal)
    keys = list(take_page((to_document(one) for one in found[start : start + limit]), measure))
    end = start + len(keys)
    return {
        "keys": keys,
        "isLowerBound": is_lower_bound,
        "cursor": catalog.searcher.cursors.write("keys", [end, time]) if end < len(found) else None,
    }


@operation(
    "listValues",
    "GET /keys/{key}/values",
    parameters=[PREFIX, NAMESPACE, SCOPE, LIMIT, CURSOR, AS_OF],
    answers="key-values",
    errors=[HistoryExpired],
)
def list_values(services: Services, request: Request) -> Document:
    """List the values of a metadata key with the number of entities that have them."""
    catalog, limit = services.catalog(), request[LIMIT]
    start, time = _position(catalog, "values", request)
    question = ValuesQuestion(request.path["key"], request[PREFIX], request[NAMESPACE], _scopes(request), time)
    found, is_lower_bound = catalog.keys.values(question, start + limit + 1, request.principal)
    rows = ({"value": value, "entities": count} for value, count in found[start : start + limit])
    values = list(take_page(rows, measure))
    end = start + len(values)
    return {
        "values": values,
        "isLowerBound": is_lower_bound,
        "cursor": catalog.searcher.cursors.write("values", [end, time]) if end < len(found) else None,
    }


def _position(catalog: "Catalog", kind: str, request: Request) -> tuple[int, int | None]:
    """Return where the page begins, and of which time it is.

    A page of the past goes on with the time of its first one: `now-1d` is later by then.
    """
    if not request[CURSOR]:
        return 0, request[AS_OF]
    start, time = catalog.searcher.cursors.read(kind, request[CURSOR])
    return int(start), time


def _scopes(request: Request) -> tuple[str, ...]:
    return (request[SCOPE],) if request[SCOPE] else ()


def _facets(names: str) -> tuple[str, ...]:
    """Those that are asked for; all where none is named. Raises InvalidQuery."""
    wanted = [name for name in names.split(",") if name]
    if unknown := [name for name in wanted if name not in FACETS]:
        raise InvalidQuery(f"there is no facet {unknown[0]!r}, but {', '.join(FACETS)}", "facets")
    return tuple(name for name in FACETS if name in wanted) if wanted else FACETS


def _document(words: str, found: SearchAnswer) -> Document:
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


def _facet_value(value: str, count: int, names: Mapping[str, str]) -> Document:
    """A value of a facet, with the name of what it refers to where that is another one."""
    return {"value": value, "count": count} | ({"name": names[value]} if value in names else {})
