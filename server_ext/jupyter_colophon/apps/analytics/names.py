"""The names of experiments and their parts, and the entities and files that they have in the catalog."""

import re
from typing import Final

from jupyter_colophon.apps import BadRequest

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def require_valid_name(what: str, name: str) -> str:
    """Return a name. Raises BadRequest."""
    if not _NAME.fullmatch(name):
        raise BadRequest(f"{name[:80]!r} is not a valid name of a {what}: use at most 64 letters, digits, _ and -")
    return name


def name_part_file(experiment: str, split: str, part: str) -> str:
    """Return the name of the file with a part of a split."""
    return f"{experiment}/splits/{split}/{part}.parquet"


def name_model_file(experiment: str, model: str) -> str:
    """Return the name of the file with a model, a ZIP archive of the folder that Spark saves."""
    return f"{experiment}/models/{model}.zip"
