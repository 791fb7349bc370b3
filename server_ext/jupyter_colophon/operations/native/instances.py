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
from jupyter_colophon.core.instances.instance_query import SORTS, ExportChoice, InstanceQuery
from jupyter_colophon.operations.conditions import CONDITIONS, condition, etag_of
from jupyter_colophon.operations.native import instance_documents as documents
from jupyter_colophon.operations.operation import Link, operation
from jupyter_colophon.operations.parameter import Parameter, choice, flag, number, text
from jupyter_colophon.operations.patch_bodies import JSON_PATCH, JSON_PATCH_SHAPE, MERGE_PATCH
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services
from jupyter_colophon.operations.shared_parameters import CURSOR, DEFAULT_LIMIT, LIMIT_MAX

#: So many tags can be asked for at once.
_TAGS_MAX: Final = 100


def _tags(value: str) -> tuple[str, ...]:
    """One tag, or a JSON list of them: a tag may hold any character."""
    if not value.startswith("["):
        return (value,) if value else ()
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        raise InvalidQuery("a tag, or a JSON list of tags", "tag") from None
    if len(found) > _TAGS_MAX or not all(isinstance(one, str) for one in found):
        raise InvalidQuery(f"a JSON list of at most {_TAGS_MAX} tags", "tag")
    return tuple(found)


_Q: Final = text("q", "Text to find in the name, the display name, the description or a tag, ignoring case.")
_TAG: Final[Parameter[tuple[str, ...]]] = Parameter(
    "tag", "Return only instances with this tag, or with one of a JSON list of tags.", {"type": "string"}, _tags, ()
)
_SCHEMA: Final = text("schema", "Return only instances of this schema.")
_VALID: Final = choice("valid", "Return only valid (`true`) or only invalid (`false`) instances.", "true", "false")
_SORT: Final = choice(
    "sort", "The member to sort by; a leading `-` reverses the order.", *SORTS, default="display_name"
)
_LIMIT: Final = number("limit", "Maximum number of results.", default=DEFAULT_LIMIT, least=1, most=LIMIT_MAX)
_POINTER: Final = text("pointer", "A JSON Pointer into `metadata`, such as `/language`.", required=True)
_DRY_RUN: Final = flag("dryRun", "Return the result without changing anything.")
_OVERWRITE: Final = flag("overwrite", "Replace instances that already exist.")
_KNOWN: Final = text(
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
    Link("readInstance", {"path.space": "$request.path.space", "path.instance": "$response.body#/name"}),
    Link("deleteInstance", {"path.space": "$request.path.space", "path.instance": "$response.body#/name"}),
)
_VALID_WORDS: Final[dict[str, bool | None]] = {"": None, "true": True, "false": False}


def _answer(instance: Instance, status: int = HTTPStatus.OK, headers: Mapping[str, str] | None = None) -> Answer:
    """Return an instance, with its version as the ETag; without one while the catalog is unavailable."""
    etag = None if instance.version is None else etag_of(instance.version)
    return Answer(documents.instance(instance), status, etag, headers or {})


@operation(
    "listInstances",
    "GET /schemaspaces/{space}/instances",
    schemaspace="{space}",
    parameters=[_Q, _TAG, _SCHEMA, _VALID, _SORT, _LIMIT, CURSOR],
    answers="instances",
    errors=[SchemaspaceNotFound],
    links=[
        Link(
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
    return documents.page(services.instances().page(request.path["space"], query, request.principal))


@operation(
    "listCompleteInstances",
    "GET /schemaspaces/{space}/complete-instances",
    schemaspace="{space}",
    parameters=[_SCHEMA, _LIMIT, CURSOR],
    answers="complete-instances",
    errors=[SchemaspaceNotFound],
)
def list_complete_instances(services: Services, request: Request) -> Document:
    """List the instances of a schemaspace with their metadata by name, valid or not, without their versions."""
    found, cursor = services.instances().slice(
        request.path["space"],
        request[_LIMIT],
        request[CURSOR],
        request.principal,
        invalid=True,
        of_schema=request[_SCHEMA],
    )
    return {"instances": [documents.instance(one) for one in found], "cursor": cursor}


@operation(
    "createInstance",
    "POST /schemaspaces/{space}/instances",
    schemaspace="{space}",
    body="instance-edit",
    answers={201: "instance"},
    errors=[*_SAVE_REFUSES, InstanceExists],
    etag="usually",
    links=[Link(one.operation, one.parameters, status=201) for one in _NEXT],
)
def create_instance(services: Services, request: Request) -> Answer:
    """Create an instance; without a name, its name is derived from its display name."""
    document = documents.edited(request.body)
    name = document.pop("name", None)
    made = services.instances().create(request.path["space"], name, document, request.principal)
    location = f"{request.base_url}colophon/api/schemaspaces/{made.space}/instances/{made.name}"
    return _answer(made, HTTPStatus.CREATED, {"Location": location})


@operation(
    "readInstance",
    "GET /schemaspaces/{space}/instances/{instance}",
    schemaspace="{space}",
    parameters=[_KNOWN],
    answers="instance",
    errors=[SchemaspaceNotFound, InstanceNotFound],
    etag="usually",
)
def read_instance(services: Services, request: Request) -> Answer:
    """Read an instance, valid or not, with its validation errors."""
    space, name = _place(request)
    return _answer(services.instances().get_any(space, name, request.principal))


@operation(
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
    (space, name), document = _place(request), documents.edited(request.body)
    return _answer(services.instances().update(space, name, document, condition(request), request.principal))


@operation(
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
    (space, name), body, instances = _place(request), request.body, services.instances()
    if isinstance(body, list):
        edit = partial(documents.apply_json_patch, operations=body)
        return _answer(instances.change(space, name, edit, condition(request), request.principal))
    changes = documents.merged(body)
    return _answer(instances.patch(space, name, changes, condition(request), request.principal))


@operation(
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
        Link("readInstance", {"path.space": "$request.path.space", "path.instance": "$request.path.instance"}),
    ],
)
def delete_instance(services: Services, request: Request) -> Document:
    """Delete an instance, also an invalid one; `restore` undoes the deletion."""
    space, name = _place(request)
    done = services.instances().remove(space, name, condition(request), request.principal)
    return documents.removed(services.spaces().space(space).key, done)


@operation(
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
    return _answer(services.instances().restore(space, name, version, condition(request), request.principal))


@operation(
    "listInstanceValues",
    "GET /schemaspaces/{space}/values",
    schemaspace="{space}",
    parameters=[_SCHEMA, _POINTER],
    answers="instance-values",
    errors=[SchemaspaceNotFound],
)
def list_instance_values(services: Services, request: Request) -> Document:
    """List the values of one property of the instances, most frequent first, without secrets."""
    found = services.instances().values(request.path["space"], request[_SCHEMA], request[_POINTER], request.principal)
    return to_document(found)


@operation(
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
    found = services.instances().exported(space, _choice(request.body), request.principal)
    return {"schemaspace": services.spaces().space(space).key, "instances": list(found)}


@operation(
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
    done = services.instances().imported(
        request.path["space"],
        request.body["instances"],
        request.principal,
        overwrite=request[_OVERWRITE],
        dry_run=dry_run,
    )
    return documents.imported(done, dry_run=dry_run)


def _place(request: Request) -> tuple[str, str]:
    """Return the schemaspace and the name of the instance in the path."""
    return request.path["space"], request.path["instance"]


def _choice(body: dict[str, Any]) -> ExportChoice:
    return ExportChoice(
        names=tuple(body.get("names", ())),
        schema=body.get("schema", ""),
        include_invalid=body.get("includeInvalid", False),
        include_secrets=body.get("includeSecrets", False),
    )
