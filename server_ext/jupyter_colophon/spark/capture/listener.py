"""The listener that Spark calls when a query ended, on a thread of its own (spec CAPTURE-3)."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from py4j.protocol import Py4JError

from jupyter_colophon.spark.capture.execution_times import Clock
from jupyter_colophon.spark.capture.jvm_calls import ask
from jupyter_colophon.spark.capture.large_plan import ask_outline
from jupyter_colophon.spark.capture.streams import Streams
from jupyter_colophon.spark.plans.merge_executions import Execution, Fold
from jupyter_colophon.spark.plans.ml_models import Models
from jupyter_colophon.spark.plans.observation import Observation, Unseen, united
from jupyter_colophon.spark.plans.plan import Statement, statements, variable_of
from jupyter_colophon.spark.plans.plan_nodes import Effect, command
from jupyter_colophon.spark.plans.plan_reader import BOUNDED, reader_of
from jupyter_colophon.spark.plans.plan_tree import Grafts, Node, parse
from jupyter_colophon.spark.plans.session_variables import Variable
from jupyter_colophon.spark.plans.table_renames import rename_of
from jupyter_colophon.spark.plans.write_commands import COMMAND_FUNCTIONS, is_writing, label_of

log = logging.getLogger("jupyter_colophon.spark")

Sink = Callable[[Observation], None]

_ANALYSIS = "analyze"
"""What Spark calls an execution that failed before anything ran: its plan has unknown names, and asking for it fails again."""


class PlanListener:
    """Turns Spark's callbacks into observations. Nothing that it does can harm the query, which is over by then."""

    def __init__(self, session: Any, sink: Sink, called: Callable[[], None]) -> None:
        """`called` is called with each call of Spark's, on its thread."""
        self._grafts = Grafts()
        self._reader = reader_of(session)
        self.streams = Streams(session, sink, self._grafts)
        self._clock = Clock(session)
        self._models = Models(session)
        self._variables: dict[str, Variable] = {}
        self._fold = Fold(_warehouse(session))
        self._sink, self._called = sink, called
        self.is_open = True
        self.errors = 0

    def onSuccess(self, function: str, execution: Any, duration_ns: int) -> None:
        """Spark tells that a query ended well."""
        self._tell(function, execution, duration_ns / 1e6, None)

    def onFailure(self, function: str, execution: Any, exception: Any) -> None:
        """Spark tells that a query failed."""
        if function != _ANALYSIS:
            self._tell(function, execution, None, exception)

    def toString(self) -> str:
        """Name the listener in Spark's own log."""
        return "jupyter_colophon.spark.capture.listener"

    def hashCode(self) -> int:
        """Tell this listener from others."""
        return id(self) & 0x7FFFFFFF

    def equals(self, other: object) -> bool:
        """Tell this listener from others."""
        return other is self

    class Java:
        """What py4j implements with this class."""

        implements = ("org.apache.spark.sql.util.QueryExecutionListener",)

    def close(self) -> None:
        """Tell nothing from now on."""
        self.is_open = self.streams.is_open = False

    def _tell(self, function: str, execution: Any, duration_ms: float | None, exception: Any) -> None:
        told_ms = time.time_ns() // 1_000_000
        if not self.is_open:
            return
        try:
            self._called()
            self._hand_on(self._observe(function, execution, duration_ms, exception, told_ms))
        except Exception as error:  # noqa: BLE001 - whatever a plan holds, capture must not reach into Spark
            self._miss(error)
            # Told late, it is still of the cell that ran when it began.
            began = told_ms - int(duration_ms or 0)
            with suppress(Exception):
                self._hand_on([Observation(began, told_ms, function, unseen=(Unseen.EXECUTION,))])

    def _hand_on(self, observations: Iterable[Observation]) -> None:
        for observation in observations:
            self._sink(observation)

    def _miss(self, error: Exception) -> None:
        """Count it, and say so once: a notebook that runs on is worth more than a full record. No message, it may hold values."""
        self.errors += 1
        if self.errors == 1:
            log.warning(
                "A Spark query ran, but what it read and wrote could not be recorded (%s). Further ones are counted by `%%metadata health`, not reported.",
                type(error).__name__,
            )

    def _observe(
        self, function: str, execution: Any, duration_ms: float | None, exception: Any, told_ms: int
    ) -> list[Observation]:
        is_command = function in COMMAND_FUNCTIONS
        started = self._clock.started_ms(execution, is_command, duration_ms, told_ms)
        finished = told_ms if duration_ms is None else min(told_ms, started + int(duration_ms))
        found = [self._models.fold(each) for each in self._statements(function, execution, exception is not None)]
        if exception is not None and found:
            return [describe_failure(found, started, finished, condition(exception))]
        return [
            Observation(
                started,
                finished,
                each.label,
                reads=each.reads,
                writes=each.writes,
                columns=each.edges,
                unseen=each.unseen,
                renamed=each.renamed,
            )
            for each in found
        ]

    def statements_of(self, execution: Any) -> tuple[Statement, ...]:
        """Return what a DataFrame reads that becomes an RDD, from its query execution."""
        try:
            return self._statements("rdd", execution, has_failed=False)
        except Exception as error:  # noqa: BLE001 - whatever a plan holds, the program goes on
            self._miss(error)
            return (Statement("rdd", unseen=(Unseen.EXECUTION,)),)

    def _statements(self, function: str, execution: Any, has_failed: bool) -> tuple[Statement, ...]:
        plan = execution.analyzed()
        text = self._reader.text(plan, BOUNDED)
        root = self._reader.top(plan) if text is None else self._parsed(text)
        if command(root.kind, Effect.CHANGES_ROWS):
            return (Statement(label_of(root), unseen=(Unseen.ROWS,)),)
        if command(root.kind, Effect.RENAMES) is not None:
            return () if has_failed else rename_of(execution, root)
        if command(root.kind, Effect.SETS_VARIABLE):
            return () if has_failed else self._set_variables(execution, plan, root, is_whole=text is not None)
        if is_writing(root) is not (function in COMMAND_FUNCTIONS):
            return ()  # A command that writes nothing, or `collect()` on the result of one that was seen before.
        facts = ask_outline(self._reader, execution, plan, root) if text is None else ask(execution, plan, root)
        # A stream's own come last: the rows that its function is handed may have its source's columns, and are no data with a name.
        facts = replace(facts, relations={**facts.relations, **self._grafts.relations}, variables=dict(self._variables))
        whole = self._fold.whole(Execution(execution.id(), function, root.kind, has_failed), facts)
        return () if whole is None else statements(root, whole, function)

    def _set_variables(self, execution: Any, plan: Any, root: Node, *, is_whole: bool) -> tuple[Statement, ...]:
        """Remember what the values of variables are made of: whoever uses them later reads that."""
        facts = ask(execution, plan, root) if is_whole else ask_outline(self._reader, execution, plan, root)
        facts = replace(facts, variables=dict(self._variables))
        if facts.outlined is None:
            value = variable_of(root.children[0], facts)
        else:
            value = Variable(united(ref for refs in facts.outlined for ref in refs), unseen=facts.unseen)
        self._variables.update((node.attrs["variable"], value) for node in root.forest("targetVariables"))
        return (Statement(label_of(root), value.reads, unseen=value.unseen),) if value.reads or value.unseen else ()

    def _parsed(self, text: str) -> Node:
        if '"LogicalRDD"' in text:
            self.streams.learn()
        return parse(text, self._grafts)


def _warehouse(session: Any) -> str | None:
    """Where a Spark keeps its tables that does not say which of its executions are parts of others (before 4.1)."""
    if tuple(map(int, session.version().split(".")[:2])) >= (4, 1):
        return None
    return str(session.conf().get("spark.sql.warehouse.dir"))


def describe_failure(found: Sequence[Statement], started: int, finished: int, error: str) -> Observation:
    """Give the observation of an execution that failed: what its statements read, and what they would have written."""
    return Observation(
        started,
        finished,
        found[0].label,
        failed=True,
        error=error,
        reads=united(ref for each in found for ref in each.reads),
        intended=united(ref for each in found for ref in each.writes),
    )


def condition(exception: Any) -> str:
    """Give Spark's name of what went wrong (`PATH_ALREADY_EXISTS`), else the exception's class."""
    try:
        found = exception.getCondition()
    except Py4JError:
        found = None
    return str(found) if found else str(exception.getClass().getSimpleName())
