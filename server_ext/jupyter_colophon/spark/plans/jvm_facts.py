"""Facts that a plan's JSON lacks, read from the JVM: locations of unnamed relations, and the targets of commands."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.capture.observation import DataRef, SchemaField
from jupyter_colophon.spark.plans.session_variables import Variables


@dataclass(frozen=True, slots=True)
class WriteTarget:
    """The target of a command, and the schema of the written data.

    `located_on` is the location of an external table that is created without a query. A target without `ref` is ignored, unless
    data was written to a place that is not a dataset (`has_no_dataset`). A table that `is_empty` was created without rows.
    """

    ref: DataRef | None = None
    fields: tuple[SchemaField, ...] = ()
    located_on: DataRef | None = None
    is_unchanged: bool = False
    has_no_dataset: bool = False
    is_empty: bool = False


@dataclass(frozen=True, slots=True)
class JvmFacts:
    """Relations by the id of their first output column, a target for each command in order, whether the plan has rows of a
    program, and the variables of the session.
    """

    relations: Mapping[int, tuple[DataRef, ...]] = field(default_factory=dict)
    targets: tuple[WriteTarget, ...] = ()
    has_memory_rows: bool = False
    variables: Variables = field(default_factory=dict)
    outline: tuple[tuple[DataRef, ...], ...] | None = None
    """For a plan that is too large: the datasets that each query reads; the rest is missing."""
    missing: tuple[str, ...] = ()
