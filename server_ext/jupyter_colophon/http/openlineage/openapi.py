"""The OpenLineage door's own description."""

import asyncio

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.operation import operation


class DescriptionHandler(ApiHandler):
    """`GET /openapi.json`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readOpenLineageDoor", answers={200: {"type": "object", "required": ["openapi", "info", "paths"]}})
    async def get(self) -> None:
        """This document."""
        # Loaded with the first request, as the native one is.
        from jupyter_colophon.http.openlineage.description import document

        build = asyncio.get_running_loop().run_in_executor(self.state.threads, document, self.state.version)
        self.answer(await build | {"servers": [{"url": f"{self.base_url}colophon/openlineage"}]})


ROUTES = [("/openapi.json", DescriptionHandler)]
