"""Instances in a server's catalog over HTTP, for programs without access to its database, such as kernels."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.client.problems import ClientError, RequestFailed
from jupyter_colophon.client.transport import ServerAddress, Transport
from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, SchemaNotFound, StoreUnavailable
from jupyter_colophon.schemaspaces.metadata import InstanceMetadata
from jupyter_colophon.service.instances.class_adapter import InstanceObject

#: The timeout for all instances of a schemaspace, in seconds.
_TIMEOUT_S = 120.0
_PAGE = 500
_MEMBERS = ("name", "display_name", "schema_name", "metadata")
#: Read-only members, which are not sent in edits.
_READ_ONLY_MEMBERS = ("resource", "reason")


def find_server_in_environment() -> ServerAddress | None:
    """Return the server named by the environment, if any. Raises ValueError if COLOPHON_URL is not a valid URL."""
    url = os.environ.get("COLOPHON_URL")
    return ServerAddress(url, os.environ.get("COLOPHON_TOKEN", "")) if url else None


class RemoteObjects:
    """The instances of one schemaspace, like `InstanceObjects`, but without secrets, which a server never returns.

    Hooks run in the server. A kernel's token may read instances, but not change them.
    """

    def __init__(self, space: str, server: ServerAddress) -> None:
        self._space, self._operations = space, Operations(Transport(server))

    def schemaspace_exists(self) -> bool:
        """Return whether there are instances."""
        return bool(
            self._call_and_convert_errors(partial(self._operations.list_instances, self._space, limit=1))["total"]
        )

    def load_all_instances(
        self, *, include_invalid: bool = False, of_schema: str | None = None
    ) -> Sequence[InstanceObject]:
        """Return all instances by name; with `include_invalid` invalid ones too, with a `reason`."""
        body = {"includeInvalid": include_invalid} | ({"schema": of_schema} if of_schema else {})
        export = partial(self._operations.export_instances, self._space, body, timeout_s=_TIMEOUT_S)
        documents = self._call_and_convert_errors(export)["instances"]
        objects_by_name = {document["name"]: self._create_object(document) for document in documents}
        for row in self._list_invalid_instances(of_schema) if include_invalid else ():
            objects_by_name[row["name"]] = InstanceMetadata(**{"metadata": {}} | _to_object_arguments(row))
        return [objects_by_name[name] for name in sorted(objects_by_name)]

    def load_instance(self, name: str) -> InstanceObject:
        """Return a valid instance. Raises InstanceNotFound, SchemaNotFound, ValidationError, ValueError."""
        document = self._read_instance_document(name)
        if document["reason"]:
            first = next((problem["message"] for problem in document["problems"]), document["reason"])
            _raise_by_reason(document["reason"], first, SchemaNotFound(self._space, document["schema_name"]))
        return self._create_object(_to_object_arguments(document))

    def save_new_instance(self, name: str | None, instance: InstanceObject) -> InstanceObject:
        """Save a new instance. Raises InstanceExists, and the errors of `get`."""
        body = _to_instance_edit(instance) | ({"name": name} if name else {})
        create = partial(self._operations.create_instance, self._space, body)
        return self._create_object(
            _to_object_arguments(self._call_and_convert_errors(create, name or "", body.get("schema_name")))
        )

    def replace_existing_instance(
        self, name: str, instance: InstanceObject, *, for_migration: bool = False
    ) -> InstanceObject:
        """Replace an instance. A mask leaves a secret unchanged."""
        body = _to_instance_edit(instance)
        write = partial(self._operations.write_instance, self._space, name, body)
        return self._create_object(
            _to_object_arguments(self._call_and_convert_errors(write, name, body.get("schema_name")))
        )

    def remove_instance(self, name: str) -> None:
        """Remove an instance. Raises InstanceNotFound, PermissionError."""
        self._call_and_convert_errors(partial(self._operations.delete_instance, self._space, name), name)

    def _read_instance_document(self, name: str) -> Mapping[str, Any]:
        document: Mapping[str, Any] = self._call_and_convert_errors(
            partial(self._operations.read_instance, self._space, name), name
        )
        return document

    def _list_invalid_instances(self, schema: str | None) -> Iterator[Mapping[str, Any]]:
        page = partial(
            self._operations.list_instances, self._space, valid="false", schema=schema, sort="name", limit=_PAGE
        )
        for row in read_pages(lambda cursor: self._call_and_convert_errors(partial(page, cursor=cursor)), "instances"):
            yield self._read_instance_document(row["name"])

    def _create_object(self, document: Mapping[str, Any]) -> InstanceObject:
        instance: InstanceObject = InstanceMetadata.from_dict(self._space, document)
        return instance

    def _call_and_convert_errors(self, call: Callable[[], Any], name: str = "", schema: str | None = None) -> Any:
        try:
            return call()
        except RequestFailed as refused:
            self._raise_elyra_error(refused, name, schema)
        except ClientError as error:
            raise StoreUnavailable(str(error)) from error

    def _raise_elyra_error(self, refused: RequestFailed, name: str, schema: str | None) -> NoReturn:
        """Raise a refusal as the type that Elyra's users catch."""
        detail = str(refused.problem.get("detail") or refused)
        absent = SchemaNotFound(self._space, schema or "")
        if refused.status == 404:
            raise (absent if detail == absent.detail else InstanceNotFound(self._space, name)) from refused
        if refused.status == 409 and str(refused.problem.get("type", "")).endswith(":already-exists"):
            raise InstanceExists(self._space, name) from refused
        if refused.status == 403:
            raise PermissionError(detail) from refused
        if refused.is_temporary or refused.status >= 500:
            raise StoreUnavailable(detail) from refused
        kind = str(refused.problem.get("type", "")).rpartition(":")[2]
        _raise_by_reason(
            "ValidationError" if kind in ("invalid-instance", "invalid-value") else "ValueError", detail, absent
        )


def _raise_by_reason(reason: str, detail: str, absent: SchemaNotFound) -> NoReturn:
    """Raise the error whose name is the reason."""
    if reason == "SchemaNotFoundError":
        raise absent
    if reason != "ValidationError":
        raise ValueError(detail)
    from jsonschema import ValidationError

    raise ValidationError(detail)


def _to_object_arguments(document: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a document of `instance.json` to the arguments of the object's class."""
    return {**document["extra"], **{key: document[key] for key in (*_MEMBERS, *_READ_ONLY_MEMBERS)}}


def _to_instance_edit(instance: InstanceObject) -> dict[str, Any]:
    """Return the document of `instance-edit.json` for an object."""
    document = instance.to_dict(trim=True)
    extra = {key: value for key, value in document.items() if key not in (*_MEMBERS, *_READ_ONLY_MEMBERS)}
    plain = {key: document[key] for key in _MEMBERS[1:] if key in document}
    return plain | ({"extra": extra} if extra else {})
