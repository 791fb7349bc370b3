"""Events of OpenLineage, and Marquez's graph: `/api/v1/lineage`."""

from http import HTTPStatus
from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import AlreadyExists, NotFound
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.openlineage import documents
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.parameter import number, text

_EVENT: Final = {"type": "object", "description": "A RunEvent, a JobEvent or a DatasetEvent of OpenLineage."}
_GRAPH: Final = {
    "type": "object",
    "required": ["graph", "truncated"],
    "properties": {
        "graph": {"type": "array"},
        "truncated": {"type": "boolean", "description": "Whether anything was left out. Not part of Marquez's API."},
    },
}
_NODE: Final = text("nodeId", "`dataset:<namespace>:<name>` or `job:<namespace>:<name>`.", required=True)
_DEPTH: Final = number("depth", "How many levels; further than 20 is not gone.", default=20, least=0, most=1_000)
_TAKEN: Final = {"type": "object", "additionalProperties": False, "description": "It is taken in."}


class LineageHandler(ApiHandler):
    """`/api/v1/lineage`."""

    @property
    def body_bytes_max(self) -> int:
        """As much as at DataHub's door: events tell of every column."""
        return self.state.settings.datahub_max_body_bytes

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "postLineageEvent",
        body={"application/json": _EVENT},
        answers={HTTPStatus.CREATED: _TAKEN},
        refuses=[NotFound, AlreadyExists],
    )
    async def post(self) -> None:
        """Take an event in; the same one twice is one, and their order does not matter."""
        body, principal = self.sent(), self.principal
        await self.hop(lambda catalog: catalog.collector.take(body, principal))
        self.answer({}, status=HTTPStatus.CREATED)

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readMarquezGraph", takes=[_NODE, _DEPTH], answers={200: _GRAPH}, refuses=[NotFound])
    async def get(self) -> None:
        """The jobs and datasets around a node, as Marquez tells them."""
        node, depth, principal = self.asked(_NODE), self.asked(_DEPTH), self.principal
        self.answer(await self.hop(lambda catalog: documents.graph(catalog.marquez.graph(node, depth, principal))))


class ColumnLineageHandler(ApiHandler):
    """`GET /api/v1/column-lineage`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readMarquezColumns", takes=[_NODE, _DEPTH], answers={200: _GRAPH}, refuses=[NotFound])
    async def get(self) -> None:
        """The columns of the datasets around a node, and what each was made of."""
        node, depth, principal = self.asked(_NODE), self.asked(_DEPTH), self.principal
        self.answer(
            await self.hop(
                lambda catalog: documents.columns(catalog.marquez.graph(node, depth, principal, columns=True))
            )
        )


ROUTES = [("/api/v1/lineage", LineageHandler), ("/api/v1/column-lineage", ColumnLineageHandler)]
