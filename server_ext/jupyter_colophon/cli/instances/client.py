"""The operations on instances that commands call: in this process, or on a server (`--url`, `COLOPHON_URL` outside kernels)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jupyter_colophon.cli.servers import server_at
from jupyter_colophon.client.caller import Caller, Document
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import pages
from jupyter_colophon.client.transport import Server, Transport
from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.errors import MetadataError

if TYPE_CHECKING:
    from jupyter_colophon.cli.instances.local_services import LocalServices
    from jupyter_colophon.settings import Settings

#: How long a server may take for an export, an import or a migration, in seconds.
BULK_TIMEOUT_S = 120.0
_PAGE = 500
_NAMES = ("name", "display_name", "schema_name", "metadata")


class InstanceClient(Operations):
    """The operations of the native API, with what commands on instances share."""

    def __init__(self, caller: Caller, services: "LocalServices | None" = None) -> None:
        """Call operations by `caller`; `services` are those of this process, if the instances are on this machine."""
        super().__init__(caller)
        self._services = services

    @cached_property
    def schemaspaces(self) -> list[Document]:
        """The schemaspaces, by name, deprecated ones too."""
        return list(self.list_schemaspaces()["schemaspaces"])

    def schemaspace_names(self, *, deprecated: bool) -> list[str]:
        """Return the names of the schemaspaces in lower case, deprecated ones too if they are included."""
        return [one["name"].lower() for one in self.schemaspaces if deprecated or not one["deprecated"]]

    def schemaspace_name(self, name_or_id: str) -> str | None:
        """Return the name of a schemaspace in lower case; None if there is no such schemaspace."""
        key = name_or_id.lower()
        return next(
            (one["name"].lower() for one in self.schemaspaces if key in (one["name"].lower(), one["id"].lower())), None
        )

    def schemas(self, space: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the schemas of a schemaspace by name, without deprecated ones."""
        (found,) = (one for one in self.schemaspaces if one["name"].lower() == space)
        return {one["name"]: self.read_schema(space, one["name"]) for one in found["schemas"] if not one["deprecated"]}

    def instances(self, space: str, schema: str | None = None) -> list[Document]:
        """Return all instances by name, valid or not, secrets masked. A server's are at their URNs."""
        found = pages(
            lambda cursor: self.list_complete_instances(space, schema=schema, limit=_PAGE, cursor=cursor), "instances"
        )
        return list(found) if self._services else [{**one, "resource": one["urn"]} for one in found]

    def require_services(self, activity: str) -> "LocalServices":
        """Return the services of this process. Raises MetadataError if the instances are a server's."""
        if self._services is None:
            raise MetadataError(f"{activity} on the server's machine: call this there without --url")
        return self._services


def record(instance: Mapping[str, Any]) -> Document:
    """Return an instance of the API as Elyra's command line shows it."""
    names = ("name", "display_name", "metadata", "schema_name")
    document: Document = {name: instance[name] for name in names} | instance["extra"]
    document["resource"] = instance["resource"]
    return document | ({"reason": instance["reason"]} if instance["reason"] else {})


def edit(document: Mapping[str, Any]) -> Document:
    """Return a document with the members of its class beside the others as the API has it (`instance-edit.json`)."""
    extra = {key: value for key, value in document.items() if key not in _NAMES}
    return {key: document[key] for key in _NAMES if key in document} | ({"extra": extra} if extra else {})


def patch(document: Mapping[str, Any]) -> list[Document]:
    """Return a JSON Patch that sets the members of a document, and each member of its metadata."""
    edited = edit(document)
    values: dict[tuple[str, ...], Any] = {("metadata", key): value for key, value in edited.pop("metadata", {}).items()}
    values |= {("extra", key): value for key, value in edited.pop("extra", {}).items()}
    values |= {(key,): value for key, value in edited.items()}
    return [{"op": "add", "path": written(words), "value": value} for words, value in values.items()]


@contextmanager
def open_client(url: str | None, settings: "Settings") -> Iterator[InstanceClient]:
    """Open the instances of a server, or of this machine. An empty `url` is this machine, None leaves it to the environment.

    Raises InvalidConfiguration.
    """
    server = find_server(url)
    if server is not None:
        with closing(InstanceClient(Transport(server))) as client:
            yield client
        return
    from jupyter_colophon.cli.instances.local_services import LocalServices
    from jupyter_colophon.operations.in_process import InProcessCaller

    services = LocalServices.open(settings)
    with closing(InstanceClient(InProcessCaller(services, services.principal), services)) as client:
        yield client


def find_server(url: str | None) -> Server | None:
    """Return the server that is meant; None where it is this machine. Raises InvalidConfiguration."""
    # A kernel's token may change no instance; what runs in a kernel is on the machine anyway.
    default = "" if os.environ.get("COLOPHON_KERNEL") else os.environ.get("COLOPHON_URL", "")
    chosen = default if url is None else url
    return server_at(chosen, _token(chosen)) if chosen else None


def _token(url: str) -> str:
    """Return the environment's token if it is meant for this server: no other one may see it."""
    meant = os.environ.get("COLOPHON_URL") or url
    return os.environ.get("COLOPHON_TOKEN", "") if meant.rstrip("/") == url.rstrip("/") else ""
