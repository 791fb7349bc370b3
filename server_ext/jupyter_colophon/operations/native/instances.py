"""The instances of a schemaspace: listed, changed, brought back, taken along (docs/api.md)."""

import json
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from jupyter_colophon.core.documents.codec import to_document
from jupyter_colophon.core.errors import (
    ConditionFailed,
    HookDenied,
    HookFailed,
    InstanceExists,
    InstanceInvalid,
    InstanceIsDirectory,
    InstanceNotFound,
    InstanceUnreadable,
    InvalidInstanceName,
    InvalidQuery,
    NotFound,
    PatchFailed,
    RemovalNotPermitted,
    RenameNotSupported,
    SchemaNotFound,
    SchemaspaceNotFound,
    TooLarge,
)
from jupyter_colophon.core.instances.instance import Instance
from jupyter_colophon.core.instances.instance_query import SORTS, ExportSelection, InstanceQuery
from jupyter_colophon.operations.conditions import CONDITIONS, format_etag, read_condition
from jupyter_colophon.operations.native import instance_documents as documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import Parameter, declare_choice, declare_flag, declare_number, declare_text
from jupyter_colophon.operations.patch_bodies import JSON_PATCH, JSON_PATCH_SHAPE, MERGE_PATCH
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import CURSOR, DEFAULT_LIMIT, LIMIT_MAX

#: Maximum number of tags in one filter.
_TAGS_MAX: Final = 100


def _parse_tags(value: str) -> tuple[str, ...]:
    """One tag, or a JSON list of them: a tag may hold any character."""
    if not value.startswith("["):
        return (value,) if value else ()
    try:
        tags = json.loads(value)
    except (ValueError, RecursionError):
        raise InvalidQuery("must be a tag, or a JSON list of tags", "tag") from None
    if len(tags) > _TAGS_MAX or not all(isinstance(item, str) for item in tags):
        raise InvalidQuery(f"must be a JSON list of at most {_TAGS_MAX} tags", "tag")
    return tuple(tags)


_Q: Final = declare_text("q", "Text to find in the name, the display name, the description or a tag, ignoring case.")
_TAG: Final[Parameter[tuple[str, ...]]] = Parameter(
    "tag",
    "Return only instances with this tag, or with one of a JSON list of tags.",
    {"type": "string"},
    _parse_tags,
    (),
)
_SCHEMA: Final = declare_text("schema", "Return only instances of this schema.")
_VALID: Final = declare_choice(
    "valid", "Return only valid (`true`) or only invalid (`false`) instances.", "true", "false"
)
_SORT: Final = declare_choice(
    "sort", "The member to sort by; a leading `-` reverses the order.", *SORTS, default="display_name"
)
_LIMIT: Final = declare_number("limit", "Maximum number of results.", default=DEFAULT_LIMIT, least=1, most=LIMIT_MAX)
_POINTER: Final = declare_text("pointer", "A JSON Pointer into `metadata`, such as `/language`.", required=True)
_DRY_RUN: Final = declare_flag("dryRun", "Return the result without changing anything.")
_OVERWRITE: Final = declare_flag("overwrite", "Replace instances that already exist.")
_KNOWN_MEMBERS: Final = declare_text(
    "If-None-Match", "An ETag of the client's copy: the status is 304 if it is still the current one.", place="header"
)
_MERGED: Final = {
    "type": "object",
    "description": "A merge patch (RFC 7396) of `display_name`, `schema_name`, `metadata` and `extra`.",
}
_LIST: Final = {
    **JSON_PATCH_SHAPE,
    "description": "A JSON Patch (RFC 6902) of the same members, with at most 2,000 operations.",
}
_EITHER: Final = {"type": ["array", "object"], "items": JSON_PATCH_SHAPE["items"]}
_SAVE_REFUSES: Final = (
    SchemaspaceNotFound,
    InvalidInstanceName,
    SchemaNotFound,
    InstanceInvalid,
    InstanceIsDirectory,
    HookDenied,
    HookFailed,
)
_NEXT: Final = (
    OperationLink("readInstance", {"path.space": "$request.path.space", "path.instance": "$response.body#/name"}),
    OperationLink("deleteInstance", {"path.space": "$request.path.space", "path.instance": "$response.body#/name"}),
)
_VALID_WORDS: Final[dict[str, bool | None]] = {"": None, "true": True, "false": False}


def _answer(instance: Instance, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an instance, with its version as the ETag; without one while the catalog is unavailable."""
    etag = None if instance.version is None else format_etag(instance.version)
    return Answer(documents.render_instance(instance), status, etag, headers or {})


@declare_operation(
    "listInstances",
    "GET /schemaspaces/{space}/instances",
    schemaspace="{space}",
    parameters=[_Q, _TAG, _SCHEMA, _VALID, _SORT, _LIMIT, CURSOR],
    answers="instances",
    errors=[SchemaspaceNotFound],
    links=[
        OperationLink(
            "readInstance",
            {"path.space": "$request.path.space", "path.instance": "$response.body#/instances/0/name"},
        )
    ],
)
def list_instances(services: Services, request: Request) -> Document:
    """List the instances of a schemaspace, valid or not, with counts of tags and schemas."""
    query = InstanceQuery(
        text=request[_Q],
        tags=request[_TAG],
        schema=request[_SCHEMA],
        valid=_VALID_WORDS[request[_VALID]],
        sort=request[_SORT],
        limit=request[_LIMIT],
        cursor=request[CURSOR],
    )
    return documents.render_page(services.get_instances().list_page(request.path["space"], query, request.principal))


@declare_operation(
    "listCompleteInstances",
    "GET /schemaspaces/{space}/complete-instances",
    schemaspace="{space}",
    parameters=[_SCHEMA, _LIMIT, CURSOR],
    answers="complete-instances",
    errors=[SchemaspaceNotFound],
)
def list_complete_instances(services: Services, request: Request) -> Document:
    """List the instances of a schemaspace with their metadata by name, valid or not, without their versions."""
    instances, cursor = services.get_instances().list_slice(
        request.path["space"],
        request[_LIMIT],
        request[CURSOR],
        request.principal,
        invalid=True,
        of_schema=request[_SCHEMA],
    )
    return {"instances": [documents.render_instance(item) for item in instances], "cursor": cursor}


@declare_operation(
    "createInstance",
    "POST /schemaspaces/{space}/instances",
    schemaspace="{space}",
    body="instance-edit",
    answers={201: "instance"},
    errors=[*_SAVE_REFUSES, InstanceExists],
    etag="usually",
    links=[OperationLink(item.operation, item.parameters, status=201) for item in _NEXT],
)
def create_instance(services: Services, request: Request) -> Answer:
    """Create an instance; without a name, its name is derived from its display name."""
    document = documents.parse_edit(request.body)
    name = document.pop("name", None)
    instance = services.get_instances().create(request.path["space"], name, document, request.principal)
    location = f"{request.base_url}colophon/api/schemaspaces/{instance.space}/instances/{instance.name}"
    return _answer(instance, HTTPStatus.CREATED, {"Location": location})


@declare_operation(
    "readInstance",
    "GET /schemaspaces/{space}/instances/{instance}",
    schemaspace="{space}",
    parameters=[_KNOWN_MEMBERS],
    answers="instance",
    errors=[SchemaspaceNotFound, InstanceNotFound],
    etag="usually",
)
def read_instance(services: Services, request: Request) -> Answer:
    """Read an instance, valid or not, with its validation errors."""
    space, name = _place(request)
    return _answer(services.get_instances().get_any(space, name, request.principal))


@declare_operation(
    "writeInstance",
    "PUT /schemaspaces/{space}/instances/{instance}",
    schemaspace="{space}",
    parameters=CONDITIONS,
    body="instance-edit",
    answers="instance",
    errors=[*_SAVE_REFUSES, InstanceNotFound, RenameNotSupported, ConditionFailed],
    etag="usually",
    links=_NEXT,
)
def write_instance(services: Services, request: Request) -> Answer:
    """Replace an instance, also an invalid one."""
    (space, name), document = _place(request), documents.parse_edit(request.body)
    return _answer(services.get_instances().update(space, name, document, read_condition(request), request.principal))


@declare_operation(
    "patchInstance",
    "PATCH /schemaspaces/{space}/instances/{instance}",
    schemaspace="{space}",
    parameters=CONDITIONS,
    body={MERGE_PATCH: _MERGED, JSON_PATCH: _LIST, "application/json": _EITHER},
    answers="instance",
    errors=[
        *_SAVE_REFUSES,
        InstanceNotFound,
        InstanceUnreadable,
        RenameNotSupported,
        ConditionFailed,
        PatchFailed,
    ],
    etag="usually",
    links=_NEXT,
)
def patch_instance(services: Services, request: Request) -> Answer:
    """Change parts of an instance by a merge patch (an object) or a JSON Patch (a list)."""
    (space, name), body, instances = _place(request), request.body, services.get_instances()
    if isinstance(body, list):
        edit = partial(documents.apply_json_patch, operations=body)
        return _answer(instances.change(space, name, edit, read_condition(request), request.principal))
    changes = documents.parse_merge_patch(body)
    return _answer(instances.patch(space, name, changes, read_condition(request), request.principal))


@declare_operation(
    "deleteInstance",
    "DELETE /schemaspaces/{space}/instances/{instance}",
    schemaspace="{space}",
    parameters=CONDITIONS,
    answers="instance-delete-result",
    errors=[
        SchemaspaceNotFound,
        InstanceNotFound,
        RemovalNotPermitted,
        InstanceIsDirectory,
        ConditionFailed,
        HookDenied,
        HookFailed,
    ],
    links=[
        OperationLink("readInstance", {"path.space": "$request.path.space", "path.instance": "$request.path.instance"}),
    ],
)
def delete_instance(services: Services, request: Request) -> Document:
    """Delete an instance, also an invalid one; `restore` undoes the deletion."""
    space, name = _place(request)
    done = services.get_instances().remove(space, name, read_condition(request), request.principal)
    return documents.render_removal(services.get_schemaspaces().get_space(space).key, done)


@declare_operation(
    "restoreInstance",
    "POST /schemaspaces/{space}/instances/{instance}/restore",
    schemaspace="{space}",
    parameters=CONDITIONS,
    body="instance-restore",
    answers="instance",
    errors=[*_SAVE_REFUSES, NotFound, ConditionFailed],
    etag="usually",
    links=_NEXT,
)
def restore_instance(services: Services, request: Request) -> Answer:
    """Restore an earlier version of an instance, also after its deletion."""
    (space, name), version = _place(request), int(request.body["version"])
    return _answer(services.get_instances().restore(space, name, version, read_condition(request), request.principal))


@declare_operation(
    "listInstanceValues",
    "GET /schemaspaces/{space}/values",
    schemaspace="{space}",
    parameters=[_SCHEMA, _POINTER],
    answers="instance-values",
    errors=[SchemaspaceNotFound],
)
def list_instance_values(services: Services, request: Request) -> Document:
    """List the values of one property of the instances, most frequent first, without secrets."""
    counts = services.get_instances().count_values(
        request.path["space"], request[_SCHEMA], request[_POINTER], request.principal
    )
    return to_document(counts)


@declare_operation(
    "exportInstances",
    "POST /schemaspaces/{space}/export",
    schemaspace="{space}",
    body="instance-export",
    answers="instance-bundle",
    errors=[SchemaspaceNotFound, InstanceNotFound, TooLarge],
    permission="read",
)
def export_instances(services: Services, request: Request) -> Document:
    """Export instances in Elyra's format."""
    space = request.path["space"]
    exported = services.get_instances().export(space, _parse_choice(request.body), request.principal)
    return {"schemaspace": services.get_schemaspaces().get_space(space).key, "instances": list(exported)}


@declare_operation(
    "importInstances",
    "POST /schemaspaces/{space}/import",
    schemaspace="{space}",
    parameters=[_DRY_RUN, _OVERWRITE],
    body="instance-bundle",
    answers="instance-import",
    errors=[SchemaspaceNotFound],
)
def import_instances(services: Services, request: Request) -> Document:
    """Import instances individually; existing ones are only replaced with `overwrite`."""
    dry_run = request[_DRY_RUN]
    done = services.get_instances().import_all(
        request.path["space"],
        request.body["instances"],
        request.principal,
        overwrite=request[_OVERWRITE],
        dry_run=dry_run,
    )
    return documents.render_import_result(done, dry_run=dry_run)


def _place(request: Request) -> tuple[str, str]:
    """Return the schemaspace and the name of the instance in the path."""
    return request.path["space"], request.path["instance"]


def _parse_choice(body: dict[str, Any]) -> ExportSelection:
    return ExportSelection(
        names=tuple(body.get("names", ())),
        schema=body.get("schema", ""),
        include_invalid=body.get("includeInvalid", False),
        include_secrets=body.get("includeSecrets", False),
    )
