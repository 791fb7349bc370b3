"""Generated reports of saved definitions: by request and by schedule, each with the rights of the definition's owner."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.apps import (
    AppTables,
    BadRequest,
    NotFound,
    Principal,
    Range,
    ServiceContext,
    ServiceRequest,
    ServiceResponse,
    find_next_due_ms,
)
from jupyter_colophon.apps.reports.definition import ReportDefinition
from jupyter_colophon.apps.reports.definitions import read_definition
from jupyter_colophon.apps.reports.queries import build_aggregation, read_time_ms, respond_in_format
from jupyter_colophon.apps.reports.tables import NEVER

#: How many reports of a definition are kept, and how many definitions a run of the schedule reads.
KEPT: Final = 20
_DUE_AT_ONCE: Final = 20
#: With less time left, the next run of the schedule continues.
_LEAST_S: Final = 30.0
Row = Mapping[str, Any]


def run_definition(context: ServiceContext, request: ServiceRequest) -> Any:
    """Generate a report of a definition of the caller now. Raises NotFound, BadRequest."""
    row = read_definition(context, request.path["definition"])
    return ServiceResponse(_describe(_generate_report(context, context.principal, row, "request")), 201)


def list_reports(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the reports of a definition of the caller, newest first. Raises NotFound."""
    key = read_definition(context, request.path["definition"])["id"]
    rows = context.execute(
        lambda tables: [*tables.get_table("reports").scan(Range.prefix(key), KEPT, "desc")], read_only=True
    )
    return {"reports": [_describe(row) for row in rows]}


def get_report(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the result of a report of the caller, as JSON or CSV. Raises NotFound, BadRequest.

    Raises NotFound, too, if it contains runs of a namespace that was deleted, or that the caller may not read any more,
    or runs of such a program.
    """
    key = (read_definition(context, request.path["definition"])["id"], _parse_number(request))

    def read(tables: AppTables) -> tuple[Row | None, Row | None]:
        return tables.get_table("reports").read(key), tables.get_table("results").read(key)

    row, result = context.execute(read, read_only=True)
    if row is None or result is None:
        raise NotFound("report", request.path["number"])
    document = json.loads(result["result"])
    # Earlier versions did not store the programs.
    programs = document.pop("programs", ())
    if not _may_read_namespaces(context, json.loads(row["namespaces"])) or not _may_read_programs(context, programs):
        raise NotFound("report", request.path["number"])
    return respond_in_format(request, document)


def delete_report(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete a report of the caller. Raises NotFound."""
    key = (read_definition(context, request.path["definition"])["id"], _parse_number(request))

    def delete(tables: AppTables) -> None:
        if tables.get_table("reports").read(key) is None:
            raise NotFound("report", request.path["number"])
        for table in ("reports", "results"):
            tables.get_table(table).delete(key)

    context.execute(delete)


def generate_due_reports(context: ServiceContext) -> None:
    """Generate the reports of all definitions that are due, with the rights of their owners."""
    now = read_time_ms()

    def read(tables: AppTables) -> list[Row]:
        return list(tables.get_indexed_table("definitions").scan_filtered(Range(), (), _DUE_AT_ONCE, order_by="due_ms"))

    for row in context.execute(read, read_only=True):
        if row["due_ms"] > now or context.get_remaining_seconds() < _LEAST_S:
            return
        owner = Principal(row["created_by"], groups=frozenset(json.loads(row["groups"])))
        _generate_report(context, owner, row, "schedule")


def _generate_report(context: ServiceContext, principal: Principal, row: Row, trigger: str) -> Row:
    """Generate and store a report; one of a schedule is stored together with the next time. Raises NotFound."""
    result, names, problem = _build_result(context, principal, row)
    namespaces = {name: context.admin.get_namespace(name).created_ms for name in names}
    now = read_time_ms()
    report = {
        "definition": row["id"],
        "trigger": trigger,
        "status": "failed" if problem else "succeeded",
        "problem": problem,
        "generated_ms": now,
        "from_ms": result.get("fromMs"),
        "to_ms": result.get("toMs"),
        "namespaces": json.dumps(namespaces),
    }

    def write(tables: AppTables) -> Row:
        definitions, reports, results = (tables.get_table(name) for name in ("definitions", "reports", "results"))
        stored = definitions.read((row["id"],))
        if stored is None:
            raise NotFound("report definition", row["id"])
        kept = list(reports.scan(Range.prefix(row["id"]), order="desc"))
        numbered = {**report, "number": kept[0]["number"] + 1 if kept else 1}
        reports.upsert(numbered)
        if not problem:
            results.upsert({**_get_key(numbered), "result": json.dumps(result, ensure_ascii=False)})
        for table in (reports, results):
            table.delete_many([(old["definition"], old["number"]) for old in kept[KEPT - 1 :]])
        # A definition that was changed in the meantime has another time.
        if trigger == "schedule" and stored["due_ms"] == row["due_ms"]:
            spec = json.loads(stored["document"])["schedule"]
            due = find_next_due_ms(spec, now, row["due_ms"]) if spec else NEVER
            definitions.update({"id": row["id"], "due_ms": due})
        return numbered

    return context.execute(write)


def _build_result(context: ServiceContext, principal: Principal, row: Row) -> tuple[dict[str, Any], list[str], str]:
    """Return the result with its programs, the namespaces of the runs, and why there is no result."""
    definition = ReportDefinition.from_document(json.loads(row["document"]))
    try:
        aggregation = build_aggregation(context, principal, definition)
        return aggregation.build_result() | {"programs": sorted(aggregation.programs)}, aggregation.namespaces, ""
    except BadRequest as error:
        return {}, [], error.detail


def _may_read_namespaces(context: ServiceContext, namespaces: Mapping[str, int]) -> bool:
    """Return whether the caller may read these namespaces, and none of them was created again."""
    admin = context.run_as(context.principal).admin
    try:
        return all(admin.get_namespace(name).created_ms == created_ms for name, created_ms in namespaces.items())
    except NotFound:
        return False


def _may_read_programs(context: ServiceContext, programs: Sequence[str]) -> bool:
    return len(context.run_as(context.principal).admin.filter_readable_entities(programs)) == len(programs)


def _parse_number(request: ServiceRequest) -> int:
    text = request.path["number"]
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(NEVER))):
        raise NotFound("report", text)
    return int(text)


def _get_key(row: Row) -> dict[str, Any]:
    return {"definition": row["definition"], "number": row["number"]}


def _describe(row: Row) -> dict[str, Any]:
    return {
        "number": row["number"],
        "trigger": row["trigger"],
        "status": row["status"],
        "problem": row["problem"],
        "generatedMs": row["generated_ms"],
        "fromMs": row["from_ms"],
        "toMs": row["to_ms"],
    }
