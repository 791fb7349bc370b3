"""Search as CDAP's clients ask for it: `GET …/metadata/search` (catalog.md 4.1 and 4.2)."""

from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.entity import EntitySummary
from jupyter_colophon.core.errors import IllegalQuery
from jupyter_colophon.core.lineage_keys import lineage_key
from jupyter_colophon.core.listing import Listed, ListQuestion, Sort
from jupyter_colophon.core.names import SYSTEM_NAMESPACE, Identity, Urn
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.parameter import flag, number, text
from jupyter_colophon.http.v3 import formats
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.parameters import word

_ANSWER: Final = {"type": ["array", "object"]}
_FORMAT: Final = word(
    "responseFormat", "What is told of each entity; without it names.", "names", "records", "v5", "v6", default="names"
)
_QUERY: Final = text("query", "Words, `key:value`, prefixes with `*`; any of them may fit.")
_SCOPE: Final = word("scope", "Whose metadata has to fit.", "user", "system")
_ENTITY_SCOPE: Final = word("entityScope", "Of this namespace (user), or of the system's.", "user", "system")
_SORT: Final = text("sort", "`entity-name` or `creation-time`, with `asc` or `desc`.")
_OFFSET: Final = number("offset", "After so many.", default=0, least=0, most=10**9)
_LIMIT: Final = number("limit", "How many at most.", default=0, least=1, most=10**9)
_HIDDEN: Final = flag("showHidden", "With names that begin with `_`.")
_CUSTOM: Final = flag("showCustom", "With custom entities.")
_TAKEN: Final = (_FORMAT, _QUERY, _SCOPE, _ENTITY_SCOPE, _SORT, _OFFSET, _LIMIT, _HIDDEN, _CUSTOM)
#: A target's kinds of entity; None stands for all.
_TARGETS: Final[dict[str, tuple[str, ...] | None]] = {
    "dataset": ("dataset",),
    "stream": ("stream",),
    "app": ("dataFlow",),
    "application": ("dataFlow",),
    "program": ("dataJob",),
    "field": ("schemaField",),
    "artifact": ("artifact",),
    "view": ("view",),
    "namespace": ("namespace",),
    "all": None,
}
_SORTS: Final[dict[str, Sort]] = {"entity-name": "entity-name", "creation-time": "creation-time"}


class _SearchHandler(V3Handler):
    """What both routes share."""

    async def tell(self, spaces: tuple[str, ...]) -> None:
        """Answer what is found in these namespaces; in all where there are none."""
        self.refuse_parameter("cursor", "cursors are not served: offset and limit are")
        self.refuse_parameter("numCursors", "cursors are not served: offset and limit are")
        self.refuse_parameter("asOf", "search is as of now")
        targets, form = self.many("target"), self.asked(_FORMAT)
        question = self._question(spaces, targets, form)
        principal, identity = self.principal, self.door.identity

        def work(catalog: Any) -> tuple[Listed, list[Any]]:
            listed = catalog.lister.find(question, principal)
            if form == "names":
                return listed, []
            return listed, [catalog.metadata.of(Urn.parse(one.urn), "", principal) for one in listed.entities]

        listed, metadata = await self.hop(work)
        if listed.truncated:
            self.set_header("X-Colophon-Truncated", "true")
        if form == "names":
            one_kind = len(targets) == 1 and targets[0].casefold() != "all"
            name = formats.short_id if one_kind else _key
            self.answer(sorted({name(Urn.parse(one.urn), one.namespace, identity) for one in listed.entities}))
            return
        results = [self._record(one, found, form) for one, found in zip(listed.entities, metadata, strict=True)]
        self.answer(results if form == "records" else self._page(question, listed, results))

    def _question(self, spaces: tuple[str, ...], targets: list[str], form: str) -> ListQuestion:
        kinds = [_kinds(target) for target in targets]
        sort, _, direction = self.asked(_SORT).strip().partition(" ")
        if sort and (sort not in _SORTS or direction.strip().casefold() not in ("", "asc", "desc")):
            raise IllegalQuery("entity-name or creation-time, with asc or desc behind it", "sort")
        return ListQuestion(
            text=self._query(form),
            kinds=() if None in kinds else tuple(kind for one in kinds for kind in one or ()),
            namespaces=spaces,
            scope=self.asked(_SCOPE).upper(),
            sort=_SORTS.get(sort, ""),
            descending=direction.strip().casefold() == "desc",
            hidden=self.asked(_HIDDEN),
            custom=self.asked(_CUSTOM),
            offset=self.asked(_OFFSET),
            limit=self.asked(_LIMIT) or None,
        )

    def _query(self, form: str) -> str:
        if not self.many("query") and form in ("v5", "v6"):
            return "*"
        words = self.asked(_QUERY)
        if not words.strip():
            raise IllegalQuery("there is no word in it; * finds everything", "query")
        return words

    def _record(self, one: EntitySummary, found: Any, form: str) -> dict[str, Any]:
        urn, identity = Urn.parse(one.urn), self.door.identity
        if form == "v6":
            entity = formats.metadata_entity(urn, one.namespace, identity)
            return {"entity": entity, "metadata": formats.v6(found, ("USER", "SYSTEM"))}
        told = formats.entity_id(urn, one.namespace, identity)
        known = {"entityId": told} if told is not None else {}
        entity = {"metadataEntity": formats.metadata_entity(urn, one.namespace, identity)} if form == "v5" else {}
        return known | entity | {"metadata": formats.of_scopes(found, ("USER", "SYSTEM"))}

    def _page(self, question: ListQuestion, listed: Listed, results: list[Any]) -> dict[str, Any]:
        return {
            "sort": self.asked(_SORT),
            "offset": question.offset,
            "limit": len(results) if question.limit is None else question.limit,
            "numCursors": 0,
            "total": listed.total,
            "results": results,
            "cursors": [],
            "showHidden": question.hidden,
            "showCustom": question.custom,
            "entityScope": [self.asked(_ENTITY_SCOPE).upper()] if self.asked(_ENTITY_SCOPE) else ["SYSTEM", "USER"],
        }


class NamespaceSearchHandler(_SearchHandler):
    """`GET /namespaces/{ns}/metadata/search`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3SearchNamespace", takes=_TAKEN, answers={200: _ANSWER})
    async def get(self) -> None:
        """What fits in a namespace; nothing in one that there is not."""
        space = self.segments()[1]
        scope = self.asked(_ENTITY_SCOPE)
        mine = () if scope == "system" else (space,)
        await self.tell(mine if scope == "user" else (*mine, SYSTEM_NAMESPACE))


class SearchHandler(_SearchHandler):
    """`GET /metadata/search`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3Search", takes=_TAKEN, answers={200: _ANSWER})
    async def get(self) -> None:
        """What fits in some namespaces, or in all."""
        await self.tell(tuple(self.many("namespaces")))


def _kinds(target: str) -> tuple[str, ...] | None:
    known = target.casefold()
    if known in _TARGETS:
        return _TARGETS[known]
    if not known.isidentifier():
        raise IllegalQuery(f"one of {', '.join(_TARGETS)}, or a custom type", "target")
    return (known,)


def _key(urn: Urn, namespace: str, identity: Identity) -> str:
    return lineage_key(urn, identity, namespace)


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("namespaces/[^/]+/metadata/search", NamespaceSearchHandler),
    ("metadata/search", SearchHandler),
]
