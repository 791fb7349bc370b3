"""The API's own description."""

import asyncio

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.operation import operation


class OpenApiHandler(ApiHandler):
    """`GET /openapi.json`."""

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readOpenApi", answers={200: {"type": "object", "required": ["openapi", "info", "paths"]}})
    async def get(self) -> None:
        """This document: what can be asked, and what is answered (OpenAPI 3.1)."""
        # Loaded with the first request: nobody should wait for it at the start of a server.
        from jupyter_colophon.http.native.description import document

        build = asyncio.get_running_loop().run_in_executor(self.state.threads, document, self.state.version)
        self.answer(await build | {"servers": [{"url": f"{self.base_url}colophon/api"}]})


ROUTES = [("/openapi.json", OpenApiHandler)]
