"""Operations that other services need and this one does not: there is no index beside the store that could be behind."""

from typing import Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.http.datahub import shapes
from jupyter_colophon.http.datahub.actions import Action, ActionsHandler, bodies, parameter
from jupyter_colophon.http.datahub.request import Answer, Asking
from jupyter_colophon.http.operation import operation

_NEEDLESS: Final = (
    "nothing needs to be restored: search and lineage are written with each change;"
    " `jupyter colophon verify` compares them with it, and `jupyter colophon reindex` makes them anew"
)


def restore_indices(_: Asking) -> Answer:
    """Say that it is not needed."""
    return Answer({"value": _NEEDLESS})


ACTIONS: Final = {"restoreIndices": Action(shapes.ANY, restore_indices)}
_ACTION: Final = parameter(ACTIONS)


class OperationsHandler(ActionsHandler):
    """`POST /operations`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("actOnOperations", takes=[_ACTION], body=bodies(ACTIONS), answers={200: shapes.value(shapes.TEXT)})
    async def post(self) -> None:
        """Say why indices need not be restored (`restoreIndices`)."""
        await self.act(ACTIONS, self.asked(_ACTION))


ROUTES = [("/operations", OperationsHandler)]
