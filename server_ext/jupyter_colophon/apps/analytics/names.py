"""The names of experiments and their parts, and the entities and files that they have in the catalog."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.apps import BadRequest, Urn, make_home_dataset_urn, make_home_model_urn, make_program_urn

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
#: The parts of a split.
PARTS: Final = ("train", "test")
#: What the names of the programs of jobs begin with, by the tables of the jobs.
_PROGRAMS: Final = {"splits": "split", "models": "model", "predictions": "apply"}


def require_valid_name(what: str, name: str) -> str:
    """Return a name. Raises BadRequest."""
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{name[:80]!r} is not a valid name of a {what}: use at most 64 letters, digits, _ and -")
    return name


def make_job_program_urn(table: str, key: tuple[str, ...]) -> Urn:
    """Return the URN of the program that is run by the job with this row."""
    namespace, experiment, *names = key
    return make_program_urn(namespace, f"analytics-{experiment}", "spark", "-".join((_PROGRAMS[table], *names)))


def make_application_urn(namespace: str, experiment: str) -> Urn:
    """Return the URN of the application that contains the programs of an experiment."""
    return Urn.parse(make_job_program_urn("splits", (namespace, experiment, "")).parts[0])


def make_part_urn(split: tuple[str, ...], part: str) -> Urn:
    """Return the URN of the dataset that is a part of the split with this key."""
    namespace, experiment, name = split
    return make_home_dataset_urn(namespace, f"analytics.{experiment}.{name}.{part}")


def make_model_entity_urn(model: tuple[str, ...]) -> Urn:
    """Return the URN of the model with this key."""
    namespace, experiment, name = model
    return make_home_model_urn(namespace, f"{experiment}.{name}")


def list_entities_of_job(table: str, key: tuple[str, ...]) -> list[Urn]:
    """Return the entities that end with the row of a job: its program, and what it wrote except in permitted folders."""
    program = make_job_program_urn(table, key)
    if table == "splits":
        return [*(make_part_urn(key, part) for part in PARTS), program]
    return [make_model_entity_urn(key), program] if table == "models" else [program]


def name_split_files(experiment: str, split: str) -> str:
    """Return what the names of the files of a split begin with."""
    return f"{experiment}/splits/{split}/"


def name_part_file(experiment: str, split: str, part: str) -> str:
    """Return the name of the file with a part of a split."""
    return f"{name_split_files(experiment, split)}{part}.parquet"


def get_path_in_folder(experiment: str, split: Mapping[str, Any], part: str) -> str | None:
    """Return where a part of a split is written; None if it is a file of the application."""
    return str(Path(split["folder"], f"{experiment}-{split['name']}-{part}.parquet")) if split["folder"] else None


def name_model_file(experiment: str, model: str) -> str:
    """Return the name of the file with a model, a ZIP archive of the folder that Spark saves."""
    return f"{experiment}/models/{model}.zip"
