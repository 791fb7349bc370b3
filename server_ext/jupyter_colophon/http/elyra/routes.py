"""The Elyra door's route table."""

import re
from typing import NoReturn

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.http.elyra import instances, openapi, schemaspaces
from jupyter_colophon.http.elyra.base import ElyraHandler

PREFIX = "/elyra"


class UnknownPathHandler(ElyraHandler):
    """`GET` of a path below ours that no other route knows, such as a name with a slash in it."""

    @authenticated
    @authorized("read", resource="colophon")
    def get(self, path: str) -> NoReturn:
        """Say that there is no such path."""
        raise NotFound("path", path)


TEMPLATES = [*schemaspaces.ROUTES, *instances.ROUTES, *openapi.ROUTES]
ROUTES = [
    (PREFIX + re.sub(r"\\\{[a-z]+\\\}", "([^/]+)", re.escape(template)), handler) for template, handler in TEMPLATES
]
# A path with a slash at its end is left to Jupyter, which sends its client to the one without.
ROUTES += [(rf"{PREFIX}/((?:metadata|schema|schemaspace)/.*[^/])", UnknownPathHandler)]
