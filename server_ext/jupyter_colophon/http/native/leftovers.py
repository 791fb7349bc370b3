"""What killed saves of Elyra's left behind: told, brought back, thrown away (docs/api.md)."""

from typing import TYPE_CHECKING

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, InstanceUnreadable, SchemaspaceNotFound
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native import instance_documents as documents
from jupyter_colophon.http.native.documents import Document
from jupyter_colophon.http.operation import operation

if TYPE_CHECKING:
    from jupyter_colophon.service.instances.recovery import Recovery


class LeftoversHandler(ApiHandler):
    """`GET /schemaspaces/{space}/recovery-files`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listRecoveryFiles", answers="recovery-files", refuses=[SchemaspaceNotFound])
    async def get(self, space: str) -> None:
        """What killed saves of Elyra's left behind; nothing of its content."""
        state, principal = self.state, self.principal
        self.answer(await self.among(space, lambda: _told(state.instances().recovery(space, principal, "read"))))


class RecoverHandler(ApiHandler):
    """`POST /schemaspaces/{space}/recovery-files/recover`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "restoreRecoveryFile",
        body="recovery-file-choice",
        answers="instance",
        refuses=[SchemaspaceNotFound, InstanceNotFound, InstanceExists, InstanceUnreadable],
    )
    async def post(self, space: str) -> None:
        """Let a leftover be its instance again, where that is missing or cannot be read."""
        state, principal, file = self.state, self.principal, str((await self.body())["file"])

        def work() -> Document:
            name = state.instances().recovery(space, principal, "admin").recover(file)
            return documents.instance(state.instances().get_any(space, name, principal))

        self.answer(await self.among(space, work))


class DiscardHandler(ApiHandler):
    """`POST /schemaspaces/{space}/recovery-files/discard`."""

    @authenticated
    @authorized("write", resource="colophon")
    @operation(
        "discardRecoveryFile",
        body="recovery-file-choice",
        answers="recovery-files",
        refuses=[SchemaspaceNotFound, InstanceNotFound],
    )
    async def post(self, space: str) -> None:
        """Throw a leftover away, and tell those that stay."""
        state, principal, file = self.state, self.principal, str((await self.body())["file"])

        def work() -> Document:
            recovery = state.instances().recovery(space, principal, "admin")
            recovery.discard(file)
            return _told(recovery)

        self.answer(await self.among(space, work))


def _told(recovery: "Recovery") -> Document:
    """`recovery-files.json`."""
    names = ("name", "file", "time", "missing", "problem")
    return {"recoveryFiles": [{name: getattr(one, name) for name in names} for one in recovery.leftovers()]}


ROUTES = [
    ("/schemaspaces/{space}/recovery-files", LeftoversHandler),
    ("/schemaspaces/{space}/recovery-files/recover", RecoverHandler),
    ("/schemaspaces/{space}/recovery-files/discard", DiscardHandler),
]
