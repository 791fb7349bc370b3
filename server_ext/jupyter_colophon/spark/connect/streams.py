"""The states of streaming queries that a Spark Connect client started: the server is asked for them, on a separate thread."""

import json
import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from jupyter_colophon.capture.calls import Flow
from jupyter_colophon.capture.observation import STREAM, StreamProgress

log = logging.getLogger("jupyter_colophon.spark")

#: How often the server is asked, unless the program itself asks for a stream.
INTERVAL_S: Final = 10.0
#: Interval between reports of a running stream.
REPORT_INTERVAL_S: Final = 60.0

Commit = Callable[[Sequence[Flow]], None]


def build_started_progress(started: Any, began_ms: int) -> StreamProgress:
    """Return the state of a stream from the server's answer to the command that started it."""
    return StreamProgress(started.query_id.run_id, began_ms, started.name)


@dataclass(slots=True)
class _RunningStream:
    query_id: Any
    progress: StreamProgress
    #: The time of the newest progress that was counted, in Spark's format.
    counted: str = ""
    reported_s: float = 0.0


class StreamStates:
    """Reports the states of the running streams of one client. Its thread ends with the last stream."""

    def __init__(self, client: Any, commit: Commit) -> None:
        """Create a follower of a client's streams that passes what it learns to `commit`."""
        self._client, self._commit = client, commit
        self._streams: list[_RunningStream] = []
        self._lock, self._has_news = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None

    def add_stream(self, query_id: Any, progress: StreamProgress) -> None:
        """Follow a stream until it ends."""
        with self._lock:
            self._streams.append(_RunningStream(query_id, progress))
            if self._thread is None:
                self._thread = threading.Thread(target=self._follow_streams, name="colophon-streams", daemon=True)
                self._thread.start()

    def request_states(self) -> None:
        """Ask for the states now: the program waited for a stream, or stopped one."""
        if threading.current_thread() is not self._thread:
            self._has_news.set()

    def _follow_streams(self) -> None:
        while True:
            self._has_news.wait(INTERVAL_S)
            self._has_news.clear()
            ended = [stream for stream in tuple(self._streams) if not self._follow_stream(stream)]
            with self._lock:
                self._streams = [stream for stream in self._streams if stream not in ended]
                if not self._streams:
                    self._thread = None
                    return

    def _follow_stream(self, stream: _RunningStream) -> bool:
        """Report what is new of a stream; return whether to ask again."""
        try:
            is_active = bool(self._execute_command(stream, status=True).status.is_active)
            self._count_rows(stream)
            failure = "" if is_active else self._find_error(stream)
        except Exception as error:  # noqa: BLE001  any error of gRPC or of the server, which may be gone
            log.debug("The state of a stream is not known any more (%s).", type(error).__name__)
            if self._client.is_closed:
                # The server stops the streams of a session that ends.
                self._report(stream, has_ended=True)
            return False
        is_due = not stream.reported_s or time.monotonic() - stream.reported_s >= REPORT_INTERVAL_S
        if not is_active or (is_due and stream.progress.batch is not None):
            self._report(stream, has_ended=not is_active, error=failure)
        return is_active

    def _count_rows(self, stream: _RunningStream) -> None:
        """Count the rows of the batches since the last time. The server keeps a hundred of them by default."""
        latest = self._read_progress(stream, last_progress=True)
        if not latest or latest[-1].timestamp <= stream.counted:
            return
        for each in self._read_progress(stream, recent_progress=True):
            if each.timestamp > stream.counted:
                stream.counted = each.timestamp
                if each.numInputRows:
                    rows = stream.progress.input_rows + each.numInputRows
                    stream.progress = replace(stream.progress, batch=each.batchId, input_rows=rows)

    def _read_progress(self, stream: _RunningStream, **question: Any) -> list[Any]:
        from pyspark.sql.streaming.listener import StreamingQueryProgress

        answers = self._execute_command(stream, **question).recent_progress.recent_progress_json
        return [StreamingQueryProgress.fromJson(json.loads(each)) for each in answers]

    def _find_error(self, stream: _RunningStream) -> str:
        """Return the error condition of a stream that failed, "" of another one. Its message may contain values."""
        failure = self._execute_command(stream, exception=True).exception
        return (failure.error_class or "StreamingQueryException") if failure.HasField("exception_message") else ""

    def _execute_command(self, stream: _RunningStream, **question: Any) -> Any:
        from pyspark.sql.connect import proto

        command = proto.StreamingQueryCommand(query_id=stream.query_id, **question)
        properties = self._client.execute_command(proto.Command(streaming_query_command=command))[1]
        return properties["streaming_query_command_result"]

    def _report(self, stream: _RunningStream, *, has_ended: bool, error: str = "") -> None:
        stream.reported_s = time.monotonic()
        progress = replace(stream.progress, has_ended=has_ended)
        now_ms = time.time_ns() // 1_000_000
        self._commit([Flow(None, now_ms, STREAM, (), error=error, stream=progress)])
