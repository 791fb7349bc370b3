"""Search, keys and values."""

from typing import TYPE_CHECKING

from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.errors import HistoryExpired, InvalidQuery
from jupyter_colophon.core.model.search_filters import FACETS, FILTERS
from jupyter_colophon.core.read_budget import limit_items_to_page_bytes
from jupyter_colophon.core.search.search import SORTS, KeysRequest, SearchRequest, SearchResult, ValuesRequest
from jupyter_colophon.operations.native import documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import declare_choice, declare_flag, declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import AS_OF, CURSOR, LIMIT, NAMESPACE, PREFIX, REMOVED, SCOPE

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

_Q = declare_text(
    "q",
    "The query: at least one word, phrase, `key:value` pair or prefix, or `*`.",
    required=True,
    format="colophon-query",
)
_FACETS = declare_text(
    "facets",
    "Comma-separated facets to count the matches by; by default, all facets.",
    pattern=f"^(({'|'.join(FACETS)})(,|$))*$",
)
_SORT = declare_choice(
    "sort",
    "The order of hits: best first, by name, or the last changed first. Of more than 5,000 matches, the newest are sorted.",
    *SORTS,
    default="relevance",
)
_KIND = declare_choice("kind", "Return only keys of this kind.", "property", "tag", "field")
_VALUES = declare_flag("countValues", "Count the current values of each key, whatever `scope` and `asOf`; up to 1,000.")
_FILTERS = tuple(
    declare_choice(filter_.name, filter_.description, *filter_.choices)
    if filter_.choices
    else declare_text(filter_.name, filter_.description)
    for filter_ in FILTERS
)
_LABELS = {filter_.name: filter_.label for filter_ in FILTERS}


@declare_operation(
    "search",
    "GET /search",
    decided_by="entities",
    parameters=[_Q, *_FILTERS, REMOVED, _FACETS, _SORT, LIMIT, CURSOR, AS_OF],
    answers="search-results",
    errors=[HistoryExpired],
    links=[
        OperationLink("readEntity", {"path.urn": "$response.body#/hits/0/urn"}),
        OperationLink("readLineage", {"urn": "$response.body#/hits/0/urn"}),
    ],
)
def search_entities(services: ProcessServices, request: OperationRequest) -> Document:
    """Search entities; each hit states why it matched, and matches are counted by facet."""
    search_request = SearchRequest(
        request[_Q],
        tuple((filter_.name, value) for filter_ in _FILTERS if (value := request[filter_])),
        request[LIMIT],
        request[CURSOR],
        request[AS_OF],
        _parse_facet_names(request[_FACETS]),
        request[REMOVED],
        request[_SORT],
    )
    return _render_search_results(
        request[_Q], services.get_or_open_catalog().searcher.search_page_of_hits(search_request, request.principal)
    )


@declare_operation(
    "listKeys",
    "GET /keys",
    decided_by="entities",
    parameters=[PREFIX, NAMESPACE, SCOPE, _KIND, _VALUES, LIMIT, CURSOR, AS_OF],
    answers="keys",
    errors=[HistoryExpired],
    links=[OperationLink("listValues", {"key": "$response.body#/keys/0/key"})],
)
def list_metadata_keys(services: ProcessServices, request: OperationRequest) -> Document:
    """List metadata keys with the number of entities that have them."""
    catalog, limit = services.get_or_open_catalog(), request[LIMIT]
    start, time = _parse_offset_and_as_of(catalog, "keys", request)
    keys_request = KeysRequest(request[PREFIX], request[NAMESPACE], _parse_scopes(request), as_of=time)
    all_keys, is_lower_bound = catalog.keys.list_keys_with_counts(keys_request, request.principal)
    matching_keys = [key for key in all_keys if request[_KIND] in ("", key.kind)]
    keys = list(
        limit_items_to_page_bytes(
            (to_api_document(item) for item in matching_keys[start : start + limit]), measure_json_bytes
        )
    )
    end = start + len(keys)
    if request[_VALUES]:
        _add_value_totals(catalog, request, keys)
    return {
        "keys": keys,
        "isLowerBound": is_lower_bound,
        "cursor": catalog.searcher.cursors.encode_cursor("keys", [end, time]) if end < len(matching_keys) else None,
    }


@declare_operation(
    "listValues",
    "GET /keys/{key}/values",
    decided_by="entities",
    parameters=[PREFIX, NAMESPACE, SCOPE, LIMIT, CURSOR, AS_OF],
    answers="key-values",
    errors=[HistoryExpired],
)
def list_metadata_values(services: ProcessServices, request: OperationRequest) -> Document:
    """List the values of a metadata key with the number of entities that have them."""
    catalog, limit = services.get_or_open_catalog(), request[LIMIT]
    start, time = _parse_offset_and_as_of(catalog, "values", request)
    values_request = ValuesRequest(
        request.path["key"], request[PREFIX], request[NAMESPACE], _parse_scopes(request), time
    )
    matching_values, is_lower_bound = catalog.keys.list_values_with_counts(
        values_request, start + limit + 1, request.principal
    )
    rows = ({"value": value, "entities": count} for value, count in matching_values[start : start + limit])
    values = list(limit_items_to_page_bytes(rows, measure_json_bytes))
    end = start + len(values)
    return {
        "values": values,
        "isLowerBound": is_lower_bound,
        "cursor": catalog.searcher.cursors.encode_cursor("values", [end, time]) if end < len(matching_values) else None,
    }


def _add_value_totals(catalog: "Catalog", request: OperationRequest, keys: list[Document]) -> None:
    """Add the number of values to keys; a tag is a value itself, and has none."""
    names = sorted({key["key"] for key in keys if key["kind"] != "tag"})
    totals = catalog.keys.count_values_of_keys(names, request[NAMESPACE], request.principal)
    for key in keys:
        if key["kind"] != "tag":
            key["values"] = to_api_document(totals[key["key"]])


def _parse_offset_and_as_of(catalog: "Catalog", kind: str, request: OperationRequest) -> tuple[int, int | None]:
    """Return the offset of the page, and its `asOf` time.

    A later page uses the time of the first one: `now-1d` has moved on since then.
    """
    if not request[CURSOR]:
        return 0, request[AS_OF]
    start, time = catalog.searcher.cursors.decode_cursor(kind, request[CURSOR])
    return int(start), time


def _parse_scopes(request: OperationRequest) -> tuple[str, ...]:
    return (request[SCOPE],) if request[SCOPE] else ()


def _parse_facet_names(names: str) -> tuple[str, ...]:
    """Return the requested facets; all of them if none is named. Raises InvalidQuery."""
    expected = [name for name in names.split(",") if name]
    if unknown := [name for name in expected if name not in FACETS]:
        raise InvalidQuery(f"unknown facet {unknown[0]!r}; the facets are {', '.join(FACETS)}", "facets")
    return tuple(name for name in FACETS if name in expected) if expected else FACETS


def _render_search_results(query_text: str, result: SearchResult) -> Document:
    return {
        "query": query_text,
        "hits": [documents.render_hit(hit) for hit in result.hits],
        "total": result.total,
        "isLowerBound": result.at_least,
        "ranked": result.ranked,
        "facets": {
            name: [_render_facet_value(name, value, count, result) for value, count in counts]
            for name, counts in result.facets.items()
        },
        "labels": {name: _LABELS[name] for name in result.facets},
        "cursor": result.cursor,
        "suggestions": list(result.suggestions),
    }


def _render_facet_value(facet: str, value: str, count: int, result: SearchResult) -> Document:
    """Return a value of a facet, with the name of the entity that it refers to if that differs."""
    names = result.names.get(facet, {})
    document = {"value": value, "count": count} | ({"name": names[value]} if value in names else {})
    return document | ({"bySystem": True} if facet == "tag" and value in result.system_tags else {})
