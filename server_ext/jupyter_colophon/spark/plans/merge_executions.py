"""Merge the executions that Spark starts for one command.

`saveAsTable` has three: the write of the files, which knows only a path, within the creation of a table from a query, within a
wrapper; they end, and are reported, in this order. The one that names the table is kept, with the location of the first.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from jupyter_colophon.capture.observation import DatasetKind
from jupyter_colophon.spark.plans.jvm_facts import JvmFacts, WriteTarget
from jupyter_colophon.spark.plans.plan_nodes import Role, get_command
from jupyter_colophon.spark.plans.write_commands import INNER_WRITES

FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "xml"})
MAX_REMEMBERED = 64


@dataclass(frozen=True, slots=True)
class PlanExecution:
    """An execution: Spark's number (nested executions have higher ones), its function, and the kind of its root."""

    number: int
    function: str
    kind: str
    failed: bool

    @property
    def role(self) -> Role | None:
        """Return the role of the command among the executions of its statement; None for a query."""
        declared = get_command(self.kind)
        return declared.role if declared else None


class ExecutionMerger:
    """Remember executions that may be part of one that ends later. Only for the listener's thread."""

    def __init__(self, warehouse: str | None = None) -> None:
        """Create a merger; before Spark 4.1 `warehouse` is needed to recognise the write of the files of a new table."""
        self._warehouse = warehouse
        self._written: deque[tuple[int, str | None]] = deque(maxlen=MAX_REMEMBERED)
        self._reported: deque[tuple[int, str]] = deque(maxlen=MAX_REMEMBERED)

    def select_facts_to_report(self, execution: PlanExecution, jvm_facts: JvmFacts) -> JvmFacts | None:
        """Return the facts to report for an execution; None if it is part of, or wraps, another one that is reported."""
        inner = execution.function in INNER_WRITES
        if inner or self._may_be_nested_write(execution, jvm_facts.targets):
            location = next(
                (place for target in jvm_facts.targets if target.ref for place in target.ref.exact_locations), None
            )
            self._written.append((execution.number, location))
            if inner or str(location).startswith(f"{self._warehouse}/"):
                return None
        if execution.role is Role.WRAPPER and (
            not execution.failed or self._was_reported(execution.number, jvm_facts.targets)
        ):
            return None
        if execution.role is Role.CREATES_TABLE:
            jvm_facts = replace(
                jvm_facts,
                targets=tuple(self._add_location_of_nested(execution, target) for target in jvm_facts.targets),
            )
        jvm_facts = replace(
            jvm_facts, targets=tuple(WriteTarget() if target.is_unchanged else target for target in jvm_facts.targets)
        )
        for name in _list_urns(jvm_facts.targets):
            self._reported.append((execution.number, name))
        return jvm_facts

    def _may_be_nested_write(self, execution: PlanExecution, targets: Iterable[WriteTarget]) -> bool:
        """Return whether an execution may write the files of a table that another one creates."""
        refs = [target.ref for target in targets]
        is_of_files = all(ref is not None and ref.kind is DatasetKind.FILE for ref in refs)
        return self._warehouse is not None and execution.role is Role.FILES and is_of_files

    def _add_location_of_nested(self, execution: PlanExecution, target: WriteTarget) -> WriteTarget:
        inner = next((item for item in reversed(self._written) if item[0] > execution.number), None)
        if target.ref is None:
            return target
        if inner is None:
            # With IF NOT EXISTS nothing was written; otherwise the write of the files was not reported.
            is_unchanged = target.is_unchanged and not execution.failed and target.ref.format in FILE_FORMATS
            return replace(target, is_unchanged=is_unchanged)
        return replace(target, ref=replace(target.ref, location=inner[1]), is_unchanged=False)

    def _was_reported(self, number: int, targets: Iterable[WriteTarget]) -> bool:
        tables = {_get_table_name(name) for name in _list_urns(targets)}
        return any(
            reported > number and (not tables or _get_table_name(name) in tables) for reported, name in self._reported
        )


def _list_urns(targets: Iterable[WriteTarget]) -> list[str]:
    return [target.ref.urn for target in targets if target.ref is not None]


def _get_table_name(urn: str) -> str:
    """Return the table's name without its database, which a wrapper of `saveAsTable` may not know."""
    return urn.rpartition(".")[2]
