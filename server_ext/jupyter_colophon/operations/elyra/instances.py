"""Instances of schemaspaces through the Elyra API. An unknown schemaspace is a bad request here (spec INST-1)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from jupyter_colophon.core.errors import (
    ConditionFailed,
    HookDenied,
    HookFailed,
    InstanceExists,
    InstanceInvalid,
    InstanceIsDirectory,
    InstanceNotFound,
    InstanceUnreadable,
    MalformedBody,
    MetadataError,
    PatchFailed,
    RemovalNotPermitted,
    RenameNotSupported,
    SchemaNotFound,
    SchemaspaceNotFound,
)
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.operations.conditions import CONDITIONS, format_etag, parse_write_condition
from jupyter_colophon.operations.elyra import body_schemas
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.parameter import declare_flag, declare_number, declare_text
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR, LIMIT_MAX

_INVALID: Final = declare_flag("include_invalid", "Include invalid instances, each with its `reason`.")
_SCHEMA: Final = declare_text("of_schema", "Only instances of this schema.")
_LIMIT: Final = declare_number(
    "limit",
    "Maximum number of instances; all of them by default. `Link` has the next page.",
    default=0,
    minimum=0,
    maximum=LIMIT_MAX,
)
#: Members of answers that Elyra's clients send back; they are not part of an instance.
_READ_ONLY: Final = ("resource", "reason")
_SAVE_ERRORS: Final = (InstanceInvalid, InstanceIsDirectory, HookDenied, HookFailed, SchemaNotFound)
_STATUSES: Final[Mapping[type[MetadataError], int]] = {SchemaspaceNotFound: HTTPStatus.BAD_REQUEST}


@declare_operation(
    "listMetadata",
    "GET /metadata/{space}",
    decided_by="instances",
    parameters=[_INVALID, _SCHEMA, _LIMIT, CURSOR],
    answers={200: body_schemas.INSTANCES},
    etag=True,
    statuses=_STATUSES,
    schemaspace="{space}",
)
def list_metadata(services: ProcessServices, request: OperationRequest) -> Document | OperationAnswer:
    """List the instances of a schemaspace by name."""
    instances, principal, space = services.get_or_create_instances(), request.principal, request.path["space"]
    invalid, schema, limit = request[_INVALID], request[_SCHEMA], request[_LIMIT]
    if not limit:
        listed = instances.list_visible_instances(space, principal, invalid=invalid, of_schema=schema or None)
        return {space: [_render_instance(instance) for instance in listed]}
    page, cursor = instances.list_next_instances(
        space, limit, request[CURSOR], principal, invalid=invalid, of_schema=schema
    )
    headers = {}
    if cursor is not None:
        query = {"limit": limit, "cursor": cursor, "include_invalid": str(invalid).lower(), "of_schema": schema}
        path = request.base_url.rstrip("/") + request.raw_path
        headers["Link"] = f'<{path}?{urlencode(query)}>; rel="next"'
    return OperationAnswer({space: [_render_instance(instance) for instance in page]}, headers=headers)


@declare_operation(
    "createMetadata",
    "POST /metadata/{space}",
    decided_by="instances",
    body={"application/json": body_schemas.NEW},
    answers={201: body_schemas.INSTANCE},
    errors=[*_SAVE_ERRORS, InstanceExists],
    etag=True,
    statuses=_STATUSES,
    schemaspace="{space}",
)
def create_metadata(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Create an instance; without a name, its name is derived from its display name."""
    document, space = _drop_read_only_members(request.body), request.path["space"]
    for member in ("schema_name", "metadata"):
        _require_member(document, member)
    if not {"name", "display_name"} & set(document):
        raise MalformedBody(
            "Insufficient information - request body requires one of the following: ['name', 'display_name']."
        )
    instance = services.get_or_create_instances().create_instance(
        space, _remove_and_return_name(document), document, request.principal
    )
    location = f"{request.base_url}elyra/metadata/{space}/{instance.name}"
    return _build_instance_answer(instance, HTTPStatus.CREATED, {"Location": location})


@declare_operation(
    "readMetadata",
    "GET /metadata/{space}/{instance}",
    decided_by="instances",
    parameters=[_INVALID],
    answers={200: body_schemas.INSTANCE},
    errors=[InstanceNotFound, InstanceUnreadable, InstanceInvalid],
    etag=True,
    statuses=_STATUSES,
    schemaspace="{space}",
)
def read_metadata(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Read a valid instance."""
    instances = services.get_or_create_instances()
    read = instances.get_valid_or_invalid_instance if request[_INVALID] else instances.get_valid_instance
    try:
        return _build_instance_answer(read(request.path["space"], request.path["instance"], request.principal))
    except SchemaNotFound as error:
        # The instance exists without its schema: it is invalid, and not absent.
        raise MalformedBody(error.detail) from error


@declare_operation(
    "replaceMetadata",
    "PUT /metadata/{space}/{instance}",
    decided_by="instances",
    parameters=CONDITIONS,
    body={"application/json": body_schemas.WHOLE},
    answers={200: body_schemas.INSTANCE},
    errors=[*_SAVE_ERRORS, InstanceNotFound, RenameNotSupported, ConditionFailed],
    etag=True,
    statuses=_STATUSES,
    schemaspace="{space}",
)
def replace_metadata(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Replace an instance, also an invalid one."""
    document = _drop_read_only_members(request.body)
    _require_member(document, "schema_name")
    document.setdefault("metadata", {})
    space, name = request.path["space"], request.path["instance"]
    return _build_instance_answer(
        services.get_or_create_instances().replace_instance(
            space, name, document, parse_write_condition(request), request.principal
        )
    )


@declare_operation(
    "changeMetadata",
    "PATCH /metadata/{space}/{instance}",
    decided_by="instances",
    parameters=CONDITIONS,
    body={"application/merge-patch+json": body_schemas.PARTS},
    answers={200: body_schemas.INSTANCE},
    errors=[*_SAVE_ERRORS, InstanceNotFound, InstanceUnreadable, RenameNotSupported, ConditionFailed, PatchFailed],
    etag=True,
    statuses=_STATUSES,
    schemaspace="{space}",
)
def change_metadata(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Change parts of an instance."""
    space, name, changes = request.path["space"], request.path["instance"], _drop_read_only_members(request.body)
    return _build_instance_answer(
        services.get_or_create_instances().merge_patch_instance(
            space, name, changes, parse_write_condition(request), request.principal
        )
    )


@declare_operation(
    "removeMetadata",
    "DELETE /metadata/{space}/{instance}",
    decided_by="instances",
    parameters=CONDITIONS,
    answers={204: body_schemas.NOTHING},
    errors=[InstanceNotFound, RemovalNotPermitted, InstanceIsDirectory, ConditionFailed, HookDenied, HookFailed],
    statuses=_STATUSES,
    schemaspace="{space}",
)
def remove_metadata(services: ProcessServices, request: OperationRequest) -> None:
    """Delete an instance, also an invalid one."""
    space, name = request.path["space"], request.path["instance"]
    services.get_or_create_instances().remove_instance(space, name, parse_write_condition(request), request.principal)


def _build_instance_answer(
    instance: Instance, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> OperationAnswer:
    """Return an instance with its version, where it has one, as its ETag."""
    etag = None if instance.version is None else format_etag(instance.version)
    return OperationAnswer(_render_instance(instance), status, etag, headers or {})


def _render_instance(instance: Instance) -> Document:
    """Return an instance in Elyra's form: without its path, and with a reason only where it is invalid."""
    members: Document = {
        "name": instance.name,
        "display_name": instance.display_name,
        "metadata": dict(instance.metadata),
        "schema_name": instance.schema_name,
    }
    return {**instance.extra, **members} | ({"reason": instance.reason} if instance.reason else {})


def _drop_read_only_members(body: Mapping[str, Any]) -> Document:
    return {name: value for name, value in body.items() if name not in _READ_ONLY}


def _require_member(document: Document, member: str) -> None:
    if member not in document:
        raise MalformedBody(f"Insufficient information - '{member}' is missing from request body.")


def _remove_and_return_name(document: Document) -> str | None:
    """Remove the name from a document and return it. Raises MalformedBody unless it is a string."""
    name = document.pop("name", None)
    if name is None or isinstance(name, str):
        return name
    raise MalformedBody("'name' is a string.")
