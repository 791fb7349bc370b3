"""What a plan's JSON leaves out and the JVM was asked for: where unnamed relations lie, and what a command writes."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from jupyter_colophon.spark.plans.observation import DataRef, Field
from jupyter_colophon.spark.plans.session_variables import Variables


@dataclass(frozen=True, slots=True)
class Target:
    """What a command writes to, and the schema of what it writes.

    `over` are the files that a table without a query is laid over. One without `ref` is left out, unless data was written to it that
    no dataset stands for (`is_unnamed`).
    """

    ref: DataRef | None = None
    fields: tuple[Field, ...] = ()
    over: DataRef | None = None
    is_untouched: bool = False
    is_unnamed: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """Relations by the id of their first output column, one target a command, in the plan's order, whether programs made rows,
    and the variables of the session.
    """

    relations: Mapping[int, tuple[DataRef, ...]] = field(default_factory=dict)
    targets: tuple[Target, ...] = ()
    made_in_memory: bool = False
    variables: Variables = field(default_factory=dict)
    outlined: tuple[tuple[DataRef, ...], ...] | None = None
    """Of a plan that is too large: what each query reads, all that is known of it. `unseen` then says what is missing."""
    unseen: tuple[str, ...] = ()
