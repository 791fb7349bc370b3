"""The Spark sessions of this kernel, each with its listener. PySpark is imported by the user or not at all."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.display_text import count_of
from jupyter_colophon.kernel.messages import Notices
from jupyter_colophon.spark.capture import session_hook
from jupyter_colophon.spark.plans.observation import Observation

if TYPE_CHECKING:
    # It imports py4j: here for its name alone.
    from jupyter_colophon.spark.capture.attach import Capture

#: How long the end of a cell waits for Spark to tell what it did (spec CAPTURE-2).
DRAIN_MS = 500
#: How long a command waits for Spark to tell what it did itself.
ASIDE_MS = 5_000


class Captures:
    """Attaches a listener to every classic session as it is made; with Spark Connect it says that it cannot."""

    def __init__(self, sink: Callable[[Observation], None], notices: Notices) -> None:
        self._sink, self._notices = sink, notices
        self._lock = threading.Lock()
        self._captures: list[tuple[Any, Capture]] = []
        self._unhook: Callable[[], None] | None = None
        #: What sessions that ended could not record.
        self._missed = 0
        self._is_aside = False
        self._state = "no Spark session yet"

    @property
    def state(self) -> str:
        """Whether there is anything to listen to, and how much was lost of it."""
        with self._lock:
            missed = self._missed + sum(capture.errors for _, capture in self._captures)
        return f"{self._state}; not recorded: {count_of(missed, 'execution')}" if missed else self._state

    def start(self) -> None:
        """Waits for sessions from now on, and takes the one that is active already."""
        self._unhook = session_hook.on_session(self._attach)
        module = sys.modules.get("pyspark.sql.session")
        active = module.SparkSession.getActiveSession() if module is not None else None
        if active is not None:
            self._attach(active, session_hook.SessionKind.CLASSIC)

    def turn_off(self) -> None:
        """Listen to no session: COLOPHON_CAPTURE or the server's setting `capture` says so."""
        self._state = "off"

    def stop(self) -> None:
        """Takes every listener off."""
        if self._unhook is not None:
            self._unhook()
            self._unhook = None
        with self._lock:
            captures, self._captures = self._captures, []
            self._state = "off"
        for _, capture in captures:
            # The JVM may be gone before us.
            with suppress(Exception):
                capture.detach()

    def drain(self, timeout_ms: int = DRAIN_MS) -> bool:
        """Waits until Spark has told what has happened so far, at most that long over all sessions; whether it has."""
        with self._lock:
            # A session that was stopped has nothing more to tell: no reason to wait, nor to warn.
            over = [capture for session, capture in self._captures if not _is_alive(session)]
            self._missed += sum(capture.errors for capture in over)
            self._captures = [(session, capture) for session, capture in self._captures if capture not in over]
            captures = [capture for _, capture in self._captures]
        heard = [_drained(capture, timeout_ms // len(captures)) for capture in captures]
        return all(heard)

    @contextmanager
    def reads_aside(self) -> Iterator[None]:
        """What is only read within is a command's own work, and no news of the cell's data."""
        self.drain(ASIDE_MS)
        self._is_aside = True
        try:
            yield
        finally:
            self.drain(ASIDE_MS)
            self._is_aside = False

    def _hear(self, observation: Observation) -> None:
        if observation.writes or not self._is_aside:
            self._sink(observation)

    def _attach(self, session: Any, kind: session_hook.SessionKind) -> None:
        if kind is session_hook.SessionKind.CONNECT:
            self._state = "the cluster's (Spark Connect)"
            self._notices.say_once(
                "connect",
                "Colophon: this is a Spark Connect session. What it reads and writes is recorded by the cluster, if at all.",
            )
            return
        # Late: it imports py4j, which came with the session.
        from jupyter_colophon.spark.capture.attach import attach

        with self._lock:
            # A session may be announced after it was found active.
            if all(known is not session for known, _ in self._captures):
                self._captures.append((session, attach(session, self._hear)))
            self._state = "on"


def _is_alive(session: Any) -> bool:
    return session.sparkContext._jsc is not None


def _drained(capture: "Capture", timeout_ms: int) -> bool:
    # The JVM may die while we ask it.
    with suppress(Exception):
        return capture.drain(timeout_ms)
    return False
