"""What a plan's JSON leaves out and the JVM was asked for: where unnamed relations lie, and what a command writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.spark.observation import DataRef, Field


@dataclass(frozen=True, slots=True)
class Target:
    """What a command writes to, and the schema of what it writes.

    `over` are the files that a table without a query is laid over.
    """

    ref: DataRef | None = None
    fields: tuple[Field, ...] = ()
    over: DataRef | None = None
    is_untouched: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Relations by the id of their first output column, and one target a command, in the plan's order."""

    relations: Mapping[int, tuple[DataRef, ...]] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()
