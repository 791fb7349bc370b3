"""Workspaces: a sample, and a recipe that is applied to it."""

import json
import time
import uuid
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import (
    AppTables,
    BadRequest,
    NotFound,
    Range,
    ServiceContext,
    ServiceRequest,
    ServiceResponse,
)
from jupyter_colophon.apps.dataprep.connections import SAMPLE_MEMBERS, read_sample_of_connection
from jupyter_colophon.apps.shipped.bodies import Body, parse_body
from jupyter_colophon.apps.shipped.samples import ROWS_MAX, Sample, build_sample
from jupyter_colophon.wrangling.tokens import split_lines

#: The most workspaces of a namespace.
_WORKSPACES_MAX: Final = 500
_NAME_MAX: Final = 200


def list_workspaces(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return all workspaces of the namespace, without their recipes; the last changed first."""
    rows = context.execute(
        lambda tables: [*tables.get_table("workspaces").scan(Range.prefix(context.namespace))], read_only=True
    )
    return {"workspaces": [_describe_row(row) for row in sorted(rows, key=lambda row: -row["updated_ms"])]}


def create_workspace(context: ServiceContext, request: ServiceRequest) -> Any:
    """Create a workspace with a sample of a connection, or with given rows. Raises NotFound, BadRequest."""
    body = parse_body(request, "name", "connection", "rows", *SAMPLE_MEMBERS)
    name = body.get_text("name", longest=_NAME_MAX)
    source, sample = _build_sample_of_body(context, body)
    now = time.time_ns() // 1_000_000
    row = {
        "context": context.namespace,
        "id": uuid.uuid4().hex,
        "name": name,
        "source": json.dumps(source),
        "current": 0,
        "newest": 0,
        "oldest": 0,
        "created_by": context.principal.user,
        "created_ms": now,
        "updated_by": context.principal.user,
        "updated_ms": now,
    }
    key = {"context": context.namespace, "workspace": row["id"]}

    def write(tables: AppTables) -> None:
        table = tables.get_table("workspaces")
        if table.count([Range.prefix(context.namespace)]) >= _WORKSPACES_MAX:
            raise BadRequest(f"the namespace has {_WORKSPACES_MAX} workspaces: delete some")
        table.upsert(row)
        stored = {"columns": json.dumps(sample.columns), "rows": json.dumps(sample.rows)}
        tables.get_table("samples").upsert({**key, **stored})
        tables.get_table("recipes").upsert({**key, "number": 0, "recipe": ""})

    context.execute(write)
    return ServiceResponse({**_describe_row(row), "directives": []}, 201)


def get_workspace(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a workspace with its recipe. Raises NotFound."""
    row, recipe = read_workspace(context, request.path["workspace"])
    return describe_workspace(row, recipe)


def rename_workspace(context: ServiceContext, request: ServiceRequest) -> Any:
    """Change the name of a workspace. Raises NotFound, BadRequest."""
    name = parse_body(request, "name").get_text("name", longest=_NAME_MAX)
    change_workspace(context, request.path["workspace"], {"name": name})
    return get_workspace(context, request)


def delete_workspace(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete a workspace with its sample and recipes. Raises NotFound."""
    key = (context.namespace, request.path["workspace"])

    def delete(tables: AppTables) -> None:
        table = tables.get_table("workspaces")
        if table.read(key) is None:
            raise NotFound("workspace", key[1])
        table.delete(key)
        tables.get_table("samples").delete(key)
        tables.get_table("recipes").delete_range(Range.prefix(*key))

    context.execute(delete)


def read_workspace(context: ServiceContext, workspace: str) -> tuple[Mapping[str, Any], str]:
    """Return the row of a workspace, and its recipe. Raises NotFound."""

    def read(tables: AppTables) -> tuple[Mapping[str, Any], str]:
        row = tables.get_table("workspaces").read((context.namespace, workspace))
        if row is None:
            raise NotFound("workspace", workspace)
        recipe = tables.get_table("recipes").read((context.namespace, workspace, row["current"]))
        return row, str(recipe["recipe"]) if recipe else ""

    return context.execute(read, read_only=True)


def read_sample_of_workspace(context: ServiceContext, workspace: str) -> Sample:
    """Return the sample of a workspace. Raises NotFound."""
    key = (context.namespace, workspace)
    row = context.execute(lambda tables: tables.get_table("samples").read(key), read_only=True)
    if row is None:
        raise NotFound("workspace", workspace)
    return Sample(json.loads(row["columns"]), json.loads(row["rows"]))


def change_workspace(context: ServiceContext, workspace: str, fields: Mapping[str, Any]) -> None:
    """Set fields of a workspace. Raises NotFound."""
    change = {
        "context": context.namespace,
        "id": workspace,
        "updated_by": context.principal.user,
        "updated_ms": time.time_ns() // 1_000_000,
        **fields,
    }
    if not context.execute(lambda tables: tables.get_table("workspaces").update(change)):
        raise NotFound("workspace", workspace)


def describe_workspace(row: Mapping[str, Any], recipe: str) -> dict[str, Any]:
    """Return the document of a workspace."""
    return {**_describe_row(row), "directives": split_lines(recipe)}


def _describe_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "id": row["id"],
        "name": row["name"],
        "source": json.loads(row["source"]),
        "canUndo": row["current"] > row["oldest"],
        "canRedo": row["current"] < row["newest"],
        "createdBy": row["created_by"],
        "createdMs": row["created_ms"],
        "updatedBy": row["updated_by"],
        "updatedMs": row["updated_ms"],
    }


def _build_sample_of_body(context: ServiceContext, body: Body) -> tuple[dict[str, Any], Sample]:
    if "rows" in body.document:
        rows = body.get_list("rows", ROWS_MAX)
        if not all(isinstance(row, dict) for row in rows):
            raise BadRequest("each of the rows must be a JSON object")
        return {}, build_sample(rows)
    return read_sample_of_connection(context, body.get_text("connection"), body)
