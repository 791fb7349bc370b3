"""Schemaspaces and their schemas, and the check of a schema (docs/api.md)."""

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import AlreadyExists, NotFound, SchemaNotFound, SchemaRejected, SchemaspaceNotFound
from jupyter_colophon.operations.native import instance_documents as documents
from jupyter_colophon.operations.operation import Link, operation
from jupyter_colophon.operations.parameter import choice, flag, text
from jupyter_colophon.operations.request import Answer, Document, Request
from jupyter_colophon.operations.services import Services

if TYPE_CHECKING:
    from jupyter_colophon.service.schemaspaces.schema_validator import Kind

_SPACE: Final = text("space", "Refresh only this schemaspace.", format="colophon-space")
_DRY_RUN: Final = flag("dryRun", "Return the result without changing anything.")
_KIND: Final = choice(
    "kind",
    "Whether the schema is for instances of a schemaspace or for an aspect.",
    "schemaspace",
    "aspect",
    default="schemaspace",
)
_SCHEMA: Final = {"type": "object", "required": ["name", "properties"], "description": "The JSON Schema."}
_FIRST: Final = "$response.body#/schemaspaces/0"
_NEXT: Final = (
    Link("listInstances", {"path.space": f"{_FIRST}/name"}),
    Link("readSchema", {"path.space": f"{_FIRST}/name", "path.schema": f"{_FIRST}/schemas/0/name"}),
)


@operation("listSchemaspaces", "GET /schemaspaces", answers="schemaspaces", links=_NEXT)
def list_schemaspaces(services: Services, request: Request) -> Document:
    """List the schemaspaces with their schemas, and the errors of those that did not load."""
    return documents.schemaspaces(services.spaces())


@operation(
    "refreshSchemaspaces",
    "POST /schemaspaces/refresh",
    parameters=[_SPACE],
    answers="schemaspaces",
    errors=[SchemaspaceNotFound],
)
def refresh_schemaspaces(services: Services, request: Request) -> Document:
    """Reload the schemas from their providers."""
    services.require_admin(request.principal, "refresh", "schemaspaces")
    services.spaces().refresh(request[_SPACE] or None)
    return documents.schemaspaces(services.spaces())


@operation(
    "readSchema",
    "GET /schemaspaces/{space}/schemas/{schema}",
    answers={200: _SCHEMA},
    errors=[SchemaspaceNotFound, SchemaNotFound],
)
def read_schema(services: Services, request: Request) -> Document:
    """Read a schema of a schemaspace, also a deprecated one."""
    return dict(services.spaces().schema(request.path["space"], request.path["schema"]))


def _require_writer(services: Services, principal: Principal) -> None:
    """Raise AccessDenied for who may not change stored schemas, or where the settings let nobody change them."""
    services.require_admin(principal, "store", "schemas")
    services.stored_schemas()


@operation(
    "storeSchema",
    "PUT /schemaspaces/{space}/schemas/{schema}",
    body={"application/json": _SCHEMA},
    answers={200: _SCHEMA, 201: _SCHEMA},
    errors=[SchemaRejected, SchemaspaceNotFound, AlreadyExists],
    access=_require_writer,
)
def store_schema(services: Services, request: Request) -> Answer:
    """Store a schema in addition to those of packages, or replace a stored schema."""
    space, name, spaces = request.path["space"], request.path["schema"], services.spaces()
    is_new = services.stored_schemas().put(spaces, space, name, request.body, request.principal.user)
    return Answer(dict(spaces.schema(space, name)), HTTPStatus.CREATED if is_new else HTTPStatus.OK)


@operation(
    "removeSchema",
    "DELETE /schemaspaces/{space}/schemas/{schema}",
    answers="schemaspaces",
    errors=[SchemaspaceNotFound, NotFound],
    access=_require_writer,
)
def remove_schema(services: Services, request: Request) -> Document:
    """Delete a stored schema and list the remaining ones; its instances are kept."""
    space, name, spaces = request.path["space"], request.path["schema"], services.spaces()
    services.stored_schemas().remove(spaces, space, name, request.principal.user)
    return documents.schemaspaces(spaces)


@operation(
    "migrateInstances",
    "POST /schemaspaces/{space}/migrate",
    parameters=[_DRY_RUN],
    answers="migration",
    errors=[SchemaspaceNotFound],
    schemaspace="{space}",
)
def migrate_instances(services: Services, request: Request) -> Document:
    """Migrate the instances of a schemaspace to the current versions of their schemas."""
    services.require_admin(request.principal, "migrate", "instances")
    return documents.migration(services.spaces().migrate(request.path["space"], dry_run=request[_DRY_RUN]))


@operation(
    "checkSchema",
    "POST /schemas",
    parameters=[_KIND],
    body={"application/json": {"type": "object", "description": "A JSON Schema."}},
    answers="schema-check-result",
    errors=[SchemaRejected],
    permission="read",
)
def check_schema(services: Services, request: Request) -> Document:
    """Validate a schema: its dialect, size, references, regular expressions and members."""
    from jupyter_colophon.service.schemaspaces.schema_validator import check_schema

    kind: Kind = "aspect" if request[_KIND] == "aspect" else "schemaspace"
    return {"kind": kind, "dialect": check_schema(kind, request.body)}
