"""Capture the Spark sessions of this kernel, each with its own listener. Never imports PySpark before the user does."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.observation import Observation
from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.spark.capture import session_hook

if TYPE_CHECKING:
    # It imports py4j: only needed for the type.
    from jupyter_colophon.spark.capture.attach import Capture

#: How long the end of a cell waits for Spark's events (spec CAPTURE-2).
DRAIN_MS = 500
#: How long a command waits for the events of its own reads.
EXCLUDED_READS_MS = 5_000

_OFF = "off"


class SparkCaptures:
    """Attaches a listener to every classic session when it is created; a Spark Connect session is captured by its client."""

    def __init__(self, sink: Callable[[Observation], None]) -> None:
        self._sink = sink
        self._lock = threading.Lock()
        self._captures: list[tuple[Any, Capture]] = []
        self._unhook: Callable[[], None] | None = None
        #: Number of executions that ended sessions could not record.
        self._missed = 0
        self._excludes_reads = False
        self._state = "no Spark session yet"

    @property
    def status_text(self) -> str:
        """Return whether sessions are captured, and how many executions could not be recorded."""
        with self._lock:
            missed = self._missed + sum(capture.errors for _, capture in self._captures)
        return f"{self._state}; not recorded: {format_count_with_noun(missed, 'execution')}" if missed else self._state

    @property
    def is_off(self) -> bool:
        """Return whether no session is captured, because that is disabled or the extension is unloaded."""
        return self._state == _OFF

    def start_capturing(self) -> None:
        """Attach to sessions created from now on, and to the active one."""
        self._unhook = session_hook.on_session(self._attach_or_follow)
        module = sys.modules.get("pyspark.sql.session")
        active = module.SparkSession.getActiveSession() if module is not None else None
        if active is not None:
            self._attach_or_follow(active, session_hook.SessionKind.CLASSIC)

    def disable_capture(self) -> None:
        """Capture no session, as COLOPHON_CAPTURE or the server's setting `capture` requires."""
        self._state = _OFF

    def detach_listeners(self) -> None:
        """Detach every listener."""
        if self._unhook is not None:
            self._unhook()
            self._unhook = None
        with self._lock:
            captures, self._captures = self._captures, []
            self._state = _OFF
        for _, capture in captures:
            # The JVM may have ended already.
            with suppress(Exception):
                capture.detach()

    def wait_for_events(self, timeout_ms: int = DRAIN_MS) -> bool:
        """Wait for the pending events of all sessions, at most `timeout_ms` in total; return whether all arrived."""
        with self._lock:
            # A stopped session sends no more events: do not wait, and do not warn.
            stopped = [capture for session, capture in self._captures if not _is_session_alive(session)]
            self._missed += sum(capture.errors for capture in stopped)
            self._captures = [(session, capture) for session, capture in self._captures if capture not in stopped]
            captures = [capture for _, capture in self._captures]
        drained = [_flush_capture(capture, timeout_ms // len(captures)) for capture in captures]
        return all(drained)

    @contextmanager
    def exclude_reads(self) -> Iterator[None]:
        """Exclude reads inside the block from the lineage of the cell: they are a command's own work."""
        self.wait_for_events(EXCLUDED_READS_MS)
        self._excludes_reads = True
        try:
            yield
        finally:
            self.wait_for_events(EXCLUDED_READS_MS)
            self._excludes_reads = False

    def _on_observation(self, observation: Observation) -> None:
        if observation.writes or observation.stream is not None or not self._excludes_reads:
            self._sink(observation)

    def _attach_or_follow(self, session: Any, kind: session_hook.SessionKind) -> None:
        if kind is session_hook.SessionKind.CONNECT:
            # An adapter observes the client (`spark/connect`), since there is no JVM to listen to.
            self._state = "on, by the plans of the client (Spark Connect)"
            return
        # Imported late: it needs py4j, which is there once a session exists.
        from jupyter_colophon.spark.capture.attach import attach_listener

        with self._lock:
            # The hook may report a session that was already found as the active one.
            if all(captured is not session for captured, _ in self._captures):
                self._captures.append((session, attach_listener(session, self._on_observation)))
            self._state = "on"


def _is_session_alive(session: Any) -> bool:
    return session.sparkContext._jsc is not None


def _flush_capture(capture: "Capture", timeout_ms: int) -> bool:
    # The JVM may end during the call.
    with suppress(Exception):
        return capture.wait_for_observations(timeout_ms)
    return False
