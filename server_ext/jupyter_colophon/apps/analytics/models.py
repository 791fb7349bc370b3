"""Models: trained on one part of a split, and evaluated on the other."""

import json
from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.apps import ServiceContext, ServiceRequest, ServiceResponse
from jupyter_colophon.apps.analytics import job_rows
from jupyter_colophon.apps.analytics.algorithms import Algorithm, find_algorithm
from jupyter_colophon.apps.analytics.experiments import read_experiment
from jupyter_colophon.apps.analytics.names import name_model_file, require_valid_name
from jupyter_colophon.apps.analytics.sources import refuse
from jupyter_colophon.apps.analytics.training import train_model
from jupyter_colophon.apps.shipped.bodies import get_query_choice, parse_body

#: The metrics by which models are compared, and whether less is better.
METRICS: Final = {
    **dict.fromkeys(("accuracy", "precision", "recall", "f1", "auc", "r2"), False),
    **dict.fromkeys(("rmse", "mae"), True),
}
_NO_RESULT: Final = {
    "metrics": None,
    "trainMetrics": None,
    "evaluation": None,
    "importances": None,
    "importanceKind": "",
    "entity": "",
}


def list_models(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return the models of an experiment, in the order of a metric, of their names or of their creation. Raises NotFound."""
    experiment = read_experiment(context, request.path["experiment"])
    sort = get_query_choice(request, "sort", ("created", "name", *METRICS), "created")
    order = get_query_choice(request, "order", ("asc", "desc", ""), "")
    models = [describe_model(row) for row in job_rows.list_job_rows(context, "models", experiment["name"])]

    def get_key(model: Mapping[str, Any]) -> Any:
        member = {"name": "name", "created": "createdMs"}.get(sort)
        return model[member] if member else (model["metrics"] or {}).get(sort)

    with_key = [model for model in models if get_key(model) is not None]
    is_descending = order == "desc" if order else not METRICS.get(sort, sort == "name")
    listed = [
        *sorted(with_key, key=get_key, reverse=is_descending),
        *(model for model in models if get_key(model) is None),
    ]
    for model in listed:
        del model["evaluation"], model["importances"]
    return {"models": listed, "metric": "f1" if experiment["problemType"] == "classification" else "rmse"}


def get_model(context: ServiceContext, request: ServiceRequest) -> Any:
    """Return a model. Raises NotFound."""
    return describe_model(read_model(context, request))


def create_model(context: ServiceContext, request: ServiceRequest) -> Any:
    """Start a job that trains and evaluates a model. Raises NotFound, BadRequest, AlreadyExists."""
    experiment = read_experiment(context, request.path["experiment"])
    body = parse_body(request, "name", "description", "split", "algorithm", "parameters")
    name = require_valid_name("model", body.get_text("name"))
    algorithm = find_algorithm(body.get_text("algorithm"))
    if algorithm.problem_type != experiment["problemType"]:
        raise refuse(
            "/algorithm", f"it is for {algorithm.problem_type}, but the outcome needs {experiment['problemType']}"
        )
    parameters = algorithm.parse_parameters(body.document.get("parameters", {}))
    key = (context.namespace, experiment["name"], body.get_text("split"))
    split = job_rows.read_job_row(context, "splits", key)
    if split["state"] != "complete":
        raise refuse("/split", f"the split {split['name']} is not complete: it has the state {split['state']}")
    result = json.loads(split["result"])
    _require_trainable(algorithm, parameters, result["statistics"])
    settings = {
        "description": body.get_text("description", ""),
        "split": split["name"],
        "algorithm": algorithm.name,
        "parameters": parameters,
    }
    of_split = {**json.loads(split["settings"]), **result, "name": split["name"]}
    row = job_rows.start_job(
        context,
        "models",
        (context.namespace, experiment["name"], name),
        settings,
        lambda job: train_model(job, experiment, of_split, algorithm, settings),
    )
    return ServiceResponse(describe_model(row), 202)


def delete_model(context: ServiceContext, request: ServiceRequest) -> None:
    """Delete a model with the records of its predictions. Raises NotFound, and AlreadyExists while a job of it runs."""
    key = (context.namespace, request.path["experiment"], request.path["model"])
    for prediction in job_rows.list_job_rows(context, "predictions", *key[1:]):
        job_rows.delete_job_row(context, "predictions", (*key, prediction["name"]))
    job_rows.delete_job_row(context, "models", key)
    for file in [*context.files.list(name_model_file(key[1], key[2]))]:
        context.files.delete(file.name)


def read_model(context: ServiceContext, request: ServiceRequest) -> dict[str, Any]:
    """Return the row of a model. Raises NotFound."""
    key = (context.namespace, request.path["experiment"], request.path["model"])
    return job_rows.read_job_row(context, "models", key)


def describe_model(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a model as JSON."""
    return {**job_rows.describe_job(row), **_NO_RESULT, **json.loads(row["result"] or "{}")}


def _require_trainable(algorithm: Algorithm, parameters: Mapping[str, Any], statistics: Any) -> None:
    """Raise BadRequest unless the columns of a split fit an algorithm."""
    outcome, *predictors = statistics
    for column in predictors:
        train = column["train"]
        if not train["count"]:
            raise refuse("/split", f"the predictor {column['column']!r} has no value in the train part")
        # One more for values that are not in the train part.
        values = train["distinct"] + 1
        if algorithm.is_tree and column["type"] == "categorical" and values > parameters["maxBins"]:
            raise refuse(
                "/parameters/maxBins",
                f"the predictor {column['column']!r} needs at least {values} bins, for its values",
            )
    if outcome["type"] == "categorical":
        classes = outcome["train"]["distinct"]
        if classes < 2:
            raise refuse("/split", f"the outcome {outcome['column']!r} has only one class in the train part")
        if classes > algorithm.classes_max:
            raise refuse(
                "/algorithm",
                f"the outcome {outcome['column']!r} has {classes} classes: {algorithm.name} needs at most {algorithm.classes_max}",
            )
