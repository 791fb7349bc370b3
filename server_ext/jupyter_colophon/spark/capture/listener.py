"""The listener that Spark calls when a query has ended, on a separate thread (spec CAPTURE-3)."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from py4j.protocol import Py4JError

from jupyter_colophon.capture.observation import MissingDetail, Observation, merge_refs
from jupyter_colophon.spark.capture.execution_times import ExecutionTimes
from jupyter_colophon.spark.capture.jvm_calls import fetch_plan_facts
from jupyter_colophon.spark.capture.large_plan import fetch_outline_facts
from jupyter_colophon.spark.capture.row_changes import RowChanges
from jupyter_colophon.spark.capture.streams import StreamListener
from jupyter_colophon.spark.capture.table_versions import TableVersions
from jupyter_colophon.spark.plans.dropped_tables import build_drop_statements
from jupyter_colophon.spark.plans.merge_executions import ExecutionMerger, PlanExecution
from jupyter_colophon.spark.plans.ml_models import ModelFolders
from jupyter_colophon.spark.plans.plan import Statement, build_statements, build_variable
from jupyter_colophon.spark.plans.plan_nodes import Effect, get_command
from jupyter_colophon.spark.plans.plan_reader import BOUNDED, get_reader
from jupyter_colophon.spark.plans.plan_tree import StreamPlansByColumn, TreeNode, parse_tree
from jupyter_colophon.spark.plans.session_variables import Variable
from jupyter_colophon.spark.plans.table_renames import build_rename_statements
from jupyter_colophon.spark.plans.write_commands import COMMAND_FUNCTIONS, get_command_label, has_only_write_commands

log = logging.getLogger("jupyter_colophon.spark")

Sink = Callable[[Observation], None]

_ANALYSIS = "analyze"
"""Spark's name of an execution that failed in analysis: its plan has unknown names, and reading it fails again."""

_INTERNAL = ("deltaTransactionalWrite", "Cache Delta Table State")
"""The names of executions by which Delta writes files for a command that is observed itself, and reads its own log."""


class PlanListener:
    """Convert Spark's callbacks to observations. Errors cannot affect the query, which has already ended."""

    def __init__(self, session: Any, sink: Sink, record_spark_call: Callable[[], None]) -> None:
        """Listen to a session of the JVM; `record_spark_call` is called with each call of Spark, on its thread."""
        self._stream_plans = StreamPlansByColumn()
        self._reader = get_reader(session)
        self.streams = StreamListener(session, sink, self._stream_plans)
        self._row_changes = RowChanges(self._reader)
        self._execution_times = ExecutionTimes(session)
        self._models = ModelFolders(session)
        self._versions = TableVersions(session)
        self._variables: dict[str, Variable] = {}
        self._merger = ExecutionMerger(_find_warehouse(session))
        self._sink, self._note_call = sink, record_spark_call
        self.is_open = True
        self.errors = 0

    def onSuccess(self, function: str, execution: Any, duration_ns: int) -> None:
        """Report a query that succeeded. Called by Spark."""
        self._report_execution(function, execution, duration_ns / 1e6, None)

    def onFailure(self, function: str, execution: Any, exception: Any) -> None:
        """Report a query that failed. Called by Spark."""
        if function != _ANALYSIS:
            self._report_execution(function, execution, None, exception)

    def toString(self) -> str:
        """Return the listener's name in Spark's log."""
        return "jupyter_colophon.spark.capture.listener"

    def hashCode(self) -> int:
        """Return a hash by identity."""
        return id(self) & 0x7FFFFFFF

    def equals(self, other: object) -> bool:
        """Return whether both are the same object."""
        return other is self

    class Java:
        """The Java interface that py4j implements with this class."""

        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)

    def close(self) -> None:
        """Stop reporting."""
        self.is_open = self.streams.is_open = False

    def _report_execution(self, function: str, execution: Any, duration_ms: float | None, exception: Any) -> None:
        reported_ms = time.time_ns() // 1_000_000
        if not self.is_open:
            return
        try:
            self._note_call()
            self._emit_observations(self._build_observations(function, execution, duration_ms, exception, reported_ms))
        except Exception as error:  # noqa: BLE001 - capture must not fail Spark, whatever the plan contains
            self._count_and_log_error(error)
            # The start time attributes a late report to the cell that ran then.
            began = reported_ms - int(duration_ms or 0)
            with suppress(Exception):
                self._emit_observations([Observation(began, reported_ms, function, missing=(MissingDetail.EXECUTION,))])

    def _emit_observations(self, observations: Iterable[Observation]) -> None:
        for observation in observations:
            self._sink(observation)

    def _count_and_log_error(self, error: Exception) -> None:
        """Count an error and log the first: a notebook must continue. The message is omitted, since it may contain values."""
        self.errors += 1
        if self.errors == 1:
            log.warning(
                "The reads and writes of a Spark query could not be recorded (%s). Further errors are only counted (see `%%metadata health`).",
                type(error).__name__,
            )

    def _build_observations(
        self, function: str, execution: Any, duration_ms: float | None, exception: Any, reported_ms: int
    ) -> list[Observation]:
        is_command = function in COMMAND_FUNCTIONS
        started = self._execution_times.determine_start_ms(execution, is_command, duration_ms, reported_ms)
        finished = reported_ms if duration_ms is None else min(reported_ms, started + int(duration_ms))
        statements = [
            self._models.replace_model_folders(each)
            for each in self._build_statements(function, execution, exception is not None)
        ]
        if exception is None:
            statements = self._versions.add_versions(execution, statements, started, finished)
        if exception is not None and statements:
            return [build_failure_observation(statements, started, finished, get_error_condition_or_class(exception))]
        return [
            Observation(
                started,
                finished,
                each.label,
                reads=each.reads,
                writes=each.writes,
                columns=each.edges,
                missing=each.missing,
                renamed=each.renamed,
                dropped=each.dropped,
                created=each.created,
            )
            for each in statements
        ]

    def build_dataframe_reads(self, execution: Any) -> tuple[Statement, ...]:
        """Return what a DataFrame reads that becomes an RDD, from its query execution."""
        try:
            return self._build_statements("rdd", execution, has_failed=False)
        except Exception as error:  # noqa: BLE001 - the program must continue, whatever the plan contains
            self._count_and_log_error(error)
            return (Statement("rdd", missing=(MissingDetail.EXECUTION,)),)

    def _build_statements(self, function: str, execution: Any, has_failed: bool) -> tuple[Statement, ...]:
        if function.startswith(_INTERNAL):
            return ()
        plan = execution.analyzed()
        text = self._reader.read_plan_json(plan, BOUNDED)
        root = self._reader.read_root_node(plan) if text is None else self._parse_plan(text)
        if get_command(root.kind, Effect.CHANGES_ROWS):
            return (self._row_changes.build_statement(execution, plan, root),)
        if get_command(root.kind, Effect.RENAMES) is not None:
            return () if has_failed else build_rename_statements(execution, root)
        if get_command(root.kind, Effect.DROPS) is not None:
            return () if has_failed or function not in COMMAND_FUNCTIONS else build_drop_statements(plan, root)
        if get_command(root.kind, Effect.SETS_VARIABLE):
            return () if has_failed else self._remember_variables(execution, plan, root, is_whole=text is not None)
        if has_only_write_commands(root) is not (function in COMMAND_FUNCTIONS):
            return ()  # A command that writes nothing, or `collect()` on the result of a command that was reported before.
        jvm_facts = (
            fetch_outline_facts(self._reader, execution, plan, root)
            if text is None
            else fetch_plan_facts(execution, plan, root)
        )
        # Relations of streams take precedence: the batch passed to a function may have the columns of the source, and has no name.
        jvm_facts = replace(
            jvm_facts,
            relations={**jvm_facts.relations, **self._stream_plans.relations},
            variables=dict(self._variables),
        )
        whole = self._merger.select_facts_to_report(
            PlanExecution(execution.id(), function, root.kind, has_failed), jvm_facts
        )
        return () if whole is None else build_statements(root, whole, function)

    def _remember_variables(
        self, execution: Any, plan: Any, root: TreeNode, *, is_whole: bool
    ) -> tuple[Statement, ...]:
        """Remember the sources of the values of variables, as inputs of the queries that use them."""
        jvm_facts = (
            fetch_plan_facts(execution, plan, root)
            if is_whole
            else fetch_outline_facts(self._reader, execution, plan, root)
        )
        jvm_facts = replace(jvm_facts, variables=dict(self._variables))
        if jvm_facts.outline is None:
            value = build_variable(root.children[0], jvm_facts)
        else:
            value = Variable(merge_refs(ref for refs in jvm_facts.outline for ref in refs), missing=jvm_facts.missing)
        self._variables.update((node.attrs["variable"], value) for node in root.get_trees("targetVariables"))
        return (
            (Statement(get_command_label(root), value.reads, missing=value.missing),)
            if value.reads or value.missing
            else ()
        )

    def _parse_plan(self, text: str) -> TreeNode:
        if '"LogicalRDD"' in text:
            self.streams.remember_stream_plans()
        return parse_tree(text, self._stream_plans)


def _find_warehouse(session: Any) -> str | None:
    """Return the warehouse folder for Spark before 4.1, which does not report which executions are part of others."""
    if tuple(map(int, session.version().split(".")[:2])) >= (4, 1):
        return None
    return str(session.conf().get("spark.sql.warehouse.dir"))


def build_failure_observation(statements: Sequence[Statement], started: int, finished: int, error: str) -> Observation:
    """Return the observation of a failed execution: what its statements read, and what they would have written."""
    return Observation(
        started,
        finished,
        statements[0].label,
        failed=True,
        error=error,
        reads=merge_refs(ref for each in statements for ref in each.reads),
        intended=merge_refs(ref for each in statements for ref in each.writes),
    )


def get_error_condition_or_class(exception: Any) -> str:
    """Return Spark's error condition (`PATH_ALREADY_EXISTS`), or the exception's class."""
    try:
        condition = exception.getCondition()
    except Py4JError:
        condition = None
    return str(condition) if condition else str(exception.getClass().getSimpleName())
