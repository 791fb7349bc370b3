"""Search as clients of CDAP use it: `GET …/metadata/search`."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from jupyter_colophon.core.cdap.lineage_keys import format_lineage_key
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.entities.metadata_scopes import ScopedMetadata
from jupyter_colophon.core.errors import HistoryExpired, InvalidQuery
from jupyter_colophon.core.identity.names import SYSTEM_NAMESPACE, IdentityRules, Urn
from jupyter_colophon.core.read_budget import limit_items_to_page_bytes
from jupyter_colophon.core.search.entity_list import EntityListPage, EntityListRequest, ListPosition, Sort
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_flag, declare_number, declare_text, declare_texts
from jupyter_colophon.operations.request import OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.operations.v3.parameters import (
    AS_OF,
    TRUNCATED,
    declare_choice_in_any_case,
    declare_optional_count,
    declare_optional_text,
)
from jupyter_colophon.operations.v3.targets import TARGET, parse_targets

_ANSWER: Final = {"type": ["array", "object"]}
_FORMAT: Final = declare_choice_in_any_case(
    "responseFormat", "The form of entities; by default, their names.", "names", "records", "v5", "v6"
)
_QUERY: Final = declare_optional_text("query", "Words, `key:value`, prefixes with `*`; any of them may match.")
_SCOPE: Final = declare_choice_in_any_case("scope", "The scope whose metadata must match.", "user", "system")
_ENTITY_SCOPE: Final = declare_choice_in_any_case(
    "entityScope", "Search the namespaces of users, or the namespace `system`.", "user", "system"
)
_SORT: Final = declare_text("sort", "`entity-name` or `creation-time`, followed by `asc` or `desc`.")
_OFFSET: Final = declare_number("offset", "Number of results to skip.", default=0, minimum=0, maximum=10**9)
_LIMIT: Final = declare_optional_count("limit", "Maximum number of results.", maximum=10**9)
_CURSORS: Final = declare_optional_count("numCursors", "The number of later pages to return cursors of.", maximum=100)
_REQUESTED: Final = declare_flag("cursorRequested", "Return a cursor of the next page.")
_CURSOR: Final = declare_text("cursor", "The cursor of a page; it contains the whole request.")
_HIDDEN: Final = declare_flag("showHidden", "Include entities whose names begin with `_`.")
_CUSTOM: Final = declare_flag("showCustom", "Include custom entities.")
_NAMESPACES: Final = declare_texts("namespaces", "Search only these namespaces. May be sent more than once.")
_PARAMETERS: Final = (
    *(_FORMAT, _QUERY, _SCOPE, _ENTITY_SCOPE, _SORT, _OFFSET, _LIMIT, _CURSORS, _REQUESTED, _CURSOR),
    *(_HIDDEN, _CUSTOM, TARGET, AS_OF),
)
_SORTS: Final[dict[str, Sort]] = {"entity-name": "entity-name", "creation-time": "creation-time"}
#: Approximate bytes of an entity in an answer: as a name, and without its properties and tags.
_NAME_BYTES, _ENTITY_BYTES = 100, 300
#: What our cursors are for.
_KIND: Final = "v3search"


@declare_operation(
    "v3SearchNamespace",
    "GET /namespaces/{namespace}/metadata/search",
    decided_by="entities",
    parameters=_PARAMETERS,
    answers={200: _ANSWER},
    errors=[HistoryExpired],
)
def search_namespace(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Search a namespace; the result is empty if it does not exist."""
    namespace, scope = request.path["namespace"], request[_ENTITY_SCOPE]
    own = () if scope == "system" else (namespace,)
    return _search_and_answer(services, request, own if scope == "user" else (*own, SYSTEM_NAMESPACE), route=namespace)


@declare_operation(
    "v3Search",
    "GET /metadata/search",
    decided_by="entities",
    parameters=(*_PARAMETERS, _NAMESPACES),
    answers={200: _ANSWER},
    errors=[HistoryExpired],
)
def search_namespaces(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Search the given namespaces, or all."""
    scope = request[_ENTITY_SCOPE]
    if scope == "system":
        return _search_and_answer(services, request, (SYSTEM_NAMESPACE,))
    excluded_namespaces = (SYSTEM_NAMESPACE,) if scope == "user" else ()
    return _search_and_answer(services, request, request[_NAMESPACES], excluded_namespaces=excluded_namespaces)


@dataclass(frozen=True, slots=True)
class _SearchState:
    """One search, as encoded in a cursor. `scopes` are entity scopes, `route` is the namespace in the path."""

    route: str
    form: str
    scopes: tuple[str, ...]
    request: EntityListRequest

    @classmethod
    def from_cursor(cls, cursor_values: Any, route: str, form: str) -> "_SearchState":
        """Return the search that a cursor carries, in another form where one was sent. Raises InvalidQuery."""
        if cursor_values[0] != route:
            raise InvalidQuery("does not belong to this search: repeat the request without a cursor", "cursor")
        members: Any = {
            name: tuple(value) if isinstance(value, list) else value for name, value in cursor_values[3].items()
        }
        return cls(route, form or cursor_values[1], tuple(cursor_values[2]), EntityListRequest(**members))

    def to_cursor(self, position: ListPosition) -> list[Any]:
        """Return the content of the cursor of a later page."""
        return [self.route, self.form, self.scopes, asdict(replace(self.request, after=position, offset=0))]


@dataclass(frozen=True, slots=True)
class _SearchPage:
    """A page of a search: its entities, their metadata where the form shows it, and cursors of the next pages."""

    search: _SearchState
    listed: EntityListPage
    metadata: list[ScopedMetadata | None]
    cursors: list[str]


def _search_and_answer(
    services: ProcessServices,
    request: OperationRequest,
    namespaces: tuple[str, ...],
    *,
    route: str = "",
    excluded_namespaces: tuple[str, ...] = (),
) -> OperationAnswer:
    """Search these namespaces; where there are none, all `excluded_namespaces` some."""
    results = _find_page_of_entities(services, request, namespaces, route, excluded_namespaces)
    headers = dict(TRUNCATED) if results.listed.truncated else {}
    form = results.search.form
    if form in ("v5", "v6"):
        return OperationAnswer(_render_page(results, _render_records(results, services.identity)), headers=headers)
    if results.cursors:
        headers["X-Colophon-Cursor"] = results.cursors[0]
    write = _render_sorted_names if form == "names" else _render_records
    return OperationAnswer(write(results, services.identity), headers=headers)


def _find_page_of_entities(
    services: ProcessServices,
    request: OperationRequest,
    namespaces: tuple[str, ...],
    route: str,
    excluded_namespaces: tuple[str, ...],
) -> _SearchPage:
    catalog, principal, cursor = services.get_or_open_catalog(), request.principal, request[_CURSOR]
    cursors = catalog.searcher.cursors
    if cursor:
        search = _SearchState.from_cursor(cursors.decode_cursor(_KIND, cursor), route, request[_FORMAT])
    else:
        search = _create_or_resume_search(request, route, namespaces, excluded_namespaces)
    listed = catalog.lister.list_sorted_matches(search.request, principal)
    as_of = search.request.as_of

    def read(entity: EntitySummary) -> ScopedMetadata | None:
        """Return the metadata of an entity; names are listed without."""
        urn = Urn.parse(entity.urn)
        return (
            None
            if search.form == "names"
            else catalog.metadata.read_scoped_metadata(urn, entity.namespace, principal, as_of)
        )

    metadata = list(limit_items_to_page_bytes(map(read, listed.entities), _measure_entity_bytes))
    if len(metadata) < len(listed.entities):
        listed = listed.truncate(len(metadata))
    following = [cursors.encode_cursor(_KIND, search.to_cursor(place)) for place in listed.cursor_positions]
    return _SearchPage(search, listed, metadata, following)


def _measure_entity_bytes(metadata: ScopedMetadata | None) -> int:
    """Return the approximate size in bytes of an entity with this metadata in an answer."""
    if metadata is None:
        return _NAME_BYTES
    return _ENTITY_BYTES + measure_json_bytes(
        [(item.properties, item.tags) for item in (metadata.user, metadata.system)]
    )


def _create_or_resume_search(
    request: OperationRequest, route: str, namespaces: tuple[str, ...], excluded_namespaces: tuple[str, ...]
) -> _SearchState:
    form, scope = request[_FORMAT] or "names", request[_ENTITY_SCOPE].upper()
    list_request = replace(_build_list_request(request, namespaces, form), without=excluded_namespaces)
    return _SearchState(route, form, (scope,) if scope else ("SYSTEM", "USER"), list_request)


def _build_list_request(request: OperationRequest, namespaces: tuple[str, ...], form: str) -> EntityListRequest:
    sort, descending = _parse_order(request[_SORT])
    cursors = max(request[_CURSORS], int(request[_REQUESTED]))
    if cursors and not sort:
        raise InvalidQuery("cursors require a sorted list: sort must be entity-name or creation-time", "sort")
    return EntityListRequest(
        text=_parse_query(request, form),
        kinds=parse_targets(request[TARGET]),
        namespaces=namespaces,
        scope=request[_SCOPE].upper(),
        sort=sort,
        descending=descending,
        hidden=request[_HIDDEN],
        custom=request[_CUSTOM],
        offset=request[_OFFSET],
        limit=request[_LIMIT] or None,
        places=cursors,
        as_of=request[AS_OF],
    )


def _parse_query(request: OperationRequest, form: str) -> str:
    query = request[_QUERY]
    if query is None and form in ("v5", "v6"):
        return "*"
    if query is None or not query.strip():
        raise InvalidQuery("must contain a word; * finds everything", "query")
    return query


def _parse_order(text: str) -> tuple[Sort, bool]:
    """Return the order, and whether it is descending. Raises InvalidQuery."""
    sort, _, direction = text.strip().partition(" ")
    if sort and (sort not in _SORTS or direction.strip().casefold() not in ("", "asc", "desc")):
        raise InvalidQuery("must be entity-name or creation-time, followed by asc or desc", "sort")
    return _SORTS.get(sort, ""), direction.strip().casefold() == "desc"


def _render_sorted_names(results: _SearchPage, identity: IdentityRules) -> list[str]:
    """Return sorted names: short ones where the search is for one kind of entity."""
    write = formats.format_short_id if len(results.search.request.kinds) == 1 else _format_entity_key
    return sorted({write(Urn.parse(entity.urn), entity.namespace, identity) for entity in results.listed.entities})


def _format_entity_key(urn: Urn, namespace: str, identity: IdentityRules) -> str:
    return format_lineage_key(urn, identity, namespace)


def _render_records(results: _SearchPage, identity: IdentityRules) -> list[dict[str, Any]]:
    form, pairs = results.search.form, zip(results.listed.entities, results.metadata, strict=True)
    return [_render_record(entity, metadata, form, identity) for entity, metadata in pairs]


def _render_record(summary: EntitySummary, metadata: Any, form: str, identity: IdentityRules) -> dict[str, Any]:
    urn = Urn.parse(summary.urn)
    if form == "v6":
        entity = formats.build_metadata_entity(urn, summary.namespace, identity)
        return {"entity": entity, "metadata": formats.render_metadata_v6(metadata, ("USER", "SYSTEM"))}
    entity_id = formats.build_entity_id(urn, summary.namespace, identity)
    id_member = {"entityId": entity_id} if entity_id is not None else {}
    entity = {"metadataEntity": formats.build_metadata_entity(urn, summary.namespace, identity)} if form == "v5" else {}
    return id_member | entity | {"metadata": formats.render_by_scope(metadata, ("USER", "SYSTEM"))}


def _render_page(results: _SearchPage, records: list[Any]) -> dict[str, Any]:
    list_request, listed = results.search.request, results.listed
    page = {
        "sort": f"{list_request.sort} {'desc' if list_request.descending else 'asc'}" if list_request.sort else "",
        "offset": listed.offset,
        "limit": len(records) if list_request.limit is None else list_request.limit,
        "numCursors": len(results.cursors),
        "total": listed.total,
        "results": records,
        "cursors": results.cursors,
        "showHidden": list_request.hidden,
        "showCustom": list_request.custom,
        "entityScope": list(results.search.scopes),
    }
    if results.search.form == "v6":
        page |= {"totalResults": listed.total, "cursor": results.cursors[0] if results.cursors else None}
    return page
