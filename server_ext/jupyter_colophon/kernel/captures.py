"""The Spark sessions of this kernel, each with its listener. PySpark is imported by the user or not at all."""

import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from jupyter_colophon.kernel.notices import Notices
from jupyter_colophon.spark import hook
from jupyter_colophon.spark.observation import Observation

if TYPE_CHECKING:
    # It imports py4j: here for its name alone.
    from jupyter_colophon.spark.capture import Capture

#: How long the end of a cell waits for Spark to tell what it did (spark.md, decision 2).
DRAIN_MS = 500


class Captures:
    """Attaches a listener to every classic session as it is made; with Spark Connect it says that it cannot."""

    def __init__(self, sink: Callable[[Observation], None], notices: Notices) -> None:
        self._sink, self._notices = sink, notices
        self._lock = threading.Lock()
        self._captures: list[tuple[Any, Capture]] = []
        self._unhook: Callable[[], None] | None = None
        self.state = "no Spark session yet"

    def start(self) -> None:
        """Waits for sessions from now on, and takes the one that is active already."""
        self._unhook = hook.on_session(self._attach)
        module = sys.modules.get("pyspark.sql.session")
        active = module.SparkSession.getActiveSession() if module is not None else None
        if active is not None:
            self._attach(active, hook.SessionKind.CLASSIC)

    def stop(self) -> None:
        """Takes every listener off."""
        if self._unhook is not None:
            self._unhook()
        with self._lock:
            captures, self._captures = self._captures, []
        for _, capture in captures:
            # The JVM may be gone before us.
            with suppress(Exception):
                capture.detach()

    def drain(self, timeout_ms: int = DRAIN_MS) -> bool:
        """Waits until Spark has told what has happened so far, at most that long over all sessions; whether it has."""
        with self._lock:
            # A session that was stopped has nothing more to tell: no reason to wait, nor to warn.
            self._captures = [(session, capture) for session, capture in self._captures if _is_alive(session)]
            captures = [capture for _, capture in self._captures]
        heard = [_drained(capture, timeout_ms // len(captures)) for capture in captures]
        return all(heard)

    def _attach(self, session: Any, kind: hook.SessionKind) -> None:
        if kind is hook.SessionKind.CONNECT:
            self.state = "the cluster's (Spark Connect)"
            self._notices.say_once(
                "connect",
                "Colophon: this is a Spark Connect session. What it reads and writes is recorded by the cluster, if at all.",
            )
            return
        # Late: it imports py4j, which came with the session.
        from jupyter_colophon.spark.capture import attach

        with self._lock:
            # A session may be announced after it was found active.
            if all(known is not session for known, _ in self._captures):
                self._captures.append((session, attach(session, self._sink)))
            self.state = "on"


def _is_alive(session: Any) -> bool:
    return session.sparkContext._jsc is not None


def _drained(capture: "Capture", timeout_ms: int) -> bool:
    # The JVM may die while we ask it.
    with suppress(Exception):
        return capture.drain(timeout_ms)
    return False
