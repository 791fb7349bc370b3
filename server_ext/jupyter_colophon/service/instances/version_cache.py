"""What this process recorded last of each file, so that it need not ask the catalog what it wrote itself."""

from jupyter_colophon.core.instances.instance import Held

#: Of how many files.
_KEPT_MAX = 10_000


class Remembered:
    """Versions of records by the content they are of. Another process may have made a newer one since: who writes by
    what is remembered names the version, and is refused then."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, int]] = {}

    def keep(self, held: Held, version: int) -> None:
        """This version is of this content."""
        if len(self._known) >= _KEPT_MAX:
            self._known.clear()
        self._known[held.name] = (held.mark, version)

    def version(self, held: Held) -> int | None:
        """The version that was made of just this content, where it was the last one."""
        mark, version = self._known.get(held.name, ("", None))
        return version if mark == held.mark else None
