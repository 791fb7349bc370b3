"""Which store: providers by name. Shipped ones and others are found in the same way, by entry points."""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from jupyter_colophon.core.errors import InvalidField, StoreUnavailable, shown
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.storage.spi import CAPABILITIES, SEAMS, StorageProvider

#: The entry-point group; a name leads to a callable that makes a provider.
GROUP = "jupyter_colophon.storage_providers"
# What we ship is not looked for among all installed packages: that takes a while, and every start would wait for it.
_SHIPPED = {
    "sqlite": ("jupyter_colophon.storage.sqlite.provider", "SqliteProvider"),
    "postgresql": ("jupyter_colophon.storage.postgresql.provider", "PostgresProvider"),
}


def opened(choice: StoreChoice) -> StorageProvider:
    """The chosen store, open, with every seam and capability; what it lacks itself is served by `storage/portable`.

    Raises StorageError, or InvalidField for an unknown name or option.
    """
    provider: StorageProvider = _maker(choice.provider)()
    provider.initialize(choice.options)
    if provider.seams >= SEAMS and provider.capabilities >= CAPABILITIES:
        return provider
    return _completed(provider)


def _completed(provider: StorageProvider) -> StorageProvider:
    # Most stores lack nothing, and need not load it.
    from jupyter_colophon.storage.portable.provider import PortableProvider

    try:
        return PortableProvider(provider)
    except BaseException:
        provider.close()
        raise


def _maker(name: str) -> Callable[[], Any]:
    if name in _SHIPPED:
        module, attribute = _SHIPPED[name]
        try:
            maker: Callable[[], Any] = getattr(import_module(module), attribute)
        except ImportError as missing:
            needed = f"pip install 'jupyter-colophon[{name}]'"
            raise StoreUnavailable(f"the driver of the store {name} is not installed: {needed}") from missing
        return maker
    for point in entry_points(group=GROUP, name=name):
        found: Callable[[], Any] = point.load()
        return found
    raise InvalidField(f"unknown storage provider {shown(name)}")
