"""Search as clients of CDAP use it: `GET …/metadata/search`."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from jupyter_colophon.core.cdap.lineage_keys import lineage_key
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.entities.metadata_scopes import Scoped
from jupyter_colophon.core.errors import HistoryExpired, InvalidQuery
from jupyter_colophon.core.identity.names import SYSTEM_NAMESPACE, Identity, Urn
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.core.search.entity_list import Listed, ListQuestion, Place, Sort
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import flag, number, text, texts
from jupyter_colophon.operations.request import Answer, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.operations.v3.parameters import AS_OF, TRUNCATED, optional_count, optional_text, word
from jupyter_colophon.operations.v3.targets import TARGET, kinds

_ANSWER: Final = {"type": ["array", "object"]}
_FORMAT: Final = word(
    "responseFormat", "The form of entities; by default, their names.", "names", "records", "v5", "v6"
)
_QUERY: Final = optional_text("query", "Words, `key:value`, prefixes with `*`; any of them may match.")
_SCOPE: Final = word("scope", "The scope whose metadata must match.", "user", "system")
_ENTITY_SCOPE: Final = word(
    "entityScope", "Search the namespaces of users, or the namespace `system`.", "user", "system"
)
_SORT: Final = text("sort", "`entity-name` or `creation-time`, followed by `asc` or `desc`.")
_OFFSET: Final = number("offset", "Number of results to skip.", default=0, least=0, most=10**9)
_LIMIT: Final = optional_count("limit", "Maximum number of results.", most=10**9)
_CURSORS: Final = optional_count("numCursors", "The number of later pages to return cursors of.", most=100)
_REQUESTED: Final = flag("cursorRequested", "Return a cursor of the next page.")
_CURSOR: Final = text("cursor", "The cursor of a page; it contains the whole request.")
_HIDDEN: Final = flag("showHidden", "Include entities whose names begin with `_`.")
_CUSTOM: Final = flag("showCustom", "Include custom entities.")
_NAMESPACES: Final = texts("namespaces", "Search only these namespaces. May be sent more than once.")
_PARAMETERS: Final = (
    *(_FORMAT, _QUERY, _SCOPE, _ENTITY_SCOPE, _SORT, _OFFSET, _LIMIT, _CURSORS, _REQUESTED, _CURSOR),
    *(_HIDDEN, _CUSTOM, TARGET, AS_OF),
)
_SORTS: Final[dict[str, Sort]] = {"entity-name": "entity-name", "creation-time": "creation-time"}
#: About what an entity takes in an answer by its name alone, and beside its properties and tags.
_NAME_BYTES, _ENTITY_BYTES = 100, 300
#: What our cursors are for.
_KIND: Final = "v3search"


@operation(
    "v3SearchNamespace",
    "GET /namespaces/{namespace}/metadata/search",
    parameters=_PARAMETERS,
    answers={200: _ANSWER},
    errors=[HistoryExpired],
)
def search_namespace(services: Services, request: Request) -> Answer:
    """Search a namespace; the result is empty if it does not exist."""
    namespace, scope = request.path["namespace"], request[_ENTITY_SCOPE]
    own = () if scope == "system" else (namespace,)
    return _search(services, request, own if scope == "user" else (*own, SYSTEM_NAMESPACE), route=namespace)


@operation(
    "v3Search",
    "GET /metadata/search",
    parameters=(*_PARAMETERS, _NAMESPACES),
    answers={200: _ANSWER},
    errors=[HistoryExpired],
)
def search(services: Services, request: Request) -> Answer:
    """Search the given namespaces, or all."""
    scope = request[_ENTITY_SCOPE]
    if scope == "system":
        return _search(services, request, (SYSTEM_NAMESPACE,))
    without = (SYSTEM_NAMESPACE,) if scope == "user" else ()
    return _search(services, request, request[_NAMESPACES], without=without)


@dataclass(frozen=True, slots=True)
class _Search:
    """One search: what a cursor carries. `scopes` are those of entities, `route` is the namespace in the path."""

    route: str
    form: str
    scopes: tuple[str, ...]
    question: ListQuestion

    @classmethod
    def from_cursor(cls, carried: Any, route: str, form: str) -> "_Search":
        """Return the search that a cursor carries, in another form where one was sent. Raises InvalidQuery."""
        if carried[0] != route:
            raise InvalidQuery("is a cursor of another search", "cursor")
        members: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in carried[3].items()}
        return cls(route, form or carried[1], tuple(carried[2]), ListQuestion(**members))

    def carried_from(self, place: Place) -> list[Any]:
        """Return what the cursor of a later page carries."""
        return [self.route, self.form, self.scopes, asdict(replace(self.question, after=place, offset=0))]


@dataclass(frozen=True, slots=True)
class _Results:
    """A page of a search: its entities, their metadata where the form shows it, and cursors of the next pages."""

    search: _Search
    listed: Listed
    metadata: list[Scoped | None]
    cursors: list[str]


def _search(
    services: Services, request: Request, namespaces: tuple[str, ...], *, route: str = "", without: tuple[str, ...] = ()
) -> Answer:
    """Search these namespaces; where there are none, all `without` some."""
    results = _find(services, request, namespaces, route, without)
    headers = dict(TRUNCATED) if results.listed.truncated else {}
    form = results.search.form
    if form in ("v5", "v6"):
        return Answer(_page(results, _records(results, services.identity)), headers=headers)
    if results.cursors:
        headers["X-Colophon-Cursor"] = results.cursors[0]
    write = _names if form == "names" else _records
    return Answer(write(results, services.identity), headers=headers)


def _find(
    services: Services, request: Request, namespaces: tuple[str, ...], route: str, without: tuple[str, ...]
) -> _Results:
    catalog, principal, cursor = services.catalog(), request.principal, request[_CURSOR]
    cursors = catalog.searcher.cursors
    if cursor:
        search = _Search.from_cursor(cursors.read(_KIND, cursor), route, request[_FORMAT])
    else:
        search = _new_search(request, route, namespaces, without)
    listed = catalog.lister.find(search.question, principal)
    as_of = search.question.as_of

    def read(one: EntitySummary) -> Scoped | None:
        """Return the metadata of an entity; names are listed without."""
        urn = Urn.parse(one.urn)
        return None if search.form == "names" else catalog.metadata.read_scoped(urn, one.namespace, principal, as_of)

    metadata = list(take_page(map(read, listed.entities), _measure))
    if len(metadata) < len(listed.entities):
        listed = listed.cut(len(metadata))
    following = [cursors.write(_KIND, search.carried_from(place)) for place in listed.places]
    return _Results(search, listed, metadata, following)


def _measure(found: Scoped | None) -> int:
    """Return about how many bytes an entity with this metadata takes in an answer."""
    if found is None:
        return _NAME_BYTES
    return _ENTITY_BYTES + measure([(one.properties, one.tags) for one in (found.user, found.system)])


def _new_search(request: Request, route: str, namespaces: tuple[str, ...], without: tuple[str, ...]) -> _Search:
    form, scope = request[_FORMAT] or "names", request[_ENTITY_SCOPE].upper()
    question = replace(_question(request, namespaces, form), without=without)
    return _Search(route, form, (scope,) if scope else ("SYSTEM", "USER"), question)


def _question(request: Request, namespaces: tuple[str, ...], form: str) -> ListQuestion:
    sort, descending = _order(request[_SORT])
    cursors = max(request[_CURSORS], int(request[_REQUESTED]))
    if cursors and not sort:
        raise InvalidQuery("cursors need a list that is sorted: sort=entity-name or creation-time", "sort")
    return ListQuestion(
        text=_query(request, form),
        kinds=kinds(request[TARGET]),
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


def _query(request: Request, form: str) -> str:
    query = request[_QUERY]
    if query is None and form in ("v5", "v6"):
        return "*"
    if query is None or not query.strip():
        raise InvalidQuery("there is no word in it; * finds everything", "query")
    return query


def _order(sent: str) -> tuple[Sort, bool]:
    """Return the order, and whether it is descending. Raises InvalidQuery."""
    sort, _, direction = sent.strip().partition(" ")
    if sort and (sort not in _SORTS or direction.strip().casefold() not in ("", "asc", "desc")):
        raise InvalidQuery("entity-name or creation-time, with asc or desc behind it", "sort")
    return _SORTS.get(sort, ""), direction.strip().casefold() == "desc"


def _names(results: _Results, identity: Identity) -> list[str]:
    """Return sorted names: short ones where the search is for one kind of entity."""
    write = formats.short_id if len(results.search.question.kinds) == 1 else _key
    return sorted({write(Urn.parse(one.urn), one.namespace, identity) for one in results.listed.entities})


def _key(urn: Urn, namespace: str, identity: Identity) -> str:
    return lineage_key(urn, identity, namespace)


def _records(results: _Results, identity: Identity) -> list[dict[str, Any]]:
    form, pairs = results.search.form, zip(results.listed.entities, results.metadata, strict=True)
    return [_record(one, metadata, form, identity) for one, metadata in pairs]


def _record(one: EntitySummary, found: Any, form: str, identity: Identity) -> dict[str, Any]:
    urn = Urn.parse(one.urn)
    if form == "v6":
        entity = formats.metadata_entity(urn, one.namespace, identity)
        return {"entity": entity, "metadata": formats.v6(found, ("USER", "SYSTEM"))}
    entity_id = formats.entity_id(urn, one.namespace, identity)
    known = {"entityId": entity_id} if entity_id is not None else {}
    entity = {"metadataEntity": formats.metadata_entity(urn, one.namespace, identity)} if form == "v5" else {}
    return known | entity | {"metadata": formats.of_scopes(found, ("USER", "SYSTEM"))}


def _page(results: _Results, records: list[Any]) -> dict[str, Any]:
    question, listed = results.search.question, results.listed
    page = {
        "sort": f"{question.sort} {'desc' if question.descending else 'asc'}" if question.sort else "",
        "offset": listed.offset,
        "limit": len(records) if question.limit is None else question.limit,
        "numCursors": len(results.cursors),
        "total": listed.total,
        "results": records,
        "cursors": results.cursors,
        "showHidden": question.hidden,
        "showCustom": question.custom,
        "entityScope": list(results.search.scopes),
    }
    if results.search.form == "v6":
        page |= {"totalResults": listed.total, "cursor": results.cursors[0] if results.cursors else None}
    return page
