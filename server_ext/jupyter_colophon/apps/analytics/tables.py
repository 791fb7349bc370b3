"""The tables of the application. Each row belongs to the namespace `context`."""

from typing import Final, Literal

from jupyter_colophon.apps import TableSpec

#: `source`, `outcome` and `predictors` are JSON.
EXPERIMENTS: Final = TableSpec(
    "experiments",
    {
        "context": "string",
        "name": "string",
        "description": "string",
        "source": "string",
        "outcome": "string",
        "predictors": "string",
        "created_by": "string",
        "created_ms": "long",
        "updated_by": "string",
        "updated_ms": "long",
    },
    ("context", "name"),
)
#: What a job creates. `job` is the name of its latest job, `settings` and `result` are JSON.
_JOB: Final[dict[str, Literal["string", "long"]]] = {
    "job": "string",
    "state": "string",
    "progress": "string",
    "problem": "string",
    "lineage_problem": "string",
    "settings": "string",
    "result": "string",
    "created_by": "string",
    "created_ms": "long",
    "ended_ms": "long",
}
SPLITS: Final = TableSpec(
    "splits",
    {"context": "string", "experiment": "string", "name": "string", **_JOB},
    ("context", "experiment", "name"),
)
MODELS: Final = TableSpec(
    "models",
    {"context": "string", "experiment": "string", "name": "string", **_JOB},
    ("context", "experiment", "name"),
)
PREDICTIONS: Final = TableSpec(
    "predictions",
    {"context": "string", "experiment": "string", "model": "string", "name": "string", **_JOB},
    ("context", "experiment", "model", "name"),
)
