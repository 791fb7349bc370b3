"""Whatever else is asked for below `/colophon/api`."""

from jupyter_colophon.http.base import ApiHandler
from jupyter_colophon.http.unknown_paths import refuse_unknown_paths


@refuse_unknown_paths
class UnknownHandler(ApiHandler):
    """Any method of any path that no other route knows."""


#: Must come last.
ROUTES = [(r"(|/.*)", UnknownHandler)]
