"""Versions that this process recorded, so that it need not read its own writes from the catalog."""

from jupyter_colophon.core.instances.instance import Held

#: The maximum number of files.
_KEPT_MAX = 10_000


class Remembered:
    """Versions of records by file content. Another process may have written a newer one: writes must give the cached version
    as a condition, and fail then."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, int]] = {}

    def keep(self, held: Held, version: int) -> None:
        """Store the version of this content."""
        if len(self._known) >= _KEPT_MAX:
            self._known.clear()
        self._known[held.name] = (held.mark, version)

    def version(self, held: Held) -> int | None:
        """Return the version of this content, if it was the last one recorded here."""
        mark, version = self._known.get(held.name, ("", None))
        return version if mark == held.mark else None
