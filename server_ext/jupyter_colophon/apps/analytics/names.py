"""The names of experiments and their parts, and the entities and files that they have in the catalog."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.apps import BadRequest

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def require_valid_name(what: str, name: str) -> str:
    """Return a name. Raises BadRequest."""
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{name[:80]!r} is not a valid name of a {what}: use at most 64 letters, digits, _ and -")
    return name


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
