"""Connections to files, databases and Kafka: create, test, browse and sample them."""

import json
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import AppTables, BadRequest, NotFound, Range, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.connection import Connection
from jupyter_colophon.apps.dataprep.databases import DatabaseConnection
from jupyter_colophon.apps.dataprep.files import FileConnection
from jupyter_colophon.apps.dataprep.topics import KafkaConnection
from jupyter_colophon.apps.shipped.bodies import Body, get_query_text, parse_body, require_valid_name
from jupyter_colophon.apps.shipped.samples import Sample
from jupyter_colophon.wrangling.worker import build_page, decode_rows

_TYPES: Final[Mapping[str, type[Connection]]] = {
    "file": FileConnection,
    "jdbc": DatabaseConnection,
    "kafka": KafkaConnection,
}
#: The members of all types that describe a sample.
SAMPLE_MEMBERS: Final = tuple(dict.fromkeys(name for type_ in _TYPES.values() for name in type_.sample_members))
#: How many rows of a sample are shown before a workspace is created.
_SHOWN: Final = 100


def list_connections(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return all connections of the namespace by name."""
    rows = context.execute(
        lambda tables: [*tables.get_table("connections").scan(Range.prefix(context.namespace))], read_only=True
    )
    return {"connections": [_describe_connection(row) for row in rows]}


def get_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a connection. Raises NotFound."""
    return _describe_connection(_read_connection(context, request.path["connection"]))


def put_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Create or change a connection. Raises BadRequest."""
    name = require_valid_name("connection", request.path["connection"])
    type_, connection, description = _parse_document(context, request)
    row = {
        "context": context.namespace,
        "name": name,
        "type": type_,
        "properties": json.dumps(connection.get_properties()),
        "description": description,
        "updated_by": context.principal.user,
    }

    def write(tables: AppTables) -> Mapping[str, Any]:
        table = tables.get_table("connections")
        stored = table.read((context.namespace, name))
        new = {**row, "created_by": stored["created_by"] if stored else context.principal.user}
        table.upsert(new)
        return new

    return _describe_connection(context.execute(write))


def test_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Connect by the document of a connection, which need not be stored. Raises BadRequest."""
    return {"message": _parse_document(context, request)[1].test(context)}


def delete_connection(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete a connection. Workspaces keep their samples. Raises NotFound."""
    key = (context.namespace, request.path["connection"])

    def delete(tables: AppTables) -> None:
        table = tables.get_table("connections")
        if table.read(key) is None:
            raise NotFound("connection", key[1])
        table.delete(key)

    context.execute(delete)


def list_entries_of_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return what is at the query parameter `path` of a connection. Raises NotFound, BadRequest."""
    _, connection = _open_connection(context, request.path["connection"])
    path = get_query_text(request, "path")
    return {"path": path, "entries": connection.list_entries(context, path)}


def sample_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a sample, without creating a workspace. Raises NotFound, BadRequest."""
    _, sample = read_sample_of_connection(context, request.path["connection"], parse_body(request, *SAMPLE_MEMBERS))
    return build_page(decode_rows(sample.columns, sample.rows), 0, _SHOWN)


def read_sample_of_connection(context: ServiceContext, name: str, body: Body) -> tuple[dict[str, Any], Sample]:
    """Return where a sample of a connection is read, and the sample. Raises NotFound, BadRequest."""
    type_, connection = _open_connection(context, name)
    members = {member: body.document[member] for member in SAMPLE_MEMBERS if member in body.document}
    source, sample = connection.read_sample(context, Body(members, connection.sample_members))
    return {"connection": name, "type": type_, **source}, sample


def _parse_document(context: ServiceContext, request: ServiceRequest) -> tuple[str, Connection, str]:
    """Return the type, the connection and the description in a body. Raises BadRequest."""
    document = request.parse_json_body()
    type_ = document.get("type", "file") if isinstance(document, dict) else "file"
    if not isinstance(type_, str) or type_ not in _TYPES:
        raise BadRequest(f"the member type must be one of {', '.join(_TYPES)}")
    body = Body(document, ("type", "description", *_TYPES[type_].members))
    return type_, _TYPES[type_].from_body(context, body), body.get_text("description", "")


def _open_connection(context: ServiceContext, name: str) -> tuple[str, Connection]:
    """Return the type of a connection, and the connection. Raises NotFound, and BadRequest if it is not permitted now."""
    row = _read_connection(context, name)
    type_ = _TYPES[row["type"]]
    return row["type"], type_.from_body(context, Body(_get_properties(row), type_.members))


def _read_connection(context: ServiceContext, name: str) -> Mapping[str, Any]:
    key = (context.namespace, name)
    row = context.execute(lambda tables: tables.get_table("connections").read(key), read_only=True)
    if row is None:
        raise NotFound("connection", name)
    return row


def _get_properties(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of the type of a connection. Earlier versions stored only the folder."""
    return dict(json.loads(row["properties"])) if row["properties"] else {"folder": row["folder"]}


def _describe_connection(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": row["name"],
        "type": row["type"],
        **_get_properties(row),
        "description": row["description"],
        "createdBy": row["created_by"],
        "updatedBy": row["updated_by"],
    }
