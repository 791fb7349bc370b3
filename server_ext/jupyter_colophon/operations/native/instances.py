"""The instances of a schemaspace: listed, changed, brought back, taken along (docs/api.md)."""

import json
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from jupyter_colophon.core.documents.codec import to_api_document
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
from jupyter_colophon.operations.conditions import CONDITIONS, format_etag, parse_write_condition
from jupyter_colophon.operations.native import instance_documents as documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import Parameter, declare_choice, declare_flag, declare_number, declare_text
from jupyter_colophon.operations.patch_bodies import JSON_PATCH, JSON_PATCH_SCHEMA, MERGE_PATCH
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices
from jupyter_colophon.operations.shared_parameters import CURSOR, DEFAULT_LIMIT, LIMIT_MAX

#: Maximum number of tags in one filter.
_TAGS_MAX: Final = 100


def _parse_tag_or_list(value: str) -> tuple[str, ...]:
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
    _parse_tag_or_list,
    (),
)
_SCHEMA: Final = declare_text("schema", "Return only instances of this schema.")
_VALID: Final = declare_choice(
    "valid", "Return only valid (`true`) or only invalid (`false`) instances.", "true", "false"
)
_SORT: Final = declare_choice(
    "sort", "The member to sort by; a leading `-` reverses the order.", *SORTS, default="display_name"
)
_LIMIT: Final = declare_number(
    "limit", "Maximum number of results.", default=DEFAULT_LIMIT, minimum=1, maximum=LIMIT_MAX
)
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
    **JSON_PATCH_SCHEMA,
    "description": "A JSON Patch (RFC 6902) of the same members, with at most 2,000 operations.",
}
_EITHER: Final = {"type": ["array", "object"], "items": JSON_PATCH_SCHEMA["items"]}
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


def _build_instance_answer(
    instance: Instance, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None
) -> OperationAnswer:
    """Return an instance, with its version as the ETag; without one while the catalog is unavailable."""
    etag = None if instance.version is None else format_etag(instance.version)
    return OperationAnswer(documents.render_instance(instance), status, etag, headers or {})


@declare_operation(
    "listInstances",
    "GET /schemaspaces/{space}/instances",
    decided_by="instances",
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
def list_instances(services: ProcessServices, request: OperationRequest) -> Document:
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
    return documents.render_instance_page(
        services.get_or_create_instances().list_matching_page(request.path["space"], query, request.principal)
    )


@declare_operation(
    "listCompleteInstances",
    "GET /schemaspaces/{space}/complete-instances",
    decided_by="instances",
    schemaspace="{space}",
    parameters=[_SCHEMA, _LIMIT, CURSOR],
    answers="complete-instances",
    errors=[SchemaspaceNotFound],
)
def list_complete_instances(services: ProcessServices, request: OperationRequest) -> Document:
    """List the instances of a schemaspace with their metadata by name, valid or not, without their versions."""
    instances, cursor = services.get_or_create_instances().list_next_instances(
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
    decided_by="instances",
    schemaspace="{space}",
    body="instance-edit",
    answers={201: "instance"},
    errors=[*_SAVE_REFUSES, InstanceExists],
    etag="usually",
    links=[OperationLink(item.operation, item.parameters, status=201) for item in _NEXT],
)
def create_instance(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Create an instance; without a name, its name is derived from its display name."""
    document = documents.parse_instance_edit(request.body)
    name = document.pop("name", None)
    instance = services.get_or_create_instances().create_instance(
        request.path["space"], name, document, request.principal
    )
    location = f"{request.base_url}colophon/api/schemaspaces/{instance.space}/instances/{instance.name}"
    return _build_instance_answer(instance, HTTPStatus.CREATED, {"Location": location})


@declare_operation(
    "readInstance",
    "GET /schemaspaces/{space}/instances/{instance}",
    decided_by="instances",
    schemaspace="{space}",
    parameters=[_KNOWN_MEMBERS],
    answers="instance",
    errors=[SchemaspaceNotFound, InstanceNotFound],
    etag="usually",
)
def read_instance(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Read an instance, valid or not, with its validation errors."""
    space, name = _get_schemaspace_and_name(request)
    return _build_instance_answer(
        services.get_or_create_instances().get_valid_or_invalid_instance(space, name, request.principal)
    )


@declare_operation(
    "writeInstance",
    "PUT /schemaspaces/{space}/instances/{instance}",
    decided_by="instances",
    schemaspace="{space}",
    parameters=CONDITIONS,
    body="instance-edit",
    answers="instance",
    errors=[*_SAVE_REFUSES, InstanceNotFound, RenameNotSupported, ConditionFailed],
    etag="usually",
    links=_NEXT,
)
def write_instance(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Replace an instance, also an invalid one."""
    (space, name), document = _get_schemaspace_and_name(request), documents.parse_instance_edit(request.body)
    return _build_instance_answer(
        services.get_or_create_instances().replace_instance(
            space, name, document, parse_write_condition(request), request.principal
        )
    )


@declare_operation(
    "patchInstance",
    "PATCH /schemaspaces/{space}/instances/{instance}",
    decided_by="instances",
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
def patch_instance(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Change parts of an instance by a merge patch (an object) or a JSON Patch (a list)."""
    (space, name), body, instances = (
        _get_schemaspace_and_name(request),
        request.body,
        services.get_or_create_instances(),
    )
    if isinstance(body, list):
        edit = partial(documents.apply_json_patch_to_instance, operations=body)
        return _build_instance_answer(
            instances.edit_instance_under_lock(space, name, edit, parse_write_condition(request), request.principal)
        )
    changes = documents.parse_instance_merge_patch(body)
    return _build_instance_answer(
        instances.merge_patch_instance(space, name, changes, parse_write_condition(request), request.principal)
    )


@declare_operation(
    "deleteInstance",
    "DELETE /schemaspaces/{space}/instances/{instance}",
    decided_by="instances",
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
def delete_instance(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete an instance, also an invalid one; `restore` undoes the deletion."""
    space, name = _get_schemaspace_and_name(request)
    done = services.get_or_create_instances().remove_instance(
        space, name, parse_write_condition(request), request.principal
    )
    return documents.render_removal_result(services.get_or_load_schemaspaces().get_space(space).key, done)


@declare_operation(
    "restoreInstance",
    "POST /schemaspaces/{space}/instances/{instance}/restore",
    decided_by="instances",
    schemaspace="{space}",
    parameters=CONDITIONS,
    body="instance-restore",
    answers="instance",
    errors=[*_SAVE_REFUSES, NotFound, ConditionFailed],
    etag="usually",
    links=_NEXT,
)
def restore_instance(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Restore an earlier version of an instance, also after its deletion."""
    (space, name), version = _get_schemaspace_and_name(request), int(request.body["version"])
    return _build_instance_answer(
        services.get_or_create_instances().restore_version(
            space, name, version, parse_write_condition(request), request.principal
        )
    )


@declare_operation(
    "listInstanceValues",
    "GET /schemaspaces/{space}/values",
    decided_by="instances",
    schemaspace="{space}",
    parameters=[_SCHEMA, _POINTER],
    answers="instance-values",
    errors=[SchemaspaceNotFound],
)
def list_instance_values(services: ProcessServices, request: OperationRequest) -> Document:
    """List the values of one property of the instances, most frequent first, without secrets."""
    counts = services.get_or_create_instances().count_values_at_pointer(
        request.path["space"], request[_SCHEMA], request[_POINTER], request.principal
    )
    return to_api_document(counts)


@declare_operation(
    "exportInstances",
    "POST /schemaspaces/{space}/export",
    decided_by="instances",
    schemaspace="{space}",
    body="instance-export",
    answers="instance-bundle",
    errors=[SchemaspaceNotFound, InstanceNotFound, TooLarge],
    permission="read",
)
def export_instances(services: ProcessServices, request: OperationRequest) -> Document:
    """Export instances in Elyra's format."""
    space = request.path["space"]
    exported = services.get_or_create_instances().export_instances(
        space, _parse_export_selection(request.body), request.principal
    )
    return {"schemaspace": services.get_or_load_schemaspaces().get_space(space).key, "instances": list(exported)}


@declare_operation(
    "importInstances",
    "POST /schemaspaces/{space}/import",
    decided_by="instances",
    schemaspace="{space}",
    parameters=[_DRY_RUN, _OVERWRITE],
    body="instance-bundle",
    answers="instance-import",
    errors=[SchemaspaceNotFound],
)
def import_instances(services: ProcessServices, request: OperationRequest) -> Document:
    """Import instances individually; existing ones are only replaced with `overwrite`."""
    dry_run = request[_DRY_RUN]
    done = services.get_or_create_instances().import_instances(
        request.path["space"],
        request.body["instances"],
        request.principal,
        overwrite=request[_OVERWRITE],
        dry_run=dry_run,
    )
    return documents.render_import_result(done, dry_run=dry_run)


def _get_schemaspace_and_name(request: OperationRequest) -> tuple[str, str]:
    """Return the schemaspace and the name of the instance in the path."""
    return request.path["space"], request.path["instance"]


def _parse_export_selection(body: dict[str, Any]) -> ExportSelection:
    return ExportSelection(
        names=tuple(body.get("names", ())),
        schema=body.get("schema", ""),
        include_invalid=body.get("includeInvalid", False),
        include_secrets=body.get("includeSecrets", False),
    )
