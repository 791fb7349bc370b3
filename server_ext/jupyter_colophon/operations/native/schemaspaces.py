"""Schemaspaces and their schemas, and the check of a schema (docs/api.md)."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AlreadyExists, NotFound, SchemaNotFound, SchemaRejected, SchemaspaceNotFound
from jupyter_colophon.operations.native import instance_documents as documents
from jupyter_colophon.operations.operation import OperationLink, declare_operation
from jupyter_colophon.operations.parameter import declare_choice, declare_flag, declare_text
from jupyter_colophon.operations.request import Document, OperationAnswer, OperationRequest
from jupyter_colophon.operations.services import ProcessServices

if TYPE_CHECKING:
    from jupyter_colophon.service.schemaspaces.schema_validator import Kind

_SPACE: Final = declare_text("space", "Refresh only this schemaspace.", format="colophon-space")
_DRY_RUN: Final = declare_flag("dryRun", "Return the result without changing anything.")
_KIND: Final = declare_choice(
    "kind",
    "Whether the schema is for instances of a schemaspace or for an aspect.",
    "schemaspace",
    "aspect",
    default="schemaspace",
)
_SCHEMA: Final = {"type": "object", "required": ["name", "properties"], "description": "The JSON Schema."}
_FIRST: Final = "$response.body#/schemaspaces/0"
_NEXT: Final = (
    OperationLink("listInstances", {"path.space": f"{_FIRST}/name"}),
    OperationLink("readSchema", {"path.space": f"{_FIRST}/name", "path.schema": f"{_FIRST}/schemas/0/name"}),
)


@declare_operation("listSchemaspaces", "GET /schemaspaces", decided_by="public", answers="schemaspaces", links=_NEXT)
def list_schemaspaces(services: ProcessServices, request: OperationRequest) -> Document:
    """List the schemaspaces with their schemas, and the errors of those that did not load."""
    return documents.render_schemaspaces(services.get_or_load_schemaspaces())


@declare_operation(
    "refreshSchemaspaces",
    "POST /schemaspaces/refresh",
    decided_by="admin",
    parameters=[_SPACE],
    answers="schemaspaces",
    errors=[SchemaspaceNotFound],
)
def refresh_schemaspaces(services: ProcessServices, request: OperationRequest) -> Document:
    """Reload the schemas from their providers."""
    services.require_admin(request.principal, "refresh", "schemaspaces")
    services.get_or_load_schemaspaces().reload_schemas(request[_SPACE] or None)
    return documents.render_schemaspaces(services.get_or_load_schemaspaces())


@declare_operation(
    "readSchema",
    "GET /schemaspaces/{space}/schemas/{schema}",
    decided_by="public",
    answers={200: _SCHEMA},
    errors=[SchemaspaceNotFound, SchemaNotFound],
)
def read_schema(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a schema of a schemaspace, also a deprecated one."""
    return dict(services.get_or_load_schemaspaces().get_schema(request.path["space"], request.path["schema"]))


def _require_may_change_schemas(services: ProcessServices, principal: Principal) -> None:
    """Raise AccessDenied if the caller may not change stored schemas, or the settings do not allow that."""
    services.require_admin(principal, "store", "schemas")
    services.get_stored_schemas()


@declare_operation(
    "storeSchema",
    "PUT /schemaspaces/{space}/schemas/{schema}",
    decided_by="admin",
    body={"application/json": _SCHEMA},
    answers={200: _SCHEMA, 201: _SCHEMA},
    errors=[SchemaRejected, SchemaspaceNotFound, AlreadyExists],
    access=_require_may_change_schemas,
)
def store_schema(services: ProcessServices, request: OperationRequest) -> OperationAnswer:
    """Store a schema in addition to those of packages, or replace a stored schema."""
    space, name, spaces = request.path["space"], request.path["schema"], services.get_or_load_schemaspaces()
    is_new = services.get_stored_schemas().store_and_load_schema(
        spaces, space, name, request.body, request.principal.user
    )
    return OperationAnswer(dict(spaces.get_schema(space, name)), HTTPStatus.CREATED if is_new else HTTPStatus.OK)


@declare_operation(
    "removeSchema",
    "DELETE /schemaspaces/{space}/schemas/{schema}",
    decided_by="admin",
    answers="schemaspaces",
    errors=[SchemaspaceNotFound, NotFound],
    access=_require_may_change_schemas,
)
def remove_schema(services: ProcessServices, request: OperationRequest) -> Document:
    """Delete a stored schema and list the remaining ones; its instances are kept."""
    space, name, spaces = request.path["space"], request.path["schema"], services.get_or_load_schemaspaces()
    services.get_stored_schemas().delete_and_unload_schema(spaces, space, name, request.principal.user)
    return documents.render_schemaspaces(spaces)


@declare_operation(
    "migrateInstances",
    "POST /schemaspaces/{space}/migrate",
    decided_by="admin",
    parameters=[_DRY_RUN],
    answers="migration",
    errors=[SchemaspaceNotFound],
    schemaspace="{space}",
)
def migrate_instances(services: ProcessServices, request: OperationRequest) -> Document:
    """Migrate the instances of a schemaspace to the current versions of their schemas."""
    services.require_admin(request.principal, "migrate", "instances")
    return documents.render_migration_result(
        services.get_or_load_schemaspaces().migrate_instances(request.path["space"], dry_run=request[_DRY_RUN])
    )


@declare_operation(
    "checkSchema",
    "POST /schemas",
    decided_by="public",
    parameters=[_KIND],
    body={"application/json": {"type": "object", "description": "A JSON Schema."}},
    answers="schema-check-result",
    errors=[SchemaRejected],
    permission="read",
)
def check_schema(services: ProcessServices, request: OperationRequest) -> Document:
    """Validate a schema: its dialect, size, references, regular expressions and members."""
    from jupyter_colophon.service.schemaspaces.schema_validator import require_valid_schema_and_get_dialect

    kind: Kind = "aspect" if request[_KIND] == "aspect" else "schemaspace"
    return {"kind": kind, "dialect": require_valid_schema_and_get_dialect(kind, request.body)}
