"""Experiments: data, the column to predict, and the columns that predict it."""

import json
import time
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import (
    AlreadyExists,
    AppTables,
    BadRequest,
    NotFound,
    Range,
    ServiceContext,
    ServiceRequest,
    ServiceResponse,
)
from jupyter_colophon.apps.analytics.job_rows import get_key_of_row, list_job_rows
from jupyter_colophon.apps.analytics.job_runs import delete_entities
from jupyter_colophon.apps.analytics.names import list_entities_of_job, make_application_urn, require_valid_name
from jupyter_colophon.apps.analytics.sources import TYPES, Source, inspect_columns, refuse, require_columns
from jupyter_colophon.apps.shipped.bodies import Body, parse_body

_EXPERIMENTS_MAX, _PREDICTORS_MAX = 1_000, 500
#: The tables whose rows belong to an experiment.
PARTS: Final = ("splits", "models", "predictions")


def inspect_source(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the columns of data. Raises BadRequest."""
    source = Source.from_document(context, request.parse_json_body())
    return {"source": source.to_document(), "columns": inspect_columns(source)}


def list_experiments(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return all experiments of the namespace by name."""

    def read(tables: AppTables) -> list[dict[str, Any]]:
        rows = [*tables.get_table("experiments").scan(Range.prefix(context.namespace))]
        return [_describe(tables, row) for row in rows]

    return {"experiments": context.execute(read, read_only=True)}


def get_experiment(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return an experiment. Raises NotFound."""
    key = (context.namespace, request.path["experiment"])
    return context.execute(lambda tables: _describe(tables, _require_row(tables, key)), read_only=True)


def put_experiment(context: ServiceContext, request: ServiceRequest) -> Any:
    """Create or change an experiment. Raises BadRequest, AlreadyExists if splits depend on what would change."""
    name = require_valid_name("experiment", request.path["experiment"])
    row = {
        "context": context.namespace,
        "name": name,
        **_parse_experiment(context, parse_body(request, "description", "source", "outcome", "predictors")),
    }
    now = time.time_ns() // 1_000_000

    def write(tables: AppTables) -> tuple[dict[str, Any], bool]:
        table = tables.get_table("experiments")
        stored = table.read((context.namespace, name))
        if stored is None and table.count([Range.prefix(context.namespace)]) >= _EXPERIMENTS_MAX:
            raise BadRequest(f"the namespace has {_EXPERIMENTS_MAX} experiments: delete some")
        changed = stored is not None and any(stored[key] != row[key] for key in ("source", "outcome", "predictors"))
        if changed and tables.get_table("splits").count([Range.prefix(context.namespace, name)]):
            raise AlreadyExists("split of the experiment", name)
        created = stored or {"created_by": context.principal.user, "created_ms": now}
        new = {
            **row,
            "created_by": created["created_by"],
            "created_ms": created["created_ms"],
            "updated_by": context.principal.user,
            "updated_ms": now,
        }
        table.upsert(new)
        return _describe(tables, new), stored is None

    document, is_new = context.execute(write)
    return ServiceResponse(document, 201 if is_new else 200)


def delete_experiment(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete an experiment with its splits, models, predictions, files and entities. Raises NotFound, AlreadyExists for
    a job that runs.
    """
    key = (context.namespace, request.path["experiment"])
    read_experiment(context, key[1])
    entities = []
    for table in PARTS:
        for row in list_job_rows(context, table, key[1]):
            if row["state"] == "running":
                raise AlreadyExists("running job of the experiment", key[1])
            entities += list_entities_of_job(table, get_key_of_row(table, row))
    delete_entities(context, [*entities, make_application_urn(*key)])

    def delete(tables: AppTables) -> None:
        _require_row(tables, key)
        for id_ in PARTS:
            table = tables.get_table(id_)
            if any(row["state"] == "running" for row in table.scan(Range.prefix(*key))):
                raise AlreadyExists("running job of the experiment", key[1])
            table.delete_range(Range.prefix(*key))
        tables.get_table("experiments").delete(key)

    context.execute(delete)
    for file in [*context.files.list(f"{key[1]}/")]:
        context.files.delete(file.name)


def read_experiment(context: ServiceContext, name: str) -> dict[str, Any]:
    """Return an experiment. Raises NotFound."""
    key = (context.namespace, name)
    return context.execute(lambda tables: _describe(tables, _require_row(tables, key)), read_only=True)


def _require_row(tables: AppTables, key: tuple[str, str]) -> Mapping[str, Any]:
    row = tables.get_table("experiments").read(key)
    if row is None:
        raise NotFound("experiment", key[1])
    return row


def _describe(tables: AppTables, row: Mapping[str, Any]) -> dict[str, Any]:
    children = [Range.prefix(row["context"], row["name"])]
    outcome = json.loads(row["outcome"])
    return {
        "name": row["name"],
        "description": row["description"],
        "source": json.loads(row["source"]),
        "outcome": outcome,
        "predictors": json.loads(row["predictors"]),
        "problemType": "classification" if outcome["type"] == "categorical" else "regression",
        "splits": tables.get_table("splits").count(children),
        "models": tables.get_table("models").count(children),
        "createdBy": row["created_by"],
        "createdMs": row["created_ms"],
        "updatedBy": row["updated_by"],
        "updatedMs": row["updated_ms"],
    }


def _parse_experiment(context: ServiceContext, body: Body) -> dict[str, str]:
    source = Source.from_document(context, body.document.get("source"))
    outcome = _parse_column(body.document.get("outcome"), "/outcome")
    items = body.get_list("predictors", _PREDICTORS_MAX)
    predictors = [_parse_column(item, f"/predictors/{at}") for at, item in enumerate(items)]
    pointers = {f"/predictors/{at}/name": column["name"] for at, column in enumerate(predictors)}
    require_columns(inspect_columns(source), {"/outcome/name": outcome["name"], **pointers})
    seen = {outcome["name"]}
    for pointer, name in pointers.items():
        if name in seen:
            raise refuse(pointer, f"the column {name!r} is used twice")
        seen.add(name)
    return {
        "description": body.get_text("description", ""),
        "source": json.dumps(source.to_document()),
        "outcome": json.dumps(outcome),
        "predictors": json.dumps(predictors),
    }


def _parse_column(document: Any, pointer: str) -> dict[str, str]:
    if not isinstance(document, dict) or not isinstance(document.get("name"), str):
        raise refuse(pointer, "a column needs its name")
    if document.get("type") not in TYPES or document.keys() != {"name", "type"}:
        raise refuse(f"{pointer}/type", f"a column has the members name and type, which is one of {', '.join(TYPES)}")
    return {"name": document["name"], "type": document["type"]}
