"""Events of OpenLineage, and Marquez's graph: `/api/v1/lineage` (datahub.md A5 and D)."""

from http import HTTPStatus
from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import Absent, AlreadyThere
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.operation import operation

_EVENT: Final = {"type": "object", "description": "A RunEvent, a JobEvent or a DatasetEvent of OpenLineage."}
_TAKEN: Final = {"type": "object", "additionalProperties": False, "description": "It is taken in."}


class LineageHandler(ApiHandler):
    """`POST /api/v1/lineage`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "postLineageEvent",
        body={"application/json": _EVENT},
        answers={HTTPStatus.CREATED: _TAKEN},
        refuses=[Absent, AlreadyThere],
    )
    async def post(self) -> None:
        """Take an event in; the same one twice is one, and their order does not matter."""
        body, principal = self.sent(), self.principal
        await self.hop(lambda catalog: catalog.collector.take(body, principal))
        self.answer({}, status=HTTPStatus.CREATED)


ROUTES = [("/api/v1/lineage", LineageHandler)]
