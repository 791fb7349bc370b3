"""Namespaces, datasets, streams, applications and programs."""

from typing import Any, Final

from jupyter_colophon.core.entities.entity import Listing
from jupyter_colophon.core.entities.registration_request import of_application, of_data
from jupyter_colophon.core.errors import ConfirmationRequired, InvalidName, NotFound, Reserved
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.program_types import WORKFLOWS, programs_of
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.operations.operation import operation
from jupyter_colophon.operations.parameter import text
from jupyter_colophon.operations.request import Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS, entity_in_path
from jupyter_colophon.pipelines.running_pipelines import stop_in

_TEXTS: Final = {"type": "object", "additionalProperties": {"type": "string"}}
_NAMED: Final = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
_DONE: Final = {"type": "object", "properties": {"message": {"type": "string"}}, "required": ["message"]}
_METADATA: Final = {
    "type": "object",
    "properties": {"properties": _TEXTS, "tags": {"type": "array", "items": {"type": "string"}}},
    "additionalProperties": False,
}
_NAMESPACE: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "description": {"type": "string"}, "config": _TEXTS},
    "additionalProperties": False,
}
_DATA: Final = {
    "type": "object",
    "properties": {
        "typeName": {"type": "string"},
        "description": {"type": "string"},
        "ttl": {"type": ["string", "integer"], "pattern": "^[0-9]{1,18}$", "minimum": 0, "maximum": 10**18 - 1},
        "schema": {},
        "properties": {"type": "object", "properties": {"schema": {}}, "additionalProperties": {"type": "string"}},
        "metadata": _METADATA,
    },
    "additionalProperties": False,
}
_ID: Final = {"type": "string"}
_WORKFLOW: Final = {
    "type": "object",
    "properties": {"name": _ID, "nodes": {"type": "array", "items": _ID}},
    "required": ["name"],
    "additionalProperties": False,
}
_APPLICATION: Final = {
    "type": "object",
    "properties": {
        "programs": {
            "type": "object",
            "properties": {WORKFLOWS: {"type": "array", "items": {"anyOf": [_ID, _WORKFLOW]}}},
            "additionalProperties": {"type": "array", "items": _ID},
        },
        "description": {"type": "string"},
        "artifact": {"type": ["string", "object"]},
        "plugins": _TEXTS,
        "schedules": _TEXTS,
        "metadata": _METADATA,
    },
    "additionalProperties": False,
}
_PAGE: Final = 500
_CONFIRM: Final = text("confirm", "The name of the namespace, to confirm that everything in it is deleted.")
_ENTITY: Final = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "urn": {"type": "string"},
        "description": {"type": "string"},
        "user": {"type": "object"},
        "system": {"type": "object"},
        "events": {"type": ["string", "null"], "description": "Of a stream: the folder with its events."},
    },
    "required": ["name", "urn", "description", "user", "system"],
}
_REGISTERED: Final = {
    "type": "object",
    "properties": {
        "message": {"type": "string"},
        "name": {"type": "string"},
        "changed": {"type": "boolean"},
        "version": {"type": "integer", "description": "The version of the SYSTEM metadata."},
    },
    "required": ["message", "changed", "version"],
}
_ERRORS: Final = (NotFound, InvalidName)
_WRITE_ERRORS: Final = (*_ERRORS, Reserved)


@operation("v3ListNamespaces", "GET /namespaces", answers={200: {"type": "array", "items": _NAMED}})
def list_namespaces(services: Services, request: Request) -> list[Document]:
    """List all namespaces, by name."""
    reader = services.catalog().reader
    namespaces: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page, cursor = reader.entities(Listing(type="namespace", limit=_PAGE, cursor=cursor), request.principal)
        namespaces += [one.namespace for one in page]
    return [{"name": name} for name in sorted(namespaces)]


@operation(
    "v3ReadNamespace",
    "GET /{namespaces}/{namespace}",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_namespace(services: Services, request: Request) -> Document:
    """Return a namespace."""
    return _read(services, request)


@operation(
    "v3PutNamespace",
    "PUT /{namespaces}/{namespace}",
    body={"application/json": _NAMESPACE},
    body_required=False,
    answers={200: _REGISTERED},
    errors=_WRITE_ERRORS,
)
def put_namespace(services: Services, request: Request) -> Document:
    """Create a namespace, or update its description."""
    urn = names.namespace(request.path["namespace"])
    name, body, catalog = urn.parts[0], request.body or {}, services.catalog()
    description = {"description": body["description"]} if "description" in body else {}
    catalog.namespaces.clear(name)
    written = catalog.deployer.namespace(name, description | body.get("config", {}), request.principal)
    return _registered(services, request, urn, f"Namespace '{name}' is there.", written, name=name)


@operation(
    "v3DeleteNamespace",
    "DELETE /{namespaces}/{namespace}",
    parameters=[_CONFIRM],
    answers={200: _DONE},
    errors=[*_WRITE_ERRORS, ConfirmationRequired],
)
def delete_namespace(services: Services, request: Request) -> Document:
    """Delete a namespace and everything in it."""
    urn = names.namespace(request.path["namespace"])
    name, catalog, principal = urn.parts[0], services.catalog(), request.principal
    if request[_CONFIRM] != name and not services.settings.allow_namespace_delete_without_confirm:
        # Deleting what does not exist needs no confirmation: the answer is the same as that of a read.
        catalog.metadata.require(urn, "", principal)
        raise ConfirmationRequired(name)
    catalog.write_path.require_namespace_deletion(name, principal)
    catalog.metadata.require(urn, "", principal)
    # First what is stored beside the catalog: after a failure the namespace still exists, and can be deleted again.
    services.instances().clear_namespace(name, principal)
    stop_in(name)
    catalog.namespaces.delete(name, principal)
    return {"message": f"Namespace '{name}' was deleted."}


@operation(
    "v3ReadDataset",
    "GET /namespaces/{namespace}/{collection}/{dataset}",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_dataset(services: Services, request: Request) -> Document:
    """Return a dataset or a stream."""
    return _read(services, request)


@operation(
    "v3PutDataset",
    "PUT /namespaces/{namespace}/{collection}/{dataset}",
    parameters=ENTITY_PARAMETERS,
    body={"application/json": _DATA},
    body_required=False,
    answers={200: _REGISTERED},
    errors=_WRITE_ERRORS,
)
def put_dataset(services: Services, request: Request) -> Document:
    """Create a dataset or a stream, or add to its metadata."""
    urn = _urn_to_register(services, request)
    registration = of_data(request.path["dataset"], request.body or {}, stream=services.identity.is_stream(urn))
    written = services.catalog().deployer.entity(urn, registration, request.principal)
    return _registered(services, request, urn, "It is there.", written)


@operation(
    "v3DeleteDataset",
    "DELETE /namespaces/{namespace}/{collection}/{dataset}",
    parameters=ENTITY_PARAMETERS,
    answers={200: _DONE},
    errors=_WRITE_ERRORS,
)
def delete_dataset(services: Services, request: Request) -> Document:
    """Delete a dataset or a stream with its metadata; its history and lineage stay."""
    return _delete(services, request)


@operation(
    "v3ReadApplication",
    "GET /namespaces/{namespace}/apps/{app}",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_application(services: Services, request: Request) -> Document:
    """Return an application."""
    return _read(services, request)


@operation(
    "v3PutApplication",
    "PUT /namespaces/{namespace}/apps/{app}",
    parameters=ENTITY_PARAMETERS,
    body={"application/json": _APPLICATION},
    body_required=False,
    answers={200: _REGISTERED},
    errors=_WRITE_ERRORS,
)
def put_application(services: Services, request: Request) -> Document:
    """Deploy an application with its programs; programs that are no longer among them are deleted."""
    urn, body = _urn_to_register(services, request), request.body or {}
    registration = of_application(request.path["app"], body)
    programs = programs_of(body["programs"]) if "programs" in body else None
    written = services.catalog().deployer.application(urn, registration, programs, request.principal)
    return _registered(services, request, urn, "The application is deployed.", written)


@operation(
    "v3DeleteApplication",
    "DELETE /namespaces/{namespace}/apps/{app}",
    parameters=ENTITY_PARAMETERS,
    answers={200: _DONE},
    errors=_WRITE_ERRORS,
)
def delete_application(services: Services, request: Request) -> Document:
    """Delete an application with its programs; their runs and lineage stay."""
    return _delete(services, request)


@operation(
    "v3ReadProgram",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_program(services: Services, request: Request) -> Document:
    """Return a program."""
    return _read(services, request)


def _read(services: Services, request: Request) -> Document:
    """Return the entity in the path with both scopes of its metadata; of a stream, also the folder of its events."""
    urn, namespace = entity_in_path(services, request)
    catalog, principal = services.catalog(), request.principal
    found = catalog.metadata.read_scoped(urn, namespace, principal)
    document: dict[str, Any] = {
        "name": urn.parts[-1] if found.summary is None else found.summary.name,
        "urn": str(urn),
        "description": found.system.properties.get("description", ""),
        "user": formats.whole(found.user),
        "system": formats.whole(found.system),
    }
    if not services.identity.is_stream(urn):
        return document
    folder = catalog.streams.folder(urn, principal)
    return document | {"events": None if folder is None else str(folder)}


def _urn_to_register(services: Services, request: Request) -> Urn:
    """Return the entity in the path. Raises NotFound for a foreign one in a namespace that it does not belong to."""
    urn, namespace = entity_in_path(services, request)
    # Our own have their namespace in their name; that of others is given by the rules, or stored.
    if namespace not in ("", services.identity.namespace_of(urn)):
        raise NotFound("entity", str(urn))
    return urn


def _registered(
    services: Services, request: Request, urn: Urn, message: str, written: list[Written], **more: str
) -> Document:
    """Return the answer to a registration, with the version that the SYSTEM metadata have then."""
    version = services.catalog().metadata.read_scoped(urn, "", request.principal).system.version
    return {"message": message, **more, "changed": any(one.changed for one in written), "version": version}


def _delete(services: Services, request: Request) -> Document:
    """Delete the entity in the path, and its children."""
    urn, namespace = entity_in_path(services, request)
    catalog, principal = services.catalog(), request.principal
    catalog.metadata.require(urn, namespace, principal)
    catalog.write_path.propose([Proposal(urn, None, "delete")], principal)
    return {"message": f"{formats.kind_of(urn, services.identity)} was deleted."}
