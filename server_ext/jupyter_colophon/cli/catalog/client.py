"""Clients for commands on entities: operations run in this process on a store, or on a server (`--url`)."""

import getpass
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from jupyter_colophon.cli.config import require_existing_store
from jupyter_colophon.cli.servers import create_server_address
from jupyter_colophon.client.caller import Caller, Document
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.client.v3_operations import V3Operations
from jupyter_colophon.core.access import Principal

if TYPE_CHECKING:
    from jupyter_colophon.operations.services import ProcessServices
    from jupyter_colophon.settings import Settings

_V3 = "/colophon/v3"
_PAGE = 500


class CatalogClient(Operations):
    """The operations of the native API; `v3` are those of the CDAP API without a native counterpart."""

    def __init__(self, caller: Caller, v3_caller: Caller) -> None:
        super().__init__(caller)
        self.v3 = V3Operations(v3_caller)

    def close(self) -> None:
        """Release the connections to a server, or the store."""
        super().close()
        self.v3.close()


def read_all_pages(list_page: Callable[..., Document], member: str) -> list[Document]:
    """Return the items of all pages of a list; `member` holds those of a page."""
    return list(read_pages(lambda cursor: list_page(cursor=cursor, limit=_PAGE), member))


@contextmanager
def open_catalog_client(url: str, settings: "Settings") -> Iterator[CatalogClient]:
    """Open the catalog of a server, or without a URL the store of the settings.

    Raises:
        InvalidConfiguration: the URL or a setting is not valid.
        NotFound: the store has no catalog.
        StorageError: the store cannot be opened.
    """
    if url:
        server = create_server_address(url)
        with closing(CatalogClient(Transport(server), Transport(server, prefix=_V3))) as client:
            yield client
        return
    from jupyter_colophon.operations.in_process import InProcessCaller
    from jupyter_colophon.operations.native.api import NATIVE
    from jupyter_colophon.operations.v3.api import V3

    with open_local_services(settings) as services:
        principal = Principal(getpass.getuser())
        yield CatalogClient(InProcessCaller(services, principal, NATIVE), InProcessCaller(services, principal, V3))


@contextmanager
def open_local_services(settings: "Settings") -> Iterator["ProcessServices"]:
    """Open the catalog in the store of the settings. Raises InvalidConfiguration, NotFound, NoCatalog, StorageError."""
    from jupyter_colophon.operations.services import ProcessServices
    from jupyter_colophon.service.registry_files import require_readable_extension_file

    store = require_existing_store(settings)
    require_readable_extension_file(settings.get_registry_extension())
    services = ProcessServices(
        settings, store, settings.build_identity(), version("jupyter-colophon"), requires_catalog=True
    )
    with closing(services):
        services.get_or_open_catalog()
        yield services
