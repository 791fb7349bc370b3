"""Makes one of the several executions that Spark starts for one command.

`saveAsTable` is three: the writing of files, which knows only a path, within the creation of a table from a query, within a wrapper;
they end, and are told to us, in this order. The one that names the table is kept, and takes the location from the first.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from jupyter_colophon.spark.plans.jvm_facts import Facts, Target
from jupyter_colophon.spark.plans.observation import Kind
from jupyter_colophon.spark.plans.plan_nodes import Role, command
from jupyter_colophon.spark.plans.write_commands import INNER_WRITES

FILE_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "xml"})
LAST = 64


@dataclass(frozen=True, slots=True)
class Execution:
    """An execution: Spark's number of it (what is within another has a higher one), its function, and its root's kind."""

    number: int
    function: str
    kind: str
    failed: bool

    @property
    def role(self) -> Role | None:
        """The part of the command among the executions of its statement; None for a query."""
        declared = command(self.kind)
        return declared.role if declared else None


class Fold:
    """Remembers the executions that may be part of one that ends later. Used by the listener's thread alone."""

    def __init__(self, warehouse: str | None = None) -> None:
        """Before Spark 4.1 what writes a new table's files bears the name of any command: it is known by the `warehouse`."""
        self._warehouse = warehouse
        self._written: deque[tuple[int, str | None]] = deque(maxlen=LAST)
        self._told: deque[tuple[int, str]] = deque(maxlen=LAST)

    def whole(self, execution: Execution, facts: Facts) -> Facts | None:
        """Give the facts to report for an execution; None when it is a part, or the shell, of one that is reported."""
        inner = execution.function in INNER_WRITES
        if inner or self._may_be_inner(execution, facts.targets):
            location = next((place for target in facts.targets if target.ref for place in target.ref.places), None)
            self._written.append((execution.number, location))
            if inner or str(location).startswith(f"{self._warehouse}/"):
                return None
        if execution.role is Role.WRAPPER and (not execution.failed or self._was_told(execution.number, facts.targets)):
            return None
        if execution.role is Role.CREATES_TABLE:
            facts = replace(facts, targets=tuple(self._located(execution, target) for target in facts.targets))
        facts = replace(facts, targets=tuple(Target() if target.is_untouched else target for target in facts.targets))
        for name in _names(facts.targets):
            self._told.append((execution.number, name))
        return facts

    def _may_be_inner(self, execution: Execution, targets: Iterable[Target]) -> bool:
        """Whether files are written which no table has yet, and Spark does not say for whom."""
        refs = [target.ref for target in targets]
        is_of_files = all(ref is not None and ref.kind is Kind.FILE for ref in refs)
        return self._warehouse is not None and execution.role is Role.FILES and is_of_files

    def _located(self, execution: Execution, target: Target) -> Target:
        inner = next((item for item in reversed(self._written) if item[0] > execution.number), None)
        if target.ref is None:
            return target
        if inner is None:
            # Nothing was written where that was allowed (IF NOT EXISTS); else the writing of the files was not heard.
            is_untouched = target.is_untouched and not execution.failed and target.ref.format in FILE_FORMATS
            return replace(target, is_untouched=is_untouched)
        return replace(target, ref=replace(target.ref, location=inner[1]), is_untouched=False)

    def _was_told(self, number: int, targets: Iterable[Target]) -> bool:
        wanted = {_table(name) for name in _names(targets)}
        return any(told > number and (not wanted or _table(name) in wanted) for told, name in self._told)


def _names(targets: Iterable[Target]) -> list[str]:
    return [target.ref.urn for target in targets if target.ref is not None]


def _table(urn: str) -> str:
    """Give the table's name without its database, which a wrapper of `saveAsTable` may not know."""
    return urn.rpartition(".")[2]
