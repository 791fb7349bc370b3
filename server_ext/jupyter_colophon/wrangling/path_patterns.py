"""Paths that Spark and Hadoop read as a pattern of several, perhaps other, files."""

import re
from collections.abc import Mapping
from typing import Any, Final

_SPECIAL: Final = re.compile(r"[*?\[\]{}\\]")
#: Why a path cannot be read as the name of one file.
PATTERN_PROBLEM: Final = "has one of the characters * ? [ ] { } and \\, which Spark reads as a pattern"


def has_pattern_characters(path: str) -> bool:
    """Return whether Spark reads a path as a pattern."""
    return _SPECIAL.search(path) is not None


def find_multi_line_problem(path: str, options: Mapping[str, Any]) -> str | None:
    """Return why Spark cannot read the path, which is the name of a file or folder, with the reader's options.

    With `multiLine`, Hadoop reads the path as a pattern even if Spark does not.
    """
    values = {name.lower(): str(value).lower() for name, value in options.items()}
    if values.get("multiline") != "true" or not has_pattern_characters(path):
        return None
    return f"multi-line records cannot be read: the path {path!r} {PATTERN_PROBLEM}"
