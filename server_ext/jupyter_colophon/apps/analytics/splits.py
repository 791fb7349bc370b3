"""Splits: the data of an experiment in two parts, one to train models and one to test them."""

import json
import os
from collections.abc import Mapping
from typing import Any

from jupyter_colophon.apps import AlreadyExists, ServiceContext, ServiceRequest, ServiceResponse
from jupyter_colophon.apps.analytics import job_rows
from jupyter_colophon.apps.analytics.experiments import read_experiment
from jupyter_colophon.apps.analytics.names import get_path_in_folder, name_split_files, require_valid_name
from jupyter_colophon.apps.analytics.sources import Source, refuse
from jupyter_colophon.apps.analytics.splitting import split_data
from jupyter_colophon.apps.shipped.bodies import parse_body
from jupyter_colophon.apps.shipped.folders import require_permitted_folder

_TYPES = ("random", "stratified")
_LEAST, _MOST = 0.05, 0.95


def list_splits(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the splits of an experiment without their statistics, the newest first. Raises NotFound."""
    experiment = read_experiment(context, request.path["experiment"])["name"]
    rows = job_rows.list_job_rows(context, "splits", experiment)
    return {"splits": [_describe(row, is_whole=False) for row in rows]}


def get_split(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a split. Raises NotFound."""
    return _describe(job_rows.read_job_row(context, "splits", _get_key(context, request)))


def create_split(context: ServiceContext, request: ServiceRequest) -> Any:
    """Start a job that splits the data. Raises NotFound, BadRequest, AlreadyExists."""
    experiment = read_experiment(context, request.path["experiment"])
    body = parse_body(request, "name", "description", "type", "trainFraction", "seed", "folder")
    name = require_valid_name("split", body.get_text("name"))
    fraction = body.document.get("trainFraction", 0.8)
    if isinstance(fraction, bool) or not isinstance(fraction, int | float) or not _LEAST <= fraction <= _MOST:
        raise refuse("/trainFraction", f"it must be a number from {_LEAST} to {_MOST}")
    folder = body.get_text("folder", "")
    settings = {
        "description": body.get_text("description", ""),
        "type": body.get_choice("type", _TYPES, "random"),
        "trainFraction": fraction,
        "seed": body.get_number("seed", 1, 2**31),
        "folder": str(require_permitted_folder(context, folder)) if folder else "",
    }
    if settings["type"] == "stratified" and experiment["problemType"] != "classification":
        raise refuse("/type", "only data with a categorical outcome can be stratified")
    Source.from_document(context, {key: experiment["source"][key] for key in ("path", "format", "header")})
    for part in ("train", "test"):
        path = get_path_in_folder(experiment["name"], {"name": name, **settings}, part)
        if path is not None and os.path.lexists(path):
            raise AlreadyExists("file", path)
    key = (context.namespace, experiment["name"], name)
    row = job_rows.start_job(
        context, "splits", key, settings, lambda job: split_data(job, experiment, {"name": name, **settings})
    )
    return ServiceResponse(_describe(row), 202)


def delete_split(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete a split with its files. Raises NotFound, and AlreadyExists while it runs or a model uses it."""
    key = _get_key(context, request)
    for row in job_rows.list_job_rows(context, "models", key[1]):
        if json.loads(row["settings"])["split"] == key[2]:
            raise AlreadyExists(f"model of the split {key[2]}:", row["name"])
    job_rows.delete_job_row(context, "splits", key)
    for file in [*context.files.list(name_split_files(key[1], key[2]))]:
        context.files.delete(file.name)


def _describe(row: Mapping[str, Any], *, is_whole: bool = True) -> dict[str, Any]:
    result = json.loads(row["result"]) if row["result"] else {"train": None, "test": None, "statistics": None}
    if not is_whole:
        result.pop("statistics")
    return {**job_rows.describe_job(row), **result}


def _get_key(context: ServiceContext, request: ServiceRequest) -> tuple[str, str, str]:
    return context.namespace, request.path["experiment"], request.path["split"]
