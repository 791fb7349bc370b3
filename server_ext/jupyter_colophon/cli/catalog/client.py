"""The operations that commands call: in this process on the store, or on a server (`--url`)."""

import getpass
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_colophon.cli.servers import server_at
from jupyter_colophon.client.caller import Call, Caller, Document
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import pages
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import NotFound

if TYPE_CHECKING:
    from jupyter_colophon.operations.services import Services
    from jupyter_colophon.settings import Settings

_V3 = "/colophon/v3"
_PAGE = 500


class CatalogClient(Operations):
    """The operations of the native API, and those of CDAP's API that have no like there."""

    def __init__(self, caller: Caller, v3: Caller) -> None:
        super().__init__(caller)
        self._v3 = v3

    def put_namespace(self, namespace: str) -> Document:
        """Create a namespace; an existing one stays unchanged."""
        path = {"namespaces": "namespaces", "namespace": namespace}
        return self._v3.call(Call("v3PutNamespace", "PUT", "/{namespaces}/{namespace}", path=path, body={}))

    def put_dataset(self, namespace: str, dataset: str, body: Mapping[str, Any]) -> Document:
        """Create a dataset, or add to its metadata."""
        path = {"namespace": namespace, "collection": "datasets", "dataset": dataset}
        template = "/namespaces/{namespace}/{collection}/{dataset}"
        return self._v3.call(Call("v3PutDataset", "PUT", template, path=path, body=body))

    def put_application(self, namespace: str, app: str, body: Mapping[str, Any]) -> Document:
        """Deploy an application."""
        path = {"namespace": namespace, "app": app}
        return self._v3.call(
            Call("v3PutApplication", "PUT", "/namespaces/{namespace}/apps/{app}", path=path, body=body)
        )

    def read_namespace_changes(
        self, namespace: str, *, form: str, after: int | None, limit: int, wait_seconds: int | None, timeout_s: float
    ) -> Document:
        """Return changes of a namespace's metadata in a form of CDAP's."""
        template = "/namespaces/{namespace}/metadata/changes"
        query = {"format": form, "after": after, "limit": limit, "waitSeconds": wait_seconds}
        call = Call("v3ReadChanges", "GET", template, path={"namespace": namespace}, query=query)
        return self._v3.call(call, timeout_s)

    def close(self) -> None:
        """Release the connections to a server, or the store."""
        super().close()
        self._v3.close()


def collect_pages(list_page: Callable[..., Document], member: str) -> list[Document]:
    """Return what is under a member in all pages."""
    return list(pages(lambda cursor: list_page(cursor=cursor, limit=_PAGE), member))


@contextmanager
def open_client(url: str, settings: "Settings") -> Iterator[CatalogClient]:
    """Open the catalog of a server, or without a URL the store of the settings.

    Raises:
        InvalidConfiguration: the URL or a setting is not valid.
        NotFound: the store has no catalog.
        StorageError: the store cannot be opened.
    """
    if url:
        server = server_at(url)
        with closing(CatalogClient(Transport(server), Transport(server, prefix=_V3))) as client:
            yield client
        return
    from jupyter_colophon.operations.in_process import InProcessCaller
    from jupyter_colophon.operations.v3.api import V3

    with open_services(settings) as services:
        principal = Principal(getpass.getuser())
        yield CatalogClient(InProcessCaller(services, principal), InProcessCaller(services, principal, V3))


@contextmanager
def open_services(settings: "Settings") -> Iterator["Services"]:
    """Open the catalog in the store of the settings. Raises InvalidConfiguration, NotFound, StorageError."""
    from jupyter_colophon.operations.services import Services
    from jupyter_colophon.service.registry_files import readable

    store = settings.store()
    path = store.options.get("path") if store.provider == "sqlite" else None
    if path is not None and not Path(path).exists():
        raise NotFound("catalog", str(path))
    readable(settings.overlay())
    services = Services(settings, store, settings.identity(), version("jupyter-colophon"))
    with closing(services):
        services.catalog()
        yield services
