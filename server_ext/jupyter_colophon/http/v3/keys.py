"""Keys that there are, and their values, for completion (spec CDAP-9)."""

from dataclasses import asdict
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.read_budget import take_page
from jupyter_colophon.core.search.search import KeyCount, KeysQuestion, ValuesQuestion
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.parameters import AS_OF, SCOPE, SCOPES
from jupyter_colophon.http.v3.targets import TARGET, kinds
from jupyter_colophon.operations.parameter import count, number
from jupyter_colophon.operations.shared_parameters import PREFIX

_LIST: Final = {"type": "array"}
_MOST: Final = 10_000
_LIMIT: Final = count("limit", "How many at most.", default=_MOST, least=0, most=_MOST)
_OFFSET: Final = number("offset", "After so many.", default=0, least=0, most=10**9)


class _ListHandler(V3Handler):
    """What both routes share."""

    def _tell(self, found: list[dict[str, Any]], *, cut: bool) -> None:
        """Answer a list, which may end by its size: `offset` leads on."""
        shown = list(take_page(found, measure))
        if cut or len(shown) < len(found):
            self.set_header("X-Colophon-Truncated", "true")
        self.answer(shown)


class KeysHandler(_ListHandler):
    """`GET /namespaces/{ns}/metadata/keys`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ListKeys", takes=[PREFIX, SCOPE, AS_OF, _LIMIT, _OFFSET], answers={200: _LIST})
    async def get(self) -> None:
        """Keys with the number of entities that carry them."""
        principal, start, scopes = self.principal, self.asked(_OFFSET), SCOPES[self.asked(SCOPE)]
        question = KeysQuestion(
            self.asked(PREFIX), self.segments()[1], scopes, kinds(self.many(TARGET)), self.asked(AS_OF)
        )

        def work(catalog: Any) -> tuple[list[KeyCount], bool]:
            catalog.lister.require_kinds(question.carriers)
            found: tuple[list[KeyCount], bool] = catalog.keys.keys(question, principal)
            return found

        found, cut = await self.hop(work)
        self._tell([asdict(one) for one in found[start : start + self.asked(_LIMIT)]], cut=cut)


class ValuesHandler(_ListHandler):
    """`GET /namespaces/{ns}/metadata/keys/{key}/values`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ListValues", takes=[PREFIX, SCOPE, AS_OF, _LIMIT, _OFFSET], answers={200: _LIST})
    async def get(self) -> None:
        """Values of a key with the number of entities that say them."""
        _, space, _, _, key, _ = self.segments()
        start, principal = self.asked(_OFFSET), self.principal
        end = start + self.asked(_LIMIT)
        question = ValuesQuestion(key, self.asked(PREFIX), space, SCOPES[self.asked(SCOPE)], self.asked(AS_OF))
        found, cut = await self.hop(lambda catalog: catalog.keys.values(question, end, principal))
        self._tell([{"value": value, "entities": count} for value, count in found[start:]], cut=cut)


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("namespaces/[^/]+/metadata/keys", KeysHandler),
    ("namespaces/[^/]+/metadata/keys/[^/]+/values", ValuesHandler),
]
