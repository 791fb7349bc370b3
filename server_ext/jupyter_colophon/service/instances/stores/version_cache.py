"""Versions that this process recorded, so that it need not read its own writes from the catalog."""

from jupyter_colophon.core.instances.instance import StoredInstance

#: The maximum number of files.
_CACHE_MAX = 10_000


class VersionCache:
    """Versions of records by file content. Another process may have written a newer one: writes must give the cached version
    as a condition, and fail then."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, int]] = {}

    def store_version(self, stored: StoredInstance, version: int) -> None:
        """Store the version of this content."""
        if len(self._known) >= _CACHE_MAX:
            self._known.clear()
        self._known[stored.name] = (stored.content_hash, version)

    def forget_version(self, name: str) -> None:
        """Forget the version of a removed file: one that another program creates with the same content is a new one."""
        self._known.pop(name, None)

    def find_version_of_content(self, stored: StoredInstance) -> int | None:
        """Return the version of this content, if it was the last one recorded here."""
        mark, version = self._known.get(stored.name, ("", None))
        return version if mark == stored.content_hash else None
