"""Whatever else is asked for below `/colophon/datahub`."""

from jupyter_colophon.http.datahub.base import DataHubHandler
from jupyter_colophon.http.unknown_paths import refuse_unknown_paths


@refuse_unknown_paths
class UnknownHandler(DataHubHandler):
    """Any method of any path that no other route knows."""


#: Must come last.
ROUTES: list[tuple[str, type]] = [("(/.*)?", UnknownHandler)]
