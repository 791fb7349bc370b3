"""The variables of a Spark session (`SET VAR m = (SELECT …)`), with the sources of their values."""

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

from jupyter_colophon.capture.observation import DataRef


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a variable: the datasets it depends on, their fields, and missing details."""

    reads: tuple[DataRef, ...] = ()
    origins: tuple[tuple[str, str], ...] = ()
    missing: tuple[str, ...] = ()


Variables = Mapping[str, Variable]
"""Variables by name."""


def derive_variable_id(name: str) -> int:
    """Return the id of a variable among the ids of columns, which are positive."""
    return -1 - crc32(name.encode())
