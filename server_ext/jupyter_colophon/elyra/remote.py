"""Instances in a server's catalog, for programs that have its URL and not its database: those in kernels."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NoReturn

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import pages
from jupyter_colophon.client.problems import ClientError, RequestFailed
from jupyter_colophon.client.transport import Server, Transport
from jupyter_colophon.core.errors import InstanceExists, InstanceNotFound, SchemaNotFound, StoreUnavailable
from jupyter_colophon.schemaspaces.metadata import Metadata
from jupyter_colophon.service.instances.class_adapter import Shaped

#: How long a server may take for all instances of a schemaspace, in seconds.
_PATIENCE_S = 120.0
_PAGE = 500
_MEMBERS = ("name", "display_name", "schema_name", "metadata")
#: What is told of the object, and is no part of what it is to be.
_TOLD_ONLY = ("resource", "reason")


def known_server() -> Server | None:
    """The server that the environment names. Raises ValueError where COLOPHON_URL is no URL of one."""
    url = os.environ.get("COLOPHON_URL")
    return Server(url, os.environ.get("COLOPHON_TOKEN", "")) if url else None


class RemoteObjects:
    """The instances of one schemaspace as `InstanceObjects` has them, but for secrets, which no server tells.

    Hooks run where the instances are: in the server. A token of a kernel may read instances, and not change them.
    """

    def __init__(self, space: str, server: Server) -> None:
        self._space, self._operations = space, Operations(Transport(server))

    def schemaspace_exists(self) -> bool:
        """Whether there are instances."""
        return bool(self._ask(partial(self._operations.list_instances, self._space, limit=1))["total"])

    def get_all(self, *, include_invalid: bool = False, of_schema: str | None = None) -> Sequence[Shaped]:
        """All of them by name; invalid ones, where they are asked for, with a `reason`."""
        body = {"includeInvalid": include_invalid} | ({"schema": of_schema} if of_schema else {})
        export = partial(self._operations.export_instances, self._space, body, timeout_s=_PATIENCE_S)
        documents = self._ask(export)["instances"]
        found = {one["name"]: self._made(one) for one in documents}
        for row in self._invalid(of_schema) if include_invalid else ():
            found[row["name"]] = Metadata(**{"metadata": {}} | _document(row))
        return [found[name] for name in sorted(found)]

    def get(self, name: str) -> Shaped:
        """One that is valid. Raises InstanceNotFound, SchemaNotFound, ValidationError, ValueError."""
        told = self._read(name)
        if told["reason"]:
            first = next((one["message"] for one in told["problems"]), told["reason"])
            _refuse(told["reason"], first, SchemaNotFound(self._space, told["schema_name"]))
        return self._made(_document(told))

    def create(self, name: str | None, instance: Shaped) -> Shaped:
        """Save a new one. Raises InstanceExists, and what `get` raises."""
        body = _edit(instance) | ({"name": name} if name else {})
        create = partial(self._operations.create_instance, self._space, body)
        return self._made(_document(self._ask(create, name or "", body.get("schema_name"))))

    def update(self, name: str, instance: Shaped, *, for_migration: bool = False) -> Shaped:
        """Replace one. A mask leaves the secret as it is."""
        body = _edit(instance)
        write = partial(self._operations.write_instance, self._space, name, body)
        return self._made(_document(self._ask(write, name, body.get("schema_name"))))

    def remove(self, name: str) -> None:
        """Remove one. Raises InstanceNotFound, PermissionError."""
        self._ask(partial(self._operations.delete_instance, self._space, name), name)

    def _read(self, name: str) -> Mapping[str, Any]:
        told: Mapping[str, Any] = self._ask(partial(self._operations.read_instance, self._space, name), name)
        return told

    def _invalid(self, schema: str | None) -> Iterator[Mapping[str, Any]]:
        page = partial(
            self._operations.list_instances, self._space, valid="false", schema=schema, sort="name", limit=_PAGE
        )
        for row in pages(lambda cursor: self._ask(partial(page, cursor=cursor)), "instances"):
            yield self._read(row["name"])

    def _made(self, document: Mapping[str, Any]) -> Shaped:
        made: Shaped = Metadata.from_dict(self._space, document)
        return made

    def _ask(self, call: Callable[[], Any], name: str = "", schema: str | None = None) -> Any:
        try:
            return call()
        except RequestFailed as refused:
            self._raise(refused, name, schema)
        except ClientError as error:
            raise StoreUnavailable(str(error)) from error

    def _raise(self, refused: RequestFailed, name: str, schema: str | None) -> NoReturn:
        """What was refused, as what Elyra's users catch."""
        told = str(refused.problem.get("detail") or refused)
        absent = SchemaNotFound(self._space, schema or "")
        if refused.status == 404:
            raise (absent if told == absent.detail else InstanceNotFound(self._space, name)) from refused
        if refused.status == 409 and str(refused.problem.get("type", "")).endswith(":already-exists"):
            raise InstanceExists(self._space, name) from refused
        if refused.status == 403:
            raise PermissionError(told) from refused
        if refused.is_temporary or refused.status >= 500:
            raise StoreUnavailable(told) from refused
        kind = str(refused.problem.get("type", "")).rpartition(":")[2]
        _refuse("ValidationError" if kind == "invalid-instance" else "ValueError", told, absent)


def _refuse(reason: str, told: str, absent: SchemaNotFound) -> NoReturn:
    """Raise what the reason is the name of."""
    if reason == "SchemaNotFoundError":
        raise absent
    if reason != "ValidationError":
        raise ValueError(told)
    from jsonschema import ValidationError

    raise ValidationError(told)


def _document(told: Mapping[str, Any]) -> dict[str, Any]:
    """`instance.json` as the object's class takes it."""
    return {**told["extra"], **{key: told[key] for key in (*_MEMBERS, *_TOLD_ONLY)}}


def _edit(instance: Shaped) -> dict[str, Any]:
    """`instance-edit.json` of an object."""
    document = instance.to_dict(trim=True)
    extra = {key: value for key, value in document.items() if key not in (*_MEMBERS, *_TOLD_ONLY)}
    plain = {key: document[key] for key in _MEMBERS[1:] if key in document}
    return plain | ({"extra": extra} if extra else {})
