"""The client of commands on instances: of this process, or of a server (`--url`, or `COLOPHON_URL` outside kernels)."""

import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.caller import Caller, Document
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.errors import MetadataError

if TYPE_CHECKING:
    from jupyter_colophon.cli.instances.local_services import LocalServices
    from jupyter_colophon.client.transport import ServerAddress
    from jupyter_colophon.settings import Settings

#: Timeout of exports, imports and migrations by a server, in seconds.
BULK_TIMEOUT_S = 120.0
_PAGE = 500
_NAMES = ("name", "display_name", "schema_name", "metadata")


class InstanceClient(Operations):
    """The operations of the native API, with helpers for commands on instances."""

    def __init__(self, caller: Caller, services: "LocalServices | None" = None) -> None:
        """Create a client; `services` are given if `caller` runs operations in this process."""
        super().__init__(caller)
        self._services = services

    @cached_property
    def schemaspaces(self) -> list[Document]:
        """All schemaspaces by name, including deprecated ones."""
        return list(self.list_schemaspaces()["schemaspaces"])

    def list_schemaspace_names(self, *, deprecated: bool) -> list[str]:
        """Return the names of the schemaspaces in lower case, optionally with deprecated ones."""
        return [space["name"].lower() for space in self.schemaspaces if deprecated or not space["deprecated"]]

    def find_schemaspace_name(self, name_or_id: str) -> str | None:
        """Return the name of a schemaspace in lower case, or None if it does not exist."""
        key = name_or_id.lower()
        return next(
            (
                space["name"].lower()
                for space in self.schemaspaces
                if key in (space["name"].lower(), space["id"].lower())
            ),
            None,
        )

    def read_schemas(self, space: str) -> Mapping[str, Mapping[str, Any]]:
        """Return the schemas of a schemaspace by name, without deprecated ones."""
        (document,) = (each for each in self.schemaspaces if each["name"].lower() == space)
        names = [schema["name"] for schema in document["schemas"] if not schema["deprecated"]]
        return {name: self.read_schema(space, name) for name in names}

    def list_all_instances(self, space: str, schema: str | None = None) -> list[Document]:
        """Return all instances by name, with invalid ones, secrets masked. `resource` is a path, or the URN on a server."""
        instances = read_pages(
            lambda cursor: self.list_complete_instances(space, schema=schema, limit=_PAGE, cursor=cursor), "instances"
        )
        if self._services:
            return list(instances)
        return [{**instance, "resource": instance["urn"]} for instance in instances]

    def require_local_services(self, activity: str) -> "LocalServices":
        """Return the services of this process. Raises MetadataError if the client is connected to a server."""
        if self._services is None:
            raise MetadataError(f"{activity} only on the machine with the files: run the command there, without --url")
        return self._services


def to_elyra_document(instance: Mapping[str, Any]) -> Document:
    """Return an instance as Elyra's command line prints it."""
    names = ("name", "display_name", "metadata", "schema_name")
    document: Document = {name: instance[name] for name in names} | instance["extra"]
    document["resource"] = instance["resource"]
    return document | ({"reason": instance["reason"]} if instance["reason"] else {})


def to_instance_edit(document: Mapping[str, Any]) -> Document:
    """Return a document of Elyra as `instance-edit.json`: members of its class are in `extra`."""
    extra = {key: value for key, value in document.items() if key not in _NAMES}
    return {key: document[key] for key in _NAMES if key in document} | ({"extra": extra} if extra else {})


def to_json_patch(document: Mapping[str, Any]) -> list[Document]:
    """Return a JSON Patch that sets the members of a document, and each member of its metadata."""
    edited = to_instance_edit(document)
    values: dict[tuple[str, ...], Any] = {("metadata", key): value for key, value in edited.pop("metadata", {}).items()}
    values |= {("extra", key): value for key, value in edited.pop("extra", {}).items()}
    values |= {(key,): value for key, value in edited.items()}
    return [{"op": "add", "path": format_pointer(path), "value": value} for path, value in values.items()]


@contextmanager
def open_instance_client(url: str | None, settings: "Settings") -> Iterator[InstanceClient]:
    """Open the instances of a server or, with an empty `url`, of this machine. None: the environment decides.

    Raises InvalidConfiguration.
    """
    server = find_server(url)
    if server is not None:
        from jupyter_colophon.client.transport import Transport

        with closing(InstanceClient(Transport(server))) as client:
            yield client
        return
    from jupyter_colophon.cli.instances.local_services import LocalServices
    from jupyter_colophon.operations.in_process import InProcessCaller
    from jupyter_colophon.operations.native.instance_api import INSTANCE_API

    services = LocalServices.open(settings)
    caller = InProcessCaller(services, services.principal, INSTANCE_API)
    with closing(InstanceClient(caller, services)) as client:
        yield client


def find_server(url: str | None) -> "ServerAddress | None":
    """Return the server, or None for this machine. Raises InvalidConfiguration."""
    # In a kernel, COLOPHON_URL is always set, but the kernel's token may not change instances.
    default = "" if os.environ.get("COLOPHON_KERNEL") else os.environ.get("COLOPHON_URL", "")
    chosen = default if url is None else url
    if not chosen:
        return None
    # The client of servers takes several milliseconds to load.
    from jupyter_colophon.cli.servers import create_server_address

    return create_server_address(chosen, _read_environment_token(chosen))


def _read_environment_token(url: str) -> str:
    """Return the environment's token if it is for this server: it must not be sent to another."""
    token_url = os.environ.get("COLOPHON_URL") or url
    return os.environ.get("COLOPHON_TOKEN", "") if token_url.rstrip("/") == url.rstrip("/") else ""
