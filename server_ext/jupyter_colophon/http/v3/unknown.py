"""Whatever else is asked for below `/colophon/v3`."""

from jupyter_colophon.http.unknown_paths import refuse_unknown_paths
from jupyter_colophon.http.v3.base import V3Handler


@refuse_unknown_paths
class UnknownHandler(V3Handler):
    """Any method of any path that no other route knows."""


#: Must come last.
ROUTES: list[tuple[str, type]] = [(".*", UnknownHandler)]
