"""Capture of streaming queries: their state, and what they read and write when batches have rows.

Spark does not report a stream's own batches to a `QueryExecutionListener`, so a `StreamingQueryListener` does it. The other
listener reports what a `foreachBatch` function writes; `StreamPlansByColumn` supplies the stream's plan for the rows of the batch.
"""

import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from jupyter_colophon.capture.observation import (
    STREAM,
    DataRef,
    MissingDetail,
    Observation,
    StreamProgress,
    merge_refs,
)
from jupyter_colophon.spark.capture.jvm_calls import iterate_leaf_datasets, iterate_leaves
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.datasets_from_jvm import create_file_ref, create_table_ref, create_topic_refs
from jupyter_colophon.spark.plans.jvm_facts import JvmFacts, WriteTarget
from jupyter_colophon.spark.plans.plan import Statement, build_stream_statement
from jupyter_colophon.spark.plans.plan_reader import BOUNDED, PlanReader, get_reader
from jupyter_colophon.spark.plans.plan_tree import StreamPlansByColumn

log = logging.getLogger("jupyter_colophon.spark")

MAX_REMEMBERED = 64
"""Number of ended streams that are kept, for batches that their functions still write."""

REPORT_INTERVAL_S = 60.0
"""Interval between reports of a running stream."""

_FILES = re.compile(r"(?:FileStreamSource|FileSink)\[(.*)\]", re.DOTALL)
_TOPICS = re.compile(r"Kafka\w*\[Subscribe\[(.*)\]\]", re.DOTALL)
_FUNCTION_SINK = "ForeachBatch"

_RAISED = re.compile(r"Traceback \(.*\n(?:[ ].*\n|\n)+(?:[\w.<>]*\.)?([A-Za-z_]\w{0,99})(?::|$)", re.MULTILINE)
"""The class of an exception, below the first traceback of Python's."""


@dataclass(slots=True)
class StreamState:
    """A streaming query: Spark's object, its progress, and its statement after a batch was planned."""

    execution: Any
    progress: StreamProgress
    statement: Statement | None = None
    reported_s: float = 0.0

    @property
    def has_ended(self) -> bool:
        """Return whether the query has ended."""
        return self.progress.has_ended


class StreamListener(StreamingQueryListener):
    """Capture the streaming queries of a session. Spark calls it on its own threads."""

    def __init__(self, session: Any, sink: Callable[[Observation], None], stream_plans: StreamPlansByColumn) -> None:
        self._session, self._sink, self._stream_plans, self._reader = session, sink, stream_plans, get_reader(session)
        self._streams: OrderedDict[str, StreamState] = OrderedDict()
        self.is_open = True
        self.errors = 0

    def onQueryStarted(self, event: Any) -> None:
        """Remember the query. Spark delays the query until this returns, so that it cannot have ended."""
        try:
            query = self._session.streams().get(str(event.id))
            began_ms = int(datetime.fromisoformat(event.timestamp).timestamp() * 1000)
            progress = StreamProgress(str(event.runId), began_ms, event.name or "")
            self._streams[progress.run_id] = StreamState(query.streamingQuery(), progress)
            self._forget_oldest_ended()
            if self.is_open:
                self._sink(Observation(began_ms, began_ms, STREAM, stream=progress))
        except Exception as error:  # noqa: BLE001 - an error here must not prevent the query
            self._count_log_and_report_error(error)

    def onQueryProgress(self, event: Any) -> None:
        """Report the stream after a batch with rows, at most once in REPORT_INTERVAL_S; batches in between are only counted."""
        stream, progress = self._streams.get(str(event.progress.runId)), event.progress
        if stream is None or not self.is_open or not progress.numInputRows:
            return
        rows = stream.progress.input_rows + int(progress.numInputRows)
        stream.progress = replace(stream.progress, batch=int(progress.batchId), input_rows=rows)
        if stream.reported_s and time.monotonic() - stream.reported_s < REPORT_INTERVAL_S:
            return
        try:
            self._report_stream(stream, datetime.fromisoformat(progress.timestamp), progress.batchDuration)
        except Exception as error:  # noqa: BLE001 - capture must not fail Spark, whatever the plan contains
            self._count_log_and_report_error(error, stream.progress)
        stream.reported_s = time.monotonic()

    def onQueryIdle(self, event: Any) -> None:
        """Do nothing: there were no rows."""

    def onQueryTerminated(self, event: Any) -> None:
        """Report the end of the query. Its plan is kept, since batches of its function may be reported later."""
        stream = self._streams.get(str(event.runId))
        if stream is None:
            return
        stream.progress = replace(stream.progress, has_ended=True)
        if not self.is_open:
            return
        began, ended = stream.progress.began_ms, time.time_ns() // 1_000_000
        error = None if event.exception is None else _get_failure_condition(event)
        with suppress(Exception):  # Exceptions of the sink.
            self._sink(Observation(began, ended, STREAM, failed=error is not None, error=error, stream=stream.progress))

    def _forget_oldest_ended(self) -> None:
        """Forget the oldest ended streams; running ones are kept, however many there are."""
        over = [run for run, stream in self._streams.items() if stream.has_ended]
        for run in over[: max(0, len(self._streams) - MAX_REMEMBERED)]:
            del self._streams[run]

    def _count_log_and_report_error(self, error: Exception, progress: StreamProgress | None = None) -> None:
        """Count, log and report an error. The message is omitted, since it may contain values."""
        self.errors += 1
        log.warning("The reads and writes of a stream could not be recorded (%s).", type(error).__name__)
        now = time.time_ns() // 1_000_000
        with suppress(Exception):
            self._sink(Observation(now, now, STREAM, missing=(MissingDetail.EXECUTION,), stream=progress))

    def _report_stream(self, stream: StreamState, began: datetime, duration_ms: int) -> None:
        if stream.statement is None:
            stream.statement = _build_stream_query_statement(self._reader, stream.execution)
        started = int(began.timestamp() * 1000)
        each = stream.statement
        # What a function of a stream reads and writes is an observation of its own.
        self._sink(
            Observation(
                started,
                started + int(duration_ms),
                each.label,
                reads=each.reads,
                writes=each.writes,
                columns=each.edges,
                missing=each.missing,
                stream=stream.progress,
            )
        )

    def remember_stream_plans(self) -> None:
        """Remember the plans of all planned streams, for the batches of their functions."""
        for stream in tuple(self._streams.values()):
            if _FUNCTION_SINK in stream.execution.sink().toString():
                _remember_plan(self._reader, _get_query(stream.execution.logicalPlan()), self._stream_plans)


def _get_failure_condition(event: Any) -> str:
    """Return Spark's error condition and the class of the exception of a Python function, without messages, which contain values."""
    raised = _RAISED.search(event.exception)
    condition = event.errorClassOnException or event.exception.partition(":")[0].rpartition(".")[2]
    return f"{condition} ({raised[1]})" if raised else str(condition)


def _remember_plan(reader: PlanReader, query: Any, stream_plans: StreamPlansByColumn) -> None:
    output = query.output()
    key = int(output.head().exprId().id()) if output.nonEmpty() else None
    if key is None or key in stream_plans.items:
        return
    text = reader.read_plan_json(query, BOUNDED)
    if text is not None:
        stream_plans.items[key] = json.loads(text)
        stream_plans.relations |= _map_columns_to_datasets(query)
        while len(stream_plans.items) > MAX_REMEMBERED:
            del stream_plans.items[next(iter(stream_plans.items))]


def _get_query(plan: Any) -> Any:
    """Return the query below the node that writes a stream's batches."""
    return plan.children().head() if plan.getClass().getSimpleName().startswith("WriteToMicroBatch") else plan


def _build_stream_query_statement(reader: PlanReader, execution: Any) -> Statement:
    plan = execution.logicalPlan()
    query, sink = _get_query(plan), execution.sink().toString()
    if _FUNCTION_SINK in sink:
        return Statement(STREAM)  # The other listener reports what its function writes.
    target = _find_target(reader, plan, sink, schema.parse_fields(json.loads(query.schema().json())))
    root = reader.read_complete_plan(query, BOUNDED)
    if root is None:
        reads = merge_refs(ref for leaf in iterate_leaves(query) for ref in _find_stream_datasets(leaf))
        return Statement(STREAM, reads, (target.ref,) if target.ref else (), missing=(MissingDetail.COLUMNS,))
    return build_stream_statement(root, target, JvmFacts(_map_columns_to_datasets(query)))


def _find_target(reader: PlanReader, plan: Any, sink: str, fields: tuple[Any, ...]) -> WriteTarget:
    ref = _find_table(reader, plan) or next(iter(_parse_datasets(sink)), None)
    return WriteTarget(ref.with_fields(fields), fields) if ref else WriteTarget(has_no_dataset=True)


def _find_table(reader: PlanReader, plan: Any) -> DataRef | None:
    """Return the table that a stream writes with `toTable`."""
    if plan.getClass().getSimpleName() != "WriteToMicroBatchDataSourceV1" or plan.catalogTable().isEmpty():
        return None
    described = reader.read_root_node(plan).attrs.get("catalogTable")
    return create_table_ref(described) if isinstance(described, dict) else None


def _map_columns_to_datasets(query: Any) -> Mapping[int, tuple[DataRef, ...]]:
    return dict(iterate_leaf_datasets(query, _find_stream_datasets))


def _find_stream_datasets(leaf: Any) -> tuple[DataRef, ...]:
    match leaf.getClass().getSimpleName():
        case "StreamingExecutionRelation":
            return _parse_datasets(leaf.source().toString())
        case "StreamingDataSourceV2Relation" | "StreamingDataSourceV2ScanRelation":
            return _parse_datasets(leaf.stream().toString())
    return ()


def _parse_datasets(described: str) -> tuple[DataRef, ...]:
    """Return the datasets named in Spark's description of a streaming source or sink."""
    if match := _FILES.search(described):
        ref = create_file_ref(match[1], None)
        return (ref,) if ref else ()
    if match := _TOPICS.search(described):
        return create_topic_refs(match[1])
    return ()
