"""Find providers by name; shipped ones and others have entry points."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from jupyter_colophon.core.errors import InvalidField, StoreUnavailable, quote_and_truncate_text
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage.spi import CAPABILITIES, SUBSYSTEMS, StorageProvider
from jupyter_colophon.system.entry_points import find_entry_points

#: The entry-point group; a name refers to a callable that returns a provider.
GROUP = "jupyter_colophon.storage_providers"
# Shipped providers are imported directly: searching all installed packages would slow down every start.
_SHIPPED = {
    "sqlite": ("jupyter_colophon.storage.sqlite.provider", "SqliteProvider"),
    "postgresql": ("jupyter_colophon.storage.postgresql.provider", "PostgresProvider"),
}


def open_complete_provider(choice: StorageChoice) -> StorageProvider:
    """Open the chosen store with all subsystems and capabilities; missing ones are supplied by `storage/portable`.

    Raises StorageError, or InvalidField for an unknown name or option.
    """
    provider: StorageProvider = _find_provider_factory(choice.provider)()
    provider.initialize(choice.options)
    if provider.subsystems >= SUBSYSTEMS and provider.capabilities >= CAPABILITIES:
        return provider
    return _add_missing_subsystems(provider)


def _add_missing_subsystems(provider: StorageProvider) -> StorageProvider:
    # Most stores are complete and need not import it.
    from jupyter_colophon.storage.portable.provider import PortableProvider

    try:
        return PortableProvider(provider)
    except BaseException:
        provider.close()
        raise


def _find_provider_factory(name: str) -> Callable[[], Any]:
    if name in _SHIPPED:
        module, attribute = _SHIPPED[name]
        try:
            maker: Callable[[], Any] = getattr(import_module(module), attribute)
        except ImportError as missing:
            needed = f"pip install 'jupyter-colophon[{name}]'"
            raise StoreUnavailable(
                f"the driver of the storage provider {name} is not installed; run {needed}"
            ) from missing
        return maker
    for point in find_entry_points(GROUP, name):
        factory: Callable[[], Any] = point.load()
        return factory
    raise InvalidField(f"unknown storage provider {quote_and_truncate_text(name)}")
