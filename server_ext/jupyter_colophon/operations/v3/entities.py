"""Namespaces, datasets, streams, applications and programs."""

from typing import Any, Final

from jupyter_colophon.core.entities.entity import EntityListing
from jupyter_colophon.core.entities.registration_request import (
    parse_application_registration,
    parse_dataset_registration,
)
from jupyter_colophon.core.errors import ConfirmationRequired, HeldForReview, InvalidName, NotFound, Reserved
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.program_types import WORKFLOWS, parse_programs_of_request
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_text
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.operations.v3.paths import ENTITY_PARAMETERS, parse_entity_of_request
from jupyter_colophon.pipelines.running_pipelines import stop_runs_in_namespace

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
_CONFIRM: Final = declare_text("confirm", "The name of the namespace, to confirm that everything in it is deleted.")
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
_WRITE_ERRORS: Final = (*_ERRORS, Reserved, HeldForReview)


@declare_operation(
    "v3ListNamespaces", "GET /namespaces", decided_by="entities", answers={200: {"type": "array", "items": _NAMED}}
)
def list_namespaces(services: ProcessServices, request: OperationRequest) -> list[Document]:
    """List all namespaces, by name."""
    reader = services.get_or_open_catalog().reader
    namespaces: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page, cursor = reader.list_visible_entities(
            EntityListing(type="namespace", limit=_PAGE, cursor=cursor), request.principal
        )
        namespaces += [item.namespace for item in page]
    return [{"name": name} for name in sorted(namespaces)]


@declare_operation(
    "v3ReadNamespace",
    "GET /{namespaces}/{namespace}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_namespace(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a namespace."""
    return _read_entity_of_path(services, request)


@declare_operation(
    "v3PutNamespace",
    "PUT /{namespaces}/{namespace}",
    decided_by="entities",
    body={"application/json": _NAMESPACE},
    body_required=False,
    answers={200: _REGISTERED},
    errors=_WRITE_ERRORS,
)
def create_or_update_namespace(services: ProcessServices, request: OperationRequest) -> Document:
    """Create a namespace, or update its description."""
    urn = names.make_namespace_urn(request.path["namespace"])
    name, body, catalog = urn.parts[0], request.body or {}, services.get_or_open_catalog()
    description = {"description": body["description"]} if "description" in body else {}
    catalog.namespaces.delete_remaining_content_now(name)
    written = catalog.deployer.create_or_update_namespace(name, description | body.get("config", {}), request.principal)
    return _render_registration(services, request, urn, f"Namespace '{name}' exists.", written, name=name)


@declare_operation(
    "v3DeleteNamespace",
    "DELETE /{namespaces}/{namespace}",
    decided_by="entities",
    parameters=[_CONFIRM],
    answers={200: _DONE},
    errors=[*_ERRORS, Reserved, ConfirmationRequired],
)
def delete_namespace(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete a namespace and everything in it."""
    urn = names.make_namespace_urn(request.path["namespace"])
    name, catalog, principal = urn.parts[0], services.get_or_open_catalog(), request.principal
    if request[_CONFIRM] != name and not services.settings.allow_namespace_delete_without_confirm:
        # Deleting what does not exist needs no confirmation: the answer is the same as that of a read.
        catalog.metadata.require_entity_in_namespace(urn, "", principal)
        raise ConfirmationRequired(name)
    catalog.write_path.require_may_delete_namespace(name, principal)
    catalog.metadata.require_entity_in_namespace(urn, "", principal)
    # Files outside the catalog first: after a failure the namespace still exists, and the deletion can be repeated.
    services.get_or_create_instances().remove_instances_of_namespace(name, principal)
    stop_runs_in_namespace(name)
    catalog.namespaces.delete_namespace_and_content_in_background(name, principal)
    return {"message": f"Namespace '{name}' was deleted."}


@declare_operation(
    "v3ReadDataset",
    "GET /namespaces/{namespace}/{collection}/{dataset}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_dataset(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a dataset or a stream."""
    return _read_entity_of_path(services, request)


@declare_operation(
    "v3PutDataset",
    "PUT /namespaces/{namespace}/{collection}/{dataset}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    body={"application/json": _DATA},
    body_required=False,
    answers={200: _REGISTERED},
    errors=_WRITE_ERRORS,
)
def create_or_update_dataset(services: ProcessServices, request: OperationRequest) -> Document:
    """Create a dataset or a stream, or add to its metadata."""
    urn = _parse_urn_to_register(services, request)
    registration = parse_dataset_registration(
        request.path["dataset"], request.body or {}, stream=services.identity.is_stream(urn)
    )
    written = services.get_or_open_catalog().deployer.create_or_update_entity(urn, registration, request.principal)
    return _render_registration(services, request, urn, "The entity exists.", written)


@declare_operation(
    "v3DeleteDataset",
    "DELETE /namespaces/{namespace}/{collection}/{dataset}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    answers={200: _DONE},
    errors=_WRITE_ERRORS,
)
def delete_dataset(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete a dataset or a stream with its metadata; its history and lineage stay."""
    return _delete_entity_of_path(services, request)


@declare_operation(
    "v3ReadApplication",
    "GET /namespaces/{namespace}/apps/{app}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_application(services: ProcessServices, request: OperationRequest) -> Document:
    """Return an application."""
    return _read_entity_of_path(services, request)


@declare_operation(
    "v3PutApplication",
    "PUT /namespaces/{namespace}/apps/{app}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    body={"application/json": _APPLICATION},
    body_required=False,
    answers={200: _REGISTERED},
    errors=_WRITE_ERRORS,
)
def deploy_application(services: ProcessServices, request: OperationRequest) -> Document:
    """Deploy an application with its programs; programs that are missing are deleted."""
    urn, body = _parse_urn_to_register(services, request), request.body or {}
    registration = parse_application_registration(request.path["app"], body)
    programs = parse_programs_of_request(body["programs"]) if "programs" in body else None
    written = services.get_or_open_catalog().deployer.deploy_application_and_delete_other_programs(
        urn, registration, programs, request.principal
    )
    return _render_registration(services, request, urn, "The application is deployed.", written)


@declare_operation(
    "v3DeleteApplication",
    "DELETE /namespaces/{namespace}/apps/{app}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    answers={200: _DONE},
    errors=_WRITE_ERRORS,
)
def delete_application(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete an application with its programs; their runs and lineage stay."""
    return _delete_entity_of_path(services, request)


@declare_operation(
    "v3ReadProgram",
    "GET /namespaces/{namespace}/apps/{app}/{type}/{program}",
    decided_by="entities",
    parameters=ENTITY_PARAMETERS,
    answers={200: _ENTITY},
    errors=_ERRORS,
)
def read_program(services: ProcessServices, request: OperationRequest) -> Document:
    """Return a program."""
    return _read_entity_of_path(services, request)


def _read_entity_of_path(services: ProcessServices, request: OperationRequest) -> Document:
    """Return the entity in the path with both scopes of its metadata; of a stream, also the folder of its events."""
    urn, namespace = parse_entity_of_request(services, request)
    catalog, principal = services.get_or_open_catalog(), request.principal
    metadata = catalog.metadata.read_scoped_metadata(urn, namespace, principal)
    document: dict[str, Any] = {
        "name": urn.parts[-1] if metadata.summary is None else metadata.summary.name,
        "urn": str(urn),
        "description": metadata.system.properties.get("description", ""),
        "user": formats.render_properties_and_tags(metadata.user),
        "system": formats.render_properties_and_tags(metadata.system),
    }
    if not services.identity.is_stream(urn):
        return document
    folder = catalog.streams.get_event_folder_or_none(urn, principal)
    return document | {"events": None if folder is None else str(folder)}


def _parse_urn_to_register(services: ProcessServices, request: OperationRequest) -> Urn:
    """Return the entity in the path. Raises NotFound for a foreign one in a namespace that it does not belong to."""
    urn, namespace = parse_entity_of_request(services, request)
    # Our own have their namespace in their name; that of others is given by the rules, or stored.
    if namespace not in ("", services.identity.get_namespace(urn)):
        raise NotFound("entity", str(urn))
    return urn


def _render_registration(
    services: ProcessServices,
    request: OperationRequest,
    urn: Urn,
    message: str,
    written: list[ProposalResult],
    **members: str,
) -> Document:
    """Return the answer to a registration, with the version that the SYSTEM metadata have then."""
    version = services.get_or_open_catalog().metadata.read_scoped_metadata(urn, "", request.principal).system.version
    return {"message": message, **members, "changed": any(write.has_changed for write in written), "version": version}


def _delete_entity_of_path(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete the entity in the path, and its children."""
    urn, namespace = parse_entity_of_request(services, request)
    catalog, principal = services.get_or_open_catalog(), request.principal
    catalog.metadata.require_entity_in_namespace(urn, namespace, principal)
    catalog.write_path.apply_proposals_atomically([Proposal(urn, None, "delete")], principal)
    return {"message": f"{formats.get_target_type(urn, services.identity)} was deleted."}
