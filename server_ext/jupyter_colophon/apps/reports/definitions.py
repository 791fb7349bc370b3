"""Saved definitions. Each belongs to the user who created it, and only that user sees it."""

import json
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
    find_next_due_ms,
)
from jupyter_colophon.apps.reports.definition import ReportDefinition
from jupyter_colophon.apps.reports.queries import read_time_ms
from jupyter_colophon.apps.reports.tables import NEVER

#: The most definitions of a user.
_DEFINITIONS_MAX: Final = 100
Row = Mapping[str, Any]


def list_definitions(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the definitions of the caller by name."""
    rows = context.execute(
        lambda tables: [
            *tables.get_indexed_table("definitions").scan_index("created_by", context.principal.user, _DEFINITIONS_MAX)
        ],
        read_only=True,
    )
    described = [describe_definition(row) for row in rows]
    return {"definitions": sorted(described, key=lambda item: (item["definition"]["name"], item["id"]))}


def create_definition(context: ServiceContext, request: ServiceRequest) -> Any:
    """Save a definition. Raises BadRequest."""
    now = read_time_ms()
    row = {"id": uuid.uuid4().hex, "created_ms": now, **_build_fields(context, request, now)}

    def write(tables: AppTables) -> None:
        table = tables.get_indexed_table("definitions")
        if len(list(table.scan_index("created_by", row["created_by"], _DEFINITIONS_MAX))) >= _DEFINITIONS_MAX:
            raise BadRequest(f"you have {_DEFINITIONS_MAX} report definitions: delete some")
        table.upsert(row)

    context.execute(write)
    return ServiceResponse(describe_definition(row), 201)


def get_definition(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a definition of the caller. Raises NotFound."""
    return describe_definition(read_definition(context, request.path["definition"]))


def put_definition(context: ServiceContext, request: ServiceRequest) -> Any:
    """Change a definition of the caller. Its generated reports remain. Raises NotFound, BadRequest."""
    row = {**read_definition(context, request.path["definition"]), **_build_fields(context, request, read_time_ms())}
    if not context.execute(lambda tables: tables.get_table("definitions").update(row)):
        raise NotFound("report definition", row["id"])
    return describe_definition(row)


def delete_definition(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete a definition of the caller with its generated reports. Raises NotFound."""
    key = (read_definition(context, request.path["definition"])["id"],)

    def delete(tables: AppTables) -> None:
        tables.get_table("definitions").delete(key)
        for table in ("reports", "results"):
            tables.get_table(table).delete_range(Range.prefix(*key))

    context.execute(delete)


def read_definition(context: ServiceContext, definition: str) -> Row:
    """Return the row of a definition of the caller. Raises NotFound."""
    row = context.execute(lambda tables: tables.get_table("definitions").read((definition,)), read_only=True)
    if row is None or row["created_by"] != context.principal.user:
        raise NotFound("report definition", definition)
    return row


def describe_definition(row: Row) -> dict[str, Any]:
    """Return the document of a saved definition."""
    return {
        "id": row["id"],
        "definition": json.loads(row["document"]),
        "nextMs": None if row["due_ms"] == NEVER else row["due_ms"],
        "createdBy": row["created_by"],
        "createdMs": row["created_ms"],
        "updatedMs": row["updated_ms"],
    }


def _build_fields(context: ServiceContext, request: ServiceRequest, now: int) -> dict[str, Any]:
    document = ReportDefinition.from_document(request.parse_json_body()).document
    if not document["name"].strip():
        raise BadRequest("a saved definition needs a name")
    schedule = document["schedule"]
    return {
        "document": json.dumps(document, ensure_ascii=False),
        "due_ms": find_next_due_ms(schedule, now) if schedule else NEVER,
        "created_by": context.principal.user,
        "groups": json.dumps(sorted(context.principal.groups)),
        "updated_ms": now,
    }
