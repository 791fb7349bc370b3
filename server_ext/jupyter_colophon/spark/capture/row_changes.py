"""The statements that change rows of a table in place: MERGE, UPDATE and DELETE of Delta, Iceberg and other catalogs."""

from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from py4j.protocol import Py4JError

from jupyter_colophon.capture.observation import DataRef, MissingDetail, SchemaField, merge_refs
from jupyter_colophon.spark.capture.jvm_calls import fetch_plan_facts
from jupyter_colophon.spark.plans.changed_rows import build_changed_rows, list_column_names
from jupyter_colophon.spark.plans.jvm_facts import JvmFacts, WriteTarget
from jupyter_colophon.spark.plans.plan import Statement, build_flow_statement, build_statements
from jupyter_colophon.spark.plans.plan_reader import BOUNDED, PlanReader
from jupyter_colophon.spark.plans.plan_tree import TreeNode
from jupyter_colophon.spark.plans.write_commands import get_command_label

#: The methods of each command that return the changed table and, if it has one, the plan with the rows to compare or insert.
CHANGED_PLANS: Final = {
    "MergeIntoCommand": ("target", "source"),
    "UpdateCommand": ("target", None),
    "DeleteCommand": ("target", None),
    "MergeIntoTable": ("targetTable", "sourceTable"),
    "UpdateTable": ("table", None),
    "DeleteFromTable": ("table", None),
    "DeleteFromTableWithFilters": ("table", None),
    "ReplaceData": ("originalTable", "query"),
    "WriteDelta": ("originalTable", "query"),
}


class RowChanges:
    """Reads the commands that change rows."""

    def __init__(self, reader: PlanReader) -> None:
        """Create a reader of the plans of one JVM."""
        self._reader = reader

    def build_statement(self, execution: Any, plan: Any, root: TreeNode) -> Statement:
        """Return what a command reads besides the table, and the table that it changes, with columns if the plan shows them."""
        label = _get_operation(plan, root)
        table, source = CHANGED_PLANS[root.kind]
        targets = self._find_refs(execution, getattr(plan, table)())
        if len(targets) != 1:
            return Statement(label, missing=(MissingDetail.ROWS,))
        if source is None:
            return Statement(label, (), targets)
        rows = build_changed_rows(root)
        if rows is not None:
            is_delta = root.kind == "MergeIntoCommand"
            read_plan, read_tree = (getattr(plan, source)(), rows.children[0].children[0]) if is_delta else (plan, rows)
            jvm_facts = fetch_plan_facts(execution, read_plan, read_tree)
            columns = list_column_names(rows if is_delta else root.get_trees("originalTable")[0])
            return _build_statement_with_columns(rows, targets[0], columns, jvm_facts, label)
        reads = self._find_refs(execution, getattr(plan, source)())
        others = tuple(ref for ref in reads if ref.urn != targets[0].urn)
        return Statement(label, others, targets, missing=(MissingDetail.CHANGED_COLUMNS,) if others else ())

    def _find_refs(self, execution: Any, plan: Any) -> tuple[DataRef, ...]:
        """Return the data that a part of a command reads; nothing if it is too large."""
        tree = self._reader.read_complete_plan(plan, BOUNDED)
        if tree is None:
            return ()
        statements = build_statements(tree, fetch_plan_facts(execution, plan, tree), "")
        return merge_refs(ref for each in statements for ref in each.reads)


def _build_statement_with_columns(
    rows: TreeNode, table: DataRef, columns: Collection[str], jvm_facts: JvmFacts, label: str
) -> Statement:
    """Return the statement that writes these rows into the columns of a table, which itself is not an input.

    The rows may have further columns, with what happens to each and where it is.
    """
    target = WriteTarget(table, tuple(SchemaField(name, "", True) for name in list_column_names(rows)))
    statement = build_flow_statement(rows, target, jvm_facts, label)
    edges = tuple(edge for edge in statement.edges if edge.source_urn != table.urn and edge.target_field in columns)
    return replace(statement, reads=tuple(ref for ref in statement.reads if ref.urn != table.urn), edges=edges)


def _get_operation(plan: Any, root: TreeNode) -> str:
    """Return the name of the operation: commands that replace rows or write differences do so for several."""
    if root.kind in ("ReplaceData", "WriteDelta"):
        with suppress(Py4JError):
            return str(plan.operation().command().toString()).lower()
    return get_command_label(root)
