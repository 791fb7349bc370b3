"""Which fields of which datasets the columns of a DataFrame come from, before it is written."""

from typing import Any

from jupyter_colophon.spark.capture.jvm_calls import ask
from jupyter_colophon.spark.plans.jvm_facts import Facts
from jupyter_colophon.spark.plans.observation import DataRef, united
from jupyter_colophon.spark.plans.plan import origins, statements
from jupyter_colophon.spark.plans.plan_reader import ANY, reader_of
from jupyter_colophon.spark.plans.plan_tree import Node

#: A dataset's URN, and the name of its field.
Field = tuple[str, str]


def origins_of(data: Any) -> dict[str, tuple[Field, ...]]:
    """For each column of a classic DataFrame the fields that its values come from; of two of one name both."""
    found: dict[str, tuple[Field, ...]] = {}
    for name, fields in zip(data.columns, origins(*_read(data)), strict=True):
        found[name] = (*found.get(name, ()), *fields)
    return found


def datasets_of(data: Any) -> tuple[str, ...]:
    """The URNs of all that a classic DataFrame reads, also where it only looks which rows to take."""
    return tuple(ref.urn for ref in reads_of(data))


def reads_of(data: Any) -> tuple[DataRef, ...]:
    """The same, with the places."""
    return united(ref for one in statements(*_read(data), "read") for ref in one.reads)


def _read(data: Any) -> tuple[Node, Facts]:
    execution = data._jdf.queryExecution()
    plan = execution.analyzed()
    root = reader_of(execution.sparkSession()).whole(plan, ANY)
    if root is None:
        raise ValueError("a plan of more than two thousand million parts")
    return root, ask(execution, plan, root)
