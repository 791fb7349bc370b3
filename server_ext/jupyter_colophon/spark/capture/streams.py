"""Streaming queries: what they read and write, told when batches brought rows.

Spark names no execution of a stream's own batches to a `QueryExecutionListener`, so a `StreamingQueryListener` stands beside it.
What a `foreachBatch` function writes is told by the other listener; `grafts` gives it the stream's plan in the place of the rows
that the function was handed.
"""

import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from jupyter_colophon.spark.capture.jvm_calls import leaves_of, named_leaves
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.datasets_from_jvm import file, table_ref, topics
from jupyter_colophon.spark.plans.jvm_facts import Facts, Target
from jupyter_colophon.spark.plans.observation import STREAM, DataRef, Observation, Unseen, united
from jupyter_colophon.spark.plans.plan import Statement, streamed
from jupyter_colophon.spark.plans.plan_reader import BOUNDED, PlanReader, reader_of
from jupyter_colophon.spark.plans.plan_tree import Grafts

log = logging.getLogger("jupyter_colophon.spark")

REMEMBERED = 64
"""Streams whose plans are kept, for batches that a function of theirs still writes; more only where more run."""

AGAIN_S = 60.0
"""A stream that goes on is told again after that long, not with each of its batches."""

_FILES = re.compile(r"(?:FileStreamSource|FileSink)\[(.*)\]", re.DOTALL)
_TOPICS = re.compile(r"Kafka\w*\[Subscribe\[(.*)\]\]", re.DOTALL)
_FUNCTION_SINK = "ForeachBatch"

_RAISED = re.compile(r"Traceback \(.*\n(?:[ ].*\n|\n)+(?:[\w.<>]*\.)?([A-Za-z_]\w{0,99})(?::|$)", re.MULTILINE)
"""The class of an exception, below the first traceback of Python's."""


@dataclass(slots=True)
class Stream:
    """A streaming query: Spark's object of it, and once a batch was planned the statement that it is."""

    execution: Any
    began: datetime
    statement: Statement | None = None
    told_s: float = 0.0
    is_over: bool = False


class Streams(StreamingQueryListener):
    """Follows the streaming queries of a session. Spark calls it on threads of its own."""

    def __init__(self, session: Any, sink: Callable[[Observation], None], grafts: Grafts) -> None:
        self._session, self._sink, self._grafts, self._reader = session, sink, grafts, reader_of(session)
        self._streams: OrderedDict[str, Stream] = OrderedDict()
        self.is_open = True
        self.errors = 0

    def onQueryStarted(self, event: Any) -> None:
        """Spark holds the query back until this returns: it cannot have ended yet, and is remembered."""
        try:
            found = self._session.streams().get(str(event.id))
            began = datetime.fromisoformat(event.timestamp)
            self._streams[str(event.runId)] = Stream(found.streamingQuery(), began)
            self._forget()
        except Exception as error:  # noqa: BLE001 - the query must start whatever we make of it
            self._miss(error)

    def onQueryProgress(self, event: Any) -> None:
        """A batch is over, or nothing came for a while."""
        stream, progress = self._streams.get(str(event.progress.runId)), event.progress
        if stream is None or not self.is_open or not progress.numInputRows:
            return
        if stream.told_s and time.monotonic() - stream.told_s < AGAIN_S:
            return
        try:
            self._tell(stream, datetime.fromisoformat(progress.timestamp), progress.batchDuration)
        except Exception as error:  # noqa: BLE001 - whatever a plan holds, capture must not reach into Spark
            self._miss(error)
        stream.told_s = time.monotonic()

    def onQueryIdle(self, event: Any) -> None:
        """Nothing came."""

    def onQueryTerminated(self, event: Any) -> None:
        """The query ended. Its plan stays: the batches of its function may be told later than this.

        A failure is told at the time when the stream began: perhaps nobody waits for it, and the cell is long over.
        """
        stream = self._streams.get(str(event.runId))
        if stream is None:
            return
        stream.is_over = True
        if event.exception is None or not self.is_open:
            return
        began, ended = int(stream.began.timestamp() * 1000), time.time_ns() // 1_000_000
        with suppress(Exception):  # The sink's own.
            self._sink(Observation(began, ended, STREAM, failed=True, error=_cause(event)))

    def _forget(self) -> None:
        """Forget the oldest of those that ended; what runs is told again and again, however many there are."""
        over = [run for run, stream in self._streams.items() if stream.is_over]
        for run in over[: max(0, len(self._streams) - REMEMBERED)]:
            del self._streams[run]

    def _miss(self, error: Exception) -> None:
        """Count it, say so, and have the record say so. No message: it may hold values."""
        self.errors += 1
        log.warning("A stream runs, but what it reads and writes could not be recorded (%s).", type(error).__name__)
        now = time.time_ns() // 1_000_000
        with suppress(Exception):
            self._sink(Observation(now, now, STREAM, unseen=(Unseen.EXECUTION,)))

    def _tell(self, stream: Stream, began: datetime, duration_ms: int) -> None:
        if stream.statement is None:
            stream.statement = _statement(self._reader, stream.execution)
        started = int(began.timestamp() * 1000)
        each = stream.statement
        if each.writes or each.unseen:
            self._sink(
                Observation(
                    started,
                    started + int(duration_ms),
                    each.label,
                    reads=each.reads,
                    writes=each.writes,
                    columns=each.edges,
                    unseen=each.unseen,
                )
            )

    def learn(self) -> None:
        """Note the plans of all streams that have one by now, for the batches of their functions."""
        for stream in tuple(self._streams.values()):
            if _FUNCTION_SINK in stream.execution.sink().toString():
                _graft(self._reader, _query(stream.execution.logicalPlan()), self._grafts)


def _cause(event: Any) -> str:
    """Give Spark's error condition, and the class of what a function in Python raised; no message, which holds values."""
    raised = _RAISED.search(event.exception)
    condition = event.errorClassOnException or event.exception.partition(":")[0].rpartition(".")[2]
    return f"{condition} ({raised[1]})" if raised else str(condition)


def _graft(reader: PlanReader, query: Any, grafts: Grafts) -> None:
    output = query.output()
    key = int(output.head().exprId().id()) if output.nonEmpty() else None
    if key is None or key in grafts.items:
        return
    text = reader.text(query, BOUNDED)
    if text is not None:
        grafts.items[key] = json.loads(text)
        grafts.relations |= _relations(query)
        while len(grafts.items) > REMEMBERED:
            del grafts.items[next(iter(grafts.items))]


def _query(plan: Any) -> Any:
    """Give the query below the node that writes a stream's batches."""
    return plan.children().head() if plan.getClass().getSimpleName().startswith("WriteToMicroBatch") else plan


def _statement(reader: PlanReader, execution: Any) -> Statement:
    plan = execution.logicalPlan()
    query, sink = _query(plan), execution.sink().toString()
    if _FUNCTION_SINK in sink:
        return Statement(STREAM)  # What its function writes is told by itself.
    target = _target(reader, plan, sink, schema.fields(json.loads(query.schema().json())))
    root = reader.whole(query, BOUNDED)
    if root is None:
        reads = united(ref for leaf in leaves_of(query) for ref in _refs(leaf))
        return Statement(STREAM, reads, (target.ref,) if target.ref else (), unseen=(Unseen.COLUMNS,))
    return streamed(root, target, Facts(_relations(query)))


def _target(reader: PlanReader, plan: Any, sink: str, fields: tuple[Any, ...]) -> Target:
    ref = _table(reader, plan) or next(iter(_places(sink)), None)
    return Target(ref.having(fields), fields) if ref else Target(is_unnamed=True)


def _table(reader: PlanReader, plan: Any) -> DataRef | None:
    """Give the table that a stream was started into with `toTable`."""
    if plan.getClass().getSimpleName() != "WriteToMicroBatchDataSourceV1" or plan.catalogTable().isEmpty():
        return None
    described = reader.top(plan).attrs.get("catalogTable")
    return table_ref(described) if isinstance(described, dict) else None


def _relations(query: Any) -> Mapping[int, tuple[DataRef, ...]]:
    return dict(named_leaves(query, _refs))


def _refs(leaf: Any) -> tuple[DataRef, ...]:
    match leaf.getClass().getSimpleName():
        case "StreamingExecutionRelation":
            return _places(leaf.source().toString())
        case "StreamingDataSourceV2Relation" | "StreamingDataSourceV2ScanRelation":
            return _places(leaf.stream().toString())
    return ()


def _places(described: str) -> tuple[DataRef, ...]:
    """Give the datasets that Spark's description of a source or a sink of streams names."""
    if found := _FILES.search(described):
        ref = file(found[1], None)
        return (ref,) if ref else ()
    if found := _TOPICS.search(described):
        return topics(found[1])
    return ()
