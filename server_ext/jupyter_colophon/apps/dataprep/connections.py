"""Connections to folders of files: create, browse and sample them."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.apps import AppTables, NotFound, Range, ServiceContext, ServiceRequest
from jupyter_colophon.apps.dataprep.bodies import get_query_text, parse_body, require_valid_name
from jupyter_colophon.apps.dataprep.folders import find_file, list_folder, require_permitted_folder
from jupyter_colophon.apps.dataprep.samples import MEMBERS, SampleOptions, read_sample
from jupyter_colophon.wrangling.worker import build_page, decode_rows

#: How many rows of a sample are shown before a workspace is created.
_SHOWN = 100


def list_connections(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return all connections of the namespace by name."""
    rows = context.execute(
        lambda tables: [*tables.get_table("connections").scan(Range.prefix(context.namespace))], read_only=True
    )
    return {"connections": [_describe_connection(row) for row in rows]}


def get_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a connection. Raises NotFound."""
    return _describe_connection(read_connection(context, request.path["connection"]))


def put_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Create or change a connection. Raises BadRequest."""
    name = require_valid_name("connection", request.path["connection"])
    body = parse_body(request, "type", "folder", "description")
    row = {
        "context": context.namespace,
        "name": name,
        "type": body.get_choice("type", ("file",), "file"),
        "folder": str(require_permitted_folder(body.get_text("folder"))),
        "description": body.get_text("description", ""),
        "updated_by": context.principal.user,
    }

    def write(tables: AppTables) -> Mapping[str, Any]:
        table = tables.get_table("connections")
        stored = table.read((context.namespace, name))
        new = {**row, "created_by": stored["created_by"] if stored else context.principal.user}
        table.upsert(new)
        return new

    return _describe_connection(context.execute(write))


def delete_connection(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete a connection. Workspaces keep their samples. Raises NotFound."""
    key = (context.namespace, request.path["connection"])

    def delete(tables: AppTables) -> None:
        table = tables.get_table("connections")
        if table.read(key) is None:
            raise NotFound("connection", key[1])
        table.delete(key)

    context.execute(delete)


def list_files_of_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the folders and files of a folder. Raises NotFound, BadRequest."""
    row = read_connection(context, request.path["connection"])
    path = get_query_text(request, "path")
    return {"path": path, "entries": list_folder(require_permitted_folder(row["folder"]), path)}


def sample_connection(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a sample of a file, without creating a workspace. Raises NotFound, BadRequest."""
    row = read_connection(context, request.path["connection"])
    options = SampleOptions.from_body(parse_body(request, *MEMBERS))
    file = find_file(require_permitted_folder(row["folder"]), options.path)
    sample = read_sample(file, options, context.get_remaining_seconds)
    return build_page(decode_rows(sample.columns, sample.rows), 0, _SHOWN)


def read_connection(context: ServiceContext, name: str) -> Mapping[str, Any]:
    """Return the row of a connection. Raises NotFound."""
    key = (context.namespace, name)
    row = context.execute(lambda tables: tables.get_table("connections").read(key), read_only=True)
    if row is None:
        raise NotFound("connection", name)
    return row


def _describe_connection(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": row["name"],
        "type": row["type"],
        "folder": row["folder"],
        "description": row["description"],
        "createdBy": row["created_by"],
        "updatedBy": row["updated_by"],
    }
