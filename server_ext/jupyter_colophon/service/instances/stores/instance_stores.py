"""The stores of this process, each opened once."""

from collections.abc import Callable, Mapping
from threading import Lock

from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.service.instances.stores.protocol import InstanceStore

#: Creates the store of a schemaspace.
Opener = Callable[[str], InstanceStore]


class InstanceStores:
    """Stores by kind (`file`, `catalog`, an entry point's name) and schemaspace."""

    def __init__(self, openers: Mapping[str, Opener], chosen: str) -> None:
        """`chosen` is the kind of store that is used by default."""
        self._openers, self.chosen = dict(openers), chosen
        self._open: dict[tuple[str, str], InstanceStore] = {}
        self._lock = Lock()

    def get_or_create_store(self, space: str, kind: str = "") -> InstanceStore:
        """Return the store of a schemaspace, by its key. Raises InvalidQuery for an unknown kind."""
        kind = kind or self.chosen
        if kind not in self._openers:
            raise InvalidQuery(
                f"unknown kind of store {kind!r}: use one of {', '.join(sorted(self._openers))}", "store"
            )
        with self._lock:
            if (kind, space) not in self._open:
                self._open[kind, space] = self._openers[kind](space)
            return self._open[kind, space]

    def close_all_stores(self) -> None:
        """Close all stores."""
        with self._lock:
            for store in self._open.values():
                store.close_store()
            self._open.clear()
