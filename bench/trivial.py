"""A Jupyter server extension that ignores what it receives: the minimum cost of a request."""

import json
from typing import Any

from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado.web import authenticated


class Echo(APIHandler):
    """`POST /trivial`."""

    @authenticated
    def post(self) -> None:
        """Parse the JSON body, and answer with JSON."""
        self.finish(json.dumps({"read": len(self.get_json_body() or {})}))


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "trivial"}]


def _load_jupyter_server_extension(server: Any) -> None:
    path = url_path_join(server.web_app.settings["base_url"], "trivial")
    server.web_app.add_handlers(".*$", [(path, Echo)])
