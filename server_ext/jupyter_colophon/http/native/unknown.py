"""Whatever else is asked for below our prefix: told as a problem, as all our errors are."""

from typing import NoReturn

from jupyter_server.auth.decorator import authorized
from tornado.web import authenticated

from jupyter_colophon.core.errors import Absent
from jupyter_colophon.http.base import ApiHandler


class UnknownHandler(ApiHandler):
    """Any method of any path that no other route knows."""

    @authenticated
    @authorized("read", resource="colophon")
    def get(self, path: str) -> NoReturn:
        """Say that there is no such path."""
        raise Absent("path", path)

    @authenticated
    @authorized("write", resource="colophon")
    def post(self, path: str) -> NoReturn:
        """Say that there is no such path."""
        raise Absent("path", path)

    @authenticated
    @authorized("write", resource="colophon")
    def put(self, path: str) -> NoReturn:
        """Say that there is no such path."""
        raise Absent("path", path)

    @authenticated
    @authorized("write", resource="colophon")
    def patch(self, path: str) -> NoReturn:
        """Say that there is no such path."""
        raise Absent("path", path)

    @authenticated
    @authorized("write", resource="colophon")
    def delete(self, path: str) -> NoReturn:
        """Say that there is no such path."""
        raise Absent("path", path)


#: Must come last.
ROUTES = [(r"(|/.*)", UnknownHandler)]
