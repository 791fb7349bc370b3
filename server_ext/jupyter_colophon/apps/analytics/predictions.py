"""Predictions: a model that is applied to data, and the file that this writes."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.apps import (
    AlreadyExists,
    BadRequest,
    ServiceContext,
    ServiceRequest,
    ServiceResponse,
    Urn,
    make_dataset_urn,
)
from jupyter_colophon.apps.analytics import job_rows
from jupyter_colophon.apps.analytics.experiments import read_experiment
from jupyter_colophon.apps.analytics.frames import load_model, quote_column, read_source
from jupyter_colophon.apps.analytics.models import describe_model, read_model
from jupyter_colophon.apps.analytics.names import name_model_file, require_valid_name
from jupyter_colophon.apps.analytics.outputs import WrittenDataset
from jupyter_colophon.apps.analytics.sources import (
    Source,
    inspect_columns,
    refuse,
    require_columns,
    require_literal_path,
)
from jupyter_colophon.apps.analytics.training import name_predictors
from jupyter_colophon.apps.shipped.bodies import parse_body
from jupyter_colophon.apps.shipped.folders import require_permitted_folder

_FORMATS: Final = ("parquet", "csv")
#: The columns that are added.
_ADDED: Final = ("prediction", "probability")


def list_predictions(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the predictions of a model, the newest first. Raises NotFound."""
    model = read_model(context, request)
    rows = job_rows.list_job_rows(context, "predictions", model["experiment"], model["name"])
    return {"predictions": [_describe(row) for row in rows]}


def get_prediction(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a prediction. Raises NotFound."""
    return _describe(job_rows.read_job_row(context, "predictions", _get_key(context, request)))


def delete_prediction(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete the record of a prediction; its file stays. Raises NotFound, and AlreadyExists while it runs."""
    job_rows.delete_job_row(context, "predictions", _get_key(context, request))


def apply_model(context: ServiceContext, request: ServiceRequest) -> Any:
    """Start a job that applies a model to data. Raises NotFound, BadRequest, AlreadyExists."""
    experiment, row = read_experiment(context, request.path["experiment"]), read_model(context, request)
    model = describe_model(row)
    if model["state"] != "complete":
        raise refuse("", f"the model {model['name']} is not complete: it has the state {model['state']}")
    body = parse_body(request, "name", "source", "target", "format")
    name = require_valid_name("prediction", body.get_text("name"))
    source = Source.from_document(context, body.document.get("source"))
    columns = inspect_columns(source)
    for column in experiment["predictors"]:
        require_columns(columns, {"/source": column["name"]})
    for column in columns:
        if column["name"].lower() in _ADDED:
            raise refuse("/source", f"the data has a column {column['name']!r}, which would be written twice")
    settings = {
        "source": source.to_document(),
        "target": _parse_target(context, body.get_text("target")),
        "format": body.get_choice("format", _FORMATS, "parquet"),
    }
    key = (context.namespace, experiment["name"], model["name"], name)
    started = job_rows.start_job(
        context, "predictions", key, settings, lambda job: _predict(job, experiment, model, settings)
    )
    return ServiceResponse(_describe(started), 202)


def _parse_target(context: ServiceContext, target: str) -> str:
    folder, name = os.path.split(target.rstrip("/") or target)
    try:
        path = Path(require_permitted_folder(context, folder), name)
    except BadRequest as error:
        raise refuse("/target", error.detail) from None
    if not name or name.startswith((".", "_")) or not name.isprintable() or "\\" in name:
        raise refuse("/target", f"{name[:80]!r} is not a valid name of a file")
    require_literal_path("/target", path.as_posix())
    if os.path.lexists(path):
        raise AlreadyExists("file", str(path))
    return str(path)


def _predict(
    row: job_rows.JobRow, experiment: Mapping[str, Any], model: Mapping[str, Any], settings: Mapping[str, Any]
) -> None:
    from pyspark.ml.functions import vector_to_array
    from pyspark.sql import functions as F

    row.report("starting Spark")
    data = read_source(row.context.spark, settings["source"])
    names = data.columns
    row.report("applying the model")
    with tempfile.TemporaryDirectory() as folder:
        pipeline = load_model(row.context, name_model_file(row.key[1], row.key[2]), folder)
        kept = F.struct(*(quote_column(name) for name in names)).alias("row")
        predicted = pipeline.transform(name_predictors(data, experiment["predictors"], kept))
        classes = (model["evaluation"] or {}).get("classes")
        prediction = F.col("prediction")
        if classes:
            prediction = F.element_at(F.array(*map(F.lit, classes)), prediction.cast("int") + 1)
        added = [prediction.alias("prediction")]
        if "probability" in predicted.columns:
            added.append(F.array_max(vector_to_array(F.col("probability"))).alias("probability"))
        written = predicted.select("row.*", *added)
        getattr(written.write.option("header", value=True), settings["format"])(settings["target"])
    rows = (
        row.context.spark.read.format(settings["format"]).option("header", value=True).load(settings["target"]).count()
    )
    dataset = make_dataset_urn("file", settings["target"])
    row.finish({"rows": rows, "dataset": str(dataset)}, _record(row, experiment, model, settings, dataset))


def _record(
    row: job_rows.JobRow,
    experiment: Mapping[str, Any],
    model: Mapping[str, Any],
    settings: Mapping[str, Any],
    dataset: Urn,
) -> str:
    source, entity = Urn.parse(settings["source"]["dataset"]), Urn.parse(model["entity"])
    used = [(source, column["name"]) for column in experiment["predictors"]]
    output = WrittenDataset(
        dataset, {"prediction": experiment["outcome"]["type"]}, f"Predictions of {experiment['outcome']['name']}", {}
    )
    columns = {(dataset, "prediction"): [*used, (entity, "prediction")]}
    return row.run.record_success([source, entity], [output], columns)


def _describe(row: Mapping[str, Any]) -> dict[str, Any]:
    result = json.loads(row["result"]) if row["result"] else {"rows": None, "dataset": ""}
    return {**job_rows.describe_job(row), "model": row["model"], **result}


def _get_key(context: ServiceContext, request: ServiceRequest) -> tuple[str, str, str, str]:
    path = request.path
    return context.namespace, path["experiment"], path["model"], path["prediction"]
