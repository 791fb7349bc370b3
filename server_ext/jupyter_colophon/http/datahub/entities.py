"""Rest.li's entities: snapshots, deletions, lists, search, and what refers to an entity."""

from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.datahub import criteria
from jupyter_colophon.core.errors import AlreadyExists, ConditionFailed, InvalidName, NotEmpty, NotFound, PatchFailed
from jupyter_colophon.http.datahub import delete, restli_proposals, shapes
from jupyter_colophon.http.datahub.actions import Action, ActionsHandler, bodies, parameter
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.operation import operation
from jupyter_colophon.operations.idempotency import IDEMPOTENCY_KEY

_PAGE: Final = {"start": shapes.PLACE, "count": shapes.COUNT}
_LIST: Final = shapes.record("entity", entity=shapes.TEXT, **_PAGE)
_SEARCH: Final = shapes.record(
    "entity", entity=shapes.TEXT, input=shapes.TEXT_OR_NULL, filter={"type": ["object", "null"]}, **_PAGE
)
_COUNT: Final = 10


def list_urns(asking: Asking) -> Answer:
    """A page of the entities of a type."""
    body = asking.body
    start, most = body.get("start", 0), shapes.count(body, "count", _COUNT)
    page = asking.catalog.datahub.finder.urns(body["entity"], start, most, asking.principal)
    told = {
        "start": start,
        "count": len(page.urns),
        "total": page.total,
        "entities": asking.catalog.datahub.reader.spelled(page.urns),
    }
    return Answer({"value": told})


def search(asking: Asking) -> Answer:
    """A page of the entities of a type that fit words and a filter."""
    body = asking.body
    start, most = body.get("start", 0), shapes.count(body, "count", _COUNT)
    filter_ = criteria.read(body.get("filter"), "/filter")
    text = body.get("input") or "*"
    page = asking.catalog.datahub.finder.search(text, body["entity"], filter_, start, most, asking.principal)
    told = {
        "from": start,
        "pageSize": most,
        "numEntities": page.total,
        "entities": [{"entity": urn} for urn in asking.catalog.datahub.reader.spelled(page.urns)],
        "metadata": {"aggregations": []},
    }
    return Answer({"value": told})


ACTIONS: Final = {
    "ingest": Action(restli_proposals.SNAPSHOT, restli_proposals.ingest, writes=True),
    "delete": Action(delete.WISH, delete.delete, writes=True),
    "listUrns": Action(_LIST, list_urns),
    "search": Action(_SEARCH, search),
    "deleteReferences": Action(delete.REFERENCES, delete.delete_references, writes=True),
}
_ACTION: Final = parameter(ACTIONS)


class EntitiesHandler(ActionsHandler):
    """`POST /entities`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "actOnEntities",
        takes=[_ACTION, IDEMPOTENCY_KEY],
        body=bodies(ACTIONS),
        answers={200: {"anyOf": [shapes.DONE, shapes.value(shapes.ANY)]}},
        refuses=[InvalidName, NotFound, AlreadyExists, NotEmpty, ConditionFailed, PatchFailed],
    )
    async def post(self) -> None:
        """Ingest a snapshot (`ingest`), delete, list, search, or take references to an entity away."""
        await self.act(ACTIONS, self.asked(_ACTION))


ROUTES = [("/entities", EntitiesHandler)]
