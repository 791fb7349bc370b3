"""Keys that there are, and their values, for completion (catalog.md 3.6)."""

from dataclasses import asdict
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.http.native.parameters import PREFIX
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.parameter import number
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.http.v3.parameters import SCOPE, SCOPES

_LIST: Final = {"type": "array"}
_MOST: Final = 10_000
_LIMIT: Final = number("limit", "How many at most.", default=_MOST, least=0, most=_MOST)
_OFFSET: Final = number("offset", "After so many.", default=0, least=0, most=10**9)


class KeysHandler(V3Handler):
    """`GET /namespaces/{ns}/metadata/keys`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ListKeys", takes=[PREFIX, SCOPE, _LIMIT, _OFFSET], answers={200: _LIST})
    async def get(self) -> None:
        """Keys with the number of entities that carry them."""
        space, prefix, principal = self.segments()[1], self.asked(PREFIX), self.principal
        scopes, start = SCOPES[self.asked(SCOPE)], self.asked(_OFFSET)
        self.refuse_parameter("target", "keys are counted over all kinds of entity together")

        def work(catalog: Any) -> list[dict[str, Any]]:
            found = catalog.searcher.keys(prefix, space, "", principal)
            return [asdict(one) for one in found if not scopes or one.scope in scopes]

        self.answer((await self.hop(work))[start : start + self.asked(_LIMIT)])


class ValuesHandler(V3Handler):
    """`GET /namespaces/{ns}/metadata/keys/{key}/values`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("v3ListValues", takes=[PREFIX, _LIMIT], answers={200: _LIST})
    async def get(self) -> None:
        """Values of a key with the number of entities that say them."""
        _, space, _, _, key, _ = self.segments()
        prefix, limit, principal = self.asked(PREFIX), self.asked(_LIMIT), self.principal
        found = await self.hop(lambda catalog: catalog.searcher.values(key, prefix, space, limit, principal))
        self.answer([{"value": value, "entities": count} for value, count in found])


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("namespaces/[^/]+/metadata/keys", KeysHandler),
    ("namespaces/[^/]+/metadata/keys/[^/]+/values", ValuesHandler),
]
