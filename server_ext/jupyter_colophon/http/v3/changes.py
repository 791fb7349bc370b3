"""Changes of a namespace's metadata as CDAP announces them: slices, long poll, events."""

from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.changes.announcement import FORMS
from jupyter_colophon.core.errors import LogCompacted, TooManyConnections
from jupyter_colophon.core.identity.names import namespace
from jupyter_colophon.http.operation import operation
from jupyter_colophon.http.v3 import change_page, change_sse
from jupyter_colophon.http.v3.base import V3Handler
from jupyter_colophon.operations.parameter import choice, count
from jupyter_colophon.operations.shared_parameters import LIMIT_MAX

FORM: Final = choice("format", "Metadata change records, audit messages, or our own changes.", *FORMS, default="record")

#: As the other lists of this API: a larger value is not an error.
_LIMIT: Final = count(
    "limit", "How many at most; 0 gives the present number alone.", default=100, least=0, most=LIMIT_MAX
)


class _OfNamespace(V3Handler):
    async def namespace(self) -> dict[str, str]:
        """The filter for the namespace in the path. Raises NotFound, InvalidName."""
        name, principal = self.segments()[1], self.principal
        urn = namespace(name)
        await self.hop(lambda catalog: catalog.metadata.require(urn, "", principal))
        return {"namespace": name}


class ChangesHandler(_OfNamespace, change_page.SliceHandler):
    """`GET /namespaces/{ns}/metadata/changes`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "v3ReadChanges",
        takes=[change_page.AFTER, _LIMIT, change_page.WAIT, FORM],
        answers={200: {"type": "object"}},
        refuses=[LogCompacted, TooManyConnections],
    )
    async def get(self) -> None:
        """Records after a cursor; with `wait`, as soon as there are any; `limit=0` gives the present cursor."""
        await self.answer_slice(await self.namespace(), self.asked(FORM), self.asked(_LIMIT))


class ChangesStream(_OfNamespace, change_sse.StreamHandler):
    """`GET /namespaces/{ns}/metadata/changes/stream`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "v3StreamChanges",
        takes=[change_sse.AFTER, change_sse.RESUMED, FORM],
        answers={200: change_sse.EVENTS},
        refuses=[LogCompacted, TooManyConnections],
        kind=change_sse.KIND,
    )
    async def get(self) -> None:
        """Records as they come, as server-sent events."""
        await self.stream(await self.namespace(), self.asked(FORM))


#: Below the prefix.
ROUTES: list[tuple[str, type]] = [
    ("namespaces/[^/]+/metadata/changes", ChangesHandler),
    ("namespaces/[^/]+/metadata/changes/stream", ChangesStream),
]
