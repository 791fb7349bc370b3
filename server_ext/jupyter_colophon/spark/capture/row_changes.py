"""The statements that change rows of a table in place: MERGE, UPDATE and DELETE of Delta, Iceberg and other catalogs."""

from contextlib import suppress
from typing import Any, Final

from py4j.protocol import Py4JError

from jupyter_colophon.capture.observation import DataRef, MissingDetail, merge_refs
from jupyter_colophon.spark.capture.jvm_calls import fetch_plan_facts
from jupyter_colophon.spark.plans.plan import Statement, build_statements
from jupyter_colophon.spark.plans.plan_reader import BOUNDED, PlanReader
from jupyter_colophon.spark.plans.plan_tree import TreeNode
from jupyter_colophon.spark.plans.write_commands import get_command_label

#: The methods of each command that return the changed table and, if it has one, the plan with the rows to compare or insert.
_PLANS: Final = {
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
        """Return what a command reads besides the table, and the table that it changes; its columns are not followed."""
        label = _get_operation(plan, root)
        table, source = _PLANS[root.kind]
        targets = self._find_refs(execution, getattr(plan, table)())
        if len(targets) != 1:
            return Statement(label, missing=(MissingDetail.ROWS,))
        reads = self._find_refs(execution, getattr(plan, source)()) if source else ()
        others = tuple(ref for ref in reads if ref.urn != targets[0].urn)
        missing = (MissingDetail.CHANGED_COLUMNS,) if others else ()
        return Statement(label, others, targets, missing=missing)

    def _find_refs(self, execution: Any, plan: Any) -> tuple[DataRef, ...]:
        """Return the data that a part of a command reads; nothing if it is too large."""
        tree = self._reader.read_complete_plan(plan, BOUNDED)
        if tree is None:
            return ()
        statements = build_statements(tree, fetch_plan_facts(execution, plan, tree), "")
        return merge_refs(ref for each in statements for ref in each.reads)


def _get_operation(plan: Any, root: TreeNode) -> str:
    """Return the name of the operation: commands that replace rows or write differences do so for several."""
    if root.kind in ("ReplaceData", "WriteDelta"):
        with suppress(Py4JError):
            return str(plan.operation().command().toString()).lower()
    return get_command_label(root)
