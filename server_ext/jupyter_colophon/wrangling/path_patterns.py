"""Paths that Spark and Hadoop read as a pattern of several, perhaps other, files."""

import re
from typing import Final

_SPECIAL: Final = re.compile(r"[*?\[\]{}\\]")
#: Why a path cannot be read as the name of one file.
PATTERN_PROBLEM: Final = "has one of the characters * ? [ ] { } and \\, which Spark reads as a pattern"


def has_pattern_characters(path: str) -> bool:
    """Return whether Spark reads a path as a pattern."""
    return _SPECIAL.search(path) is not None
