"""Schemaspaces and schemas through the Elyra API."""

from jupyter_colophon.core.errors import SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.operations.elyra import body_schemas
from jupyter_colophon.operations.operation import declare_operation
from jupyter_colophon.operations.request import Document, OperationRequest
from jupyter_colophon.operations.services import ProcessServices


@declare_operation(
    "listSchemaspaceNames", "GET /schemaspace", decided_by="public", answers={200: body_schemas.SPACES}, etag=True
)
def list_schemaspace_names(services: ProcessServices, request: OperationRequest) -> Document:
    """List the names of the schemaspaces, without deprecated ones."""
    return {"schemaspaces": services.get_or_load_schemaspaces().list_names()}


@declare_operation(
    "readSchemaspace",
    "GET /schemaspace/{space}",
    decided_by="public",
    answers={200: body_schemas.SPACE},
    errors=[SchemaspaceNotFound],
    etag=True,
)
def read_schemaspace(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a schemaspace by its name or id."""
    schemaspace = services.get_or_load_schemaspaces().get_space(request.path["space"])
    return {name: getattr(schemaspace, name) for name in ("name", "id", "display_name", "description")}


@declare_operation(
    "listSchemas",
    "GET /schema/{space}",
    decided_by="public",
    answers={200: body_schemas.SCHEMAS},
    errors=[SchemaspaceNotFound],
    etag=True,
)
def list_schemas(services: ProcessServices, request: OperationRequest) -> Document:
    """List the schemas of a schemaspace, without deprecated ones."""
    space = request.path["space"]
    return {space: [dict(schema) for schema in services.get_or_load_schemaspaces().get_space(space).schemas.values()]}


@declare_operation(
    "readSchemaDocument",
    "GET /schema/{space}/{schema}",
    decided_by="public",
    answers={200: body_schemas.SCHEMA},
    errors=[SchemaspaceNotFound, SchemaNotFound],
    etag=True,
)
def read_schema_document(services: ProcessServices, request: OperationRequest) -> Document:
    """Read a schema, also a deprecated one."""
    return dict(services.get_or_load_schemaspaces().get_schema(request.path["space"], request.path["schema"]))
