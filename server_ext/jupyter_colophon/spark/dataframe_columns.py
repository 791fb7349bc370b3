"""The source fields of the columns of a DataFrame, before it is written."""

from typing import Any

from jupyter_colophon.capture.observation import DataRef, merge_refs
from jupyter_colophon.spark.capture.jvm_calls import fetch_plan_facts
from jupyter_colophon.spark.plans.jvm_facts import JvmFacts
from jupyter_colophon.spark.plans.plan import build_statements, trace_column_origins
from jupyter_colophon.spark.plans.plan_reader import ANY, get_reader
from jupyter_colophon.spark.plans.plan_tree import TreeNode

#: A dataset's URN, and the name of its field.
Field = tuple[str, str]


def find_source_fields(data: Any) -> dict[str, tuple[Field, ...]]:
    """Return the source fields of each column of a classic DataFrame; columns with the same name are combined."""
    result: dict[str, tuple[Field, ...]] = {}
    for name, fields in zip(data.columns, trace_column_origins(*_read_plan(data)), strict=True):
        result[name] = (*result.get(name, ()), *fields)
    return result


def find_read_dataset_urns(data: Any) -> tuple[str, ...]:
    """Return the URNs of all datasets that a classic DataFrame reads, including those that only select rows."""
    return tuple(ref.urn for ref in find_read_datasets(data))


def find_read_datasets(data: Any) -> tuple[DataRef, ...]:
    """Return all datasets that a classic DataFrame reads, with their locations."""
    return merge_refs(ref for statement in build_statements(*_read_plan(data), "read") for ref in statement.reads)


def _read_plan(data: Any) -> tuple[TreeNode, JvmFacts]:
    execution = data._jdf.queryExecution()
    plan = execution.analyzed()
    root = get_reader(execution.sparkSession()).read_complete_plan(plan, ANY)
    if root is None:
        raise ValueError("the plan has more than 2^31 nodes and expressions")
    return root, fetch_plan_facts(execution, plan, root)
