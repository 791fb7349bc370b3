"""The variables of a Spark session (`SET VAR m = (SELECT …)`): what their values were made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from zlib import crc32

from jupyter_colophon.spark.plans.observation import DataRef


@dataclass(frozen=True, slots=True)
class Variable:
    """The value of a variable: the datasets that it was made from, its source fields among them, and what was not seen."""

    reads: tuple[DataRef, ...] = ()
    origins: tuple[tuple[str, str], ...] = ()
    unseen: tuple[str, ...] = ()


Variables = Mapping[str, Variable]
"""By name."""


def variable_id(name: str) -> int:
    """Return what stands for a variable among the ids of columns: those are positive."""
    return -1 - crc32(name.encode())
