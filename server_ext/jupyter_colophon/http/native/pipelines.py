"""Pipelines: what their stages can do, and what is wrong with one (docs/pipelines.md). They run on Spark, not here."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.errors import InstanceNotFound, InvalidInstance
from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.native.documents import Document
from jupyter_colophon.http.operation import operation

_SPACE: Final = "pipelines"


class PluginsHandler(ApiHandler):
    """`GET /pipelines/plugins`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listPipelinePlugins", answers="pipeline-plugins")
    async def get(self) -> None:
        """The plugins of pipelines, each with the schema of its properties."""
        # Loaded with the first request: packages register plugins, and their code may be slow to load.
        from jupyter_colophon.pipelines.documents import plugins
        from jupyter_colophon.pipelines.plugin_registry import installed

        self.answer(await self.among(_SPACE, lambda: plugins(installed())))


class SchedulesHandler(ApiHandler):
    """`GET /pipelines/schedules`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("listPipelineSchedules", answers="pipeline-schedules")
    async def get(self) -> None:
        """When pipelines run by themselves, when each is due, and what became of its last run."""
        from jupyter_colophon.service.changes.schedules import told

        state, principal = self.state, self.principal

        def work() -> list[Document]:
            return told(state.catalog().provider, state.instances().list(_SPACE, principal, invalid=True))

        self.answer({"schedulerEnabled": state.scheduler is not None, "schedules": await self.among(_SPACE, work)})


class CheckHandler(ApiHandler):
    """`POST /pipelines/check`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation(
        "checkPipeline",
        body="pipeline-check",
        answers="pipeline-check-result",
        refuses=[InstanceNotFound, InvalidInstance],
    )
    async def post(self) -> None:
        """What is wrong with a pipeline: its shape, its plugins' properties, its graph, columns that are not there."""
        told, state, principal = await self.body(), self.state, self.principal
        from jupyter_colophon.pipelines.documents import document_of

        def work() -> Document:
            if "document" in told:
                return _checked(told, told["document"])
            return _checked(told, document_of(state.instances().get_any(_SPACE, told["name"], principal)))

        self.answer(await self.among(_SPACE, work))


def _checked(told: Document, document: Mapping[str, Any]) -> Document:
    from jupyter_colophon.pipelines.check import checked
    from jupyter_colophon.pipelines.documents import refused, valid
    from jupyter_colophon.pipelines.plugin_registry import installed

    try:
        arguments = {
            name: one if isinstance(one, str) else compact(one) for name, one in told.get("arguments", {}).items()
        }
        return valid(checked(told["name"], document, installed(), arguments))
    except InvalidInstance as error:
        return refused(error)


ROUTES = [
    ("/pipelines/plugins", PluginsHandler),
    ("/pipelines/check", CheckHandler),
    ("/pipelines/schedules", SchedulesHandler),
]
