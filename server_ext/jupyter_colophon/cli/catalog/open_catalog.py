"""Which catalog is meant."""

import os

from jupyter_colophon.cli.catalog.catalog_protocol import CatalogSource
from jupyter_colophon.core.errors import InvalidConfiguration
from jupyter_colophon.settings import Settings


def opened(url: str, settings: Settings) -> CatalogSource:
    """The catalog of a server (`--url`), or the store of the settings. Raises InvalidConfiguration, NotFound, StorageError."""
    if not url:
        from jupyter_colophon.cli.catalog.local import Local

        return Local(settings)
    from jupyter_colophon.cli.catalog.remote import Remote
    from jupyter_colophon.client.transport import Server

    try:
        return Remote(Server(url, os.environ.get("COLOPHON_TOKEN", "")), settings.identity())
    except ValueError as error:
        raise InvalidConfiguration(f"--url: {error}") from None
