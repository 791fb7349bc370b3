"""The door's own description, served."""

import asyncio

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.http.datahub.base import DataHubHandler
from jupyter_colophon.http.operation import operation


class DescriptionHandler(DataHubHandler):
    """`GET /openapi.json`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readDataHubOpenApi", answers={200: {"type": "object", "required": ["openapi", "info", "paths"]}})
    async def get(self) -> None:
        """This document: what DataHub's clients can ask here, and what is answered (OpenAPI 3.1)."""
        # Loaded with the first request, as the native one is.
        from jupyter_colophon.http.datahub.description import document

        build = asyncio.get_running_loop().run_in_executor(self.state.threads, document, self.state.version)
        self.answer(await build | {"servers": [{"url": f"{self.base_url}colophon/datahub"}]})


ROUTES = [("/openapi.json", DescriptionHandler)]
