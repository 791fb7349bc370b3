"""Whatever else is asked for below `/colophon/datahub`."""

from jupyter_colophon.core.errors import Absent
from jupyter_colophon.http.datahub.base import DataHubHandler


class UnknownHandler(DataHubHandler):
    """Any method of any path that no other route knows."""

    async def prepare(self) -> None:  # type: ignore[override]  # as Jupyter's own APIHandler
        """Say that there is no such path, to those who may ask."""
        await super().prepare()
        if not self._finished:
            raise Absent("path", self.request.path)


#: Must come last.
ROUTES: list[tuple[str, type]] = [("(/.*)?", UnknownHandler)]
