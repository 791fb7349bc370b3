"""Search as CDAP's clients ask for it: `GET …/metadata/search`."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.cdap.lineage_keys import lineage_key
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.entities.entity import EntitySummary
from jupyter_colophon.core.entities.metadata_scopes import Scoped
from jupyter_colophon.core.errors import HistoryExpired, InvalidQuery
from jupyter_colophon.core.identity.names import SYSTEM_NAMESPACE, Identity, Urn
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.core.search.entity_list import Listed, ListQuestion, Place, Sort
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3 import formats
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.parameters import AS_OF, word
from jupyter_colophon.http.v3.targets import TARGET, kinds
from jupyter_colophon.operations.parameter import count, flag, number, text

_ANSWER: Final = {"type": ["array", "object"]}
_FORMAT: Final = word(
    "responseFormat", "What is told of each entity; without it names.", "names", "records", "v5", "v6", default="names"
)
_QUERY: Final = text("query", "Words, `key:value`, prefixes with `*`; any of them may fit.")
_SCOPE: Final = word("scope", "Whose metadata has to fit.", "user", "system")
_ENTITY_SCOPE: Final = word("entityScope", "Of this namespace (user), or of the system's.", "user", "system")
_SORT: Final = text("sort", "`entity-name` or `creation-time`, with `asc` or `desc`.")
_OFFSET: Final = number("offset", "After so many.", default=0, least=0, most=10**9)
_LIMIT: Final = count("limit", "How many at most.", default=0, least=1, most=10**9)
_CURSORS: Final = count("numCursors", "Cursors for so many of the next pages.", default=0, least=1, most=100)
_REQUESTED: Final = flag("cursorRequested", "With a cursor for the next page.")
_CURSOR: Final = text("cursor", "Where to go on: it carries the whole request.")
_HIDDEN: Final = flag("showHidden", "With names that begin with `_`.")
_CUSTOM: Final = flag("showCustom", "With custom entities.")
_TAKEN: Final = (
    *(_FORMAT, _QUERY, _SCOPE, _ENTITY_SCOPE, _SORT, _OFFSET, _LIMIT, _CURSORS, _REQUESTED, _CURSOR),
    *(_HIDDEN, _CUSTOM, AS_OF),
)
_SORTS: Final[dict[str, Sort]] = {"entity-name": "entity-name", "creation-time": "creation-time"}
#: About what an entity takes in an answer by its name alone, and beside its properties and tags.
_NAME_BYTES, _ENTITY_BYTES = 100, 300
#: What our cursors are for.
_KIND: Final = "v3search"


def _measure(found: Scoped | None) -> int:
    """Return about how many bytes an entity with this metadata takes in an answer."""
    if found is None:
        return _NAME_BYTES
    return _ENTITY_BYTES + measure([(one.properties, one.tags) for one in (found.user, found.system)])


@dataclass(frozen=True, slots=True)
class _Asked:
    """One search as it was asked for: what a cursor carries. `scopes` are those of entities, `route` is the path's."""

    route: str
    form: str
    scopes: tuple[str, ...]
    question: ListQuestion

    @classmethod
    def carried(cls, told: Any, route: str, form: str | None) -> "_Asked":
        """The search that a cursor carries; another form may be asked for. Raises InvalidQuery."""
        if told[0] != route:
            raise InvalidQuery("is a cursor of another search", "cursor")
        said: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in told[3].items()}
        return cls(route, form or told[1], tuple(told[2]), ListQuestion(**said))

    def on_from(self, place: Place) -> list[Any]:
        """What the cursor of a later page carries."""
        return [self.route, self.form, self.scopes, asdict(replace(self.question, after=place, offset=0))]


@dataclass(frozen=True, slots=True)
class _Told:
    """What was found: a part of the list, its metadata where that is told, and cursors of the next parts."""

    asked: _Asked
    listed: Listed
    metadata: list[Scoped | None]
    cursors: list[str]


class _SearchHandler(V3Handler):
    """What both routes share."""

    async def tell(self, spaces: tuple[str, ...], *, route: str = "", without: tuple[str, ...] = ()) -> None:
        """Answer what is found in these namespaces; where there are none, in all `without` some."""
        principal, cursor, form = self.principal, self.asked(_CURSOR), self._sent(_FORMAT.name) and self.asked(_FORMAT)
        fresh = None if cursor else self._fresh(route, spaces, without)

        def work(catalog: Any) -> _Told:
            cursors = catalog.searcher.cursors
            asked = fresh or _Asked.carried(cursors.read(_KIND, cursor), route, form)
            listed = catalog.lister.find(asked.question, principal)
            as_of = asked.question.as_of

            def read(one: EntitySummary) -> Scoped | None:
                """Return the metadata of an entity; names are listed without."""
                urn = Urn.parse(one.urn)
                return None if asked.form == "names" else catalog.metadata.of(urn, one.namespace, principal, as_of)

            metadata = list(take_page(map(read, listed.entities), _measure))
            if len(metadata) < len(listed.entities):
                listed = listed.cut(len(metadata))
            return _Told(asked, listed, metadata, [cursors.write(_KIND, asked.on_from(at)) for at in listed.places])

        found = await self.hop(work)
        if found.listed.truncated:
            self.set_header("X-Colophon-Truncated", "true")
        self._answer(found)

    def _answer(self, found: _Told) -> None:
        form = found.asked.form
        if form in ("v5", "v6"):
            self.answer(_page(found, self._records(found)))
            return
        if found.cursors:
            self.set_header("X-Colophon-Cursor", found.cursors[0])
        self.answer(self._names(found) if form == "names" else self._records(found))

    def _names(self, found: _Told) -> list[str]:
        """Sorted names: short ones where one kind of entity is asked for."""
        name = formats.short_id if len(found.asked.question.kinds) == 1 else _key
        return sorted({name(Urn.parse(one.urn), one.namespace, self.state.identity) for one in found.listed.entities})

    def _records(self, found: _Told) -> list[dict[str, Any]]:
        form, both = found.asked.form, zip(found.listed.entities, found.metadata, strict=True)
        return [self._record(one, metadata, form) for one, metadata in both]

    def _fresh(self, route: str, spaces: tuple[str, ...], without: tuple[str, ...]) -> _Asked:
        form, scope = self.asked(_FORMAT), self.asked(_ENTITY_SCOPE).upper()
        question = replace(self._question(spaces, form), without=without)
        return _Asked(route, form, (scope,) if scope else ("SYSTEM", "USER"), question)

    def _question(self, spaces: tuple[str, ...], form: str) -> ListQuestion:
        sort, descending = _order(self.asked(_SORT))
        cursors = max(self.asked(_CURSORS), int(self.asked(_REQUESTED)))
        if cursors and not sort:
            raise InvalidQuery("cursors need a list that is sorted: sort=entity-name or creation-time", "sort")
        return ListQuestion(
            text=self._query(form),
            kinds=kinds(self.many(TARGET)),
            namespaces=spaces,
            scope=self.asked(_SCOPE).upper(),
            sort=sort,
            descending=descending,
            hidden=self.asked(_HIDDEN),
            custom=self.asked(_CUSTOM),
            offset=self.asked(_OFFSET),
            limit=self.asked(_LIMIT) or None,
            places=cursors,
            as_of=self.asked(AS_OF),
        )

    def _query(self, form: str) -> str:
        if not self.many("query") and form in ("v5", "v6"):
            return "*"
        words = self.asked(_QUERY)
        if not words.strip():
            raise InvalidQuery("there is no word in it; * finds everything", "query")
        return words

    def _record(self, one: EntitySummary, found: Any, form: str) -> dict[str, Any]:
        urn, identity = Urn.parse(one.urn), self.state.identity
        if form == "v6":
            entity = formats.metadata_entity(urn, one.namespace, identity)
            return {"entity": entity, "metadata": formats.v6(found, ("USER", "SYSTEM"))}
        told = formats.entity_id(urn, one.namespace, identity)
        known = {"entityId": told} if told is not None else {}
        entity = {"metadataEntity": formats.metadata_entity(urn, one.namespace, identity)} if form == "v5" else {}
        return known | entity | {"metadata": formats.of_scopes(found, ("USER", "SYSTEM"))}


class NamespaceSearchHandler(_SearchHandler):
    """`GET /namespaces/{ns}/metadata/search`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3SearchNamespace", takes=_TAKEN, answers={200: _ANSWER}, refuses=[HistoryExpired])
    async def get(self) -> None:
        """What fits in a namespace; nothing in one that there is not."""
        space = self.segments()[1]
        scope = self.asked(_ENTITY_SCOPE)
        mine = () if scope == "system" else (space,)
        await self.tell(mine if scope == "user" else (*mine, SYSTEM_NAMESPACE), route=space)


class SearchHandler(_SearchHandler):
    """`GET /metadata/search`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3Search", takes=_TAKEN, answers={200: _ANSWER}, refuses=[HistoryExpired])
    async def get(self) -> None:
        """What fits in some namespaces, or in all."""
        spaces, scope = tuple(self.many("namespaces")), self.asked(_ENTITY_SCOPE)
        if scope == "system":
            await self.tell((SYSTEM_NAMESPACE,))
            return
        await self.tell(spaces, without=(SYSTEM_NAMESPACE,) if scope == "user" else ())


def _order(told: str) -> tuple[Sort, bool]:
    """The order, and whether it is turned round."""
    sort, _, direction = told.strip().partition(" ")
    if sort and (sort not in _SORTS or direction.strip().casefold() not in ("", "asc", "desc")):
        raise InvalidQuery("entity-name or creation-time, with asc or desc behind it", "sort")
    return _SORTS.get(sort, ""), direction.strip().casefold() == "desc"


def _page(found: _Told, results: list[Any]) -> dict[str, Any]:
    question, listed = found.asked.question, found.listed
    page = {
        "sort": f"{question.sort} {'desc' if question.descending else 'asc'}" if question.sort else "",
        "offset": listed.offset,
        "limit": len(results) if question.limit is None else question.limit,
        "numCursors": len(found.cursors),
        "total": listed.total,
        "results": results,
        "cursors": found.cursors,
        "showHidden": question.hidden,
        "showCustom": question.custom,
        "entityScope": list(found.asked.scopes),
    }
    if found.asked.form == "v6":
        page |= {"totalResults": listed.total, "cursor": found.cursors[0] if found.cursors else None}
    return page


def _key(urn: Urn, namespace: str, identity: Identity) -> str:
    return lineage_key(urn, identity, namespace)


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("namespaces/[^/]+/metadata/search", NamespaceSearchHandler),
    ("metadata/search", SearchHandler),
]
