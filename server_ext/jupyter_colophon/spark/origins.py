"""Which fields of which datasets the columns of a DataFrame come from, before it is written."""

from typing import Any

from jupyter_colophon.spark.jvm import ask
from jupyter_colophon.spark.plan import origins
from jupyter_colophon.spark.tree import parse

#: A dataset's URN, and the name of its field.
Field = tuple[str, str]


def origins_of(data: Any) -> dict[str, tuple[Field, ...]]:
    """For each column of a classic DataFrame the fields that its values come from; of two of one name both."""
    execution = data._jdf.queryExecution()
    plan = execution.analyzed()
    root = parse(plan.toJSON())
    found: dict[str, tuple[Field, ...]] = {}
    for name, fields in zip(data.columns, origins(root, ask(execution, plan, root)), strict=True):
        found[name] = (*found.get(name, ()), *fields)
    return found
