"""The Elyra door's own description, served."""

import asyncio
import json

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.http.elyra.base import ElyraHandler
from jupyter_colophon.http.operation import operation


class DescriptionHandler(ElyraHandler):
    """`GET /elyra/elyra.yaml`."""

    #: JSON is YAML, so nothing has to write the latter.
    content_type = "text/x-yaml"

    @authenticated
    @authorized("read", resource="colophon")
    @operation("readElyraYaml", answers={200: {"type": "object"}}, etag=True)
    async def get(self) -> None:
        """This document."""
        # Loaded with the first request, as the native one is.
        from jupyter_colophon.http.elyra.description import document

        build = asyncio.get_running_loop().run_in_executor(self.state.threads, document, self.state.version)
        told = await build | {"servers": [{"url": f"{self.base_url}elyra"}]}
        self.finish(json.dumps(told, indent=1), set_content_type=self.content_type)


ROUTES = [("/elyra.yaml", DescriptionHandler)]
