"""Attach the listener to a Spark session, and wait until it has processed all events so far."""

import atexit
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.observation import MissingDetail, Observation
from jupyter_colophon.spark.capture.dropped_events import DroppedEvents
from jupyter_colophon.system.this_process import limit_to_this_process

if TYPE_CHECKING:
    from jupyter_colophon.spark.capture.listener import PlanListener
    from jupyter_colophon.spark.capture.rdds import RddCapture


EXIT_TIMEOUT_MS = 5_000
"""How long the end of the process waits for queries that have ended but are not yet observed, in milliseconds."""


class Capture:
    """An attached listener, created by `attach` and ended by `detach`."""

    def __init__(
        self,
        session: Any,
        listener: "PlanListener",
        registration: Any,
        dropped_events: DroppedEvents,
        rdds: "RddCapture",
        sink: Callable[[Observation], None],
    ) -> None:
        self._session = session
        self._listener = listener
        self._registration = registration
        self._sink = sink
        self._dropped_events, self._rdds = dropped_events, rdds
        # The session belongs to this process, not to a forked child.
        self._at_exit = limit_to_this_process(self._detach_at_exit)
        atexit.register(self._at_exit)

    @property
    def errors(self) -> int:
        """Return the number of executions that could not be recorded."""
        return self._listener.errors + self._listener.streams.errors

    def wait_for_observations(self, timeout_ms: int = 500) -> bool:
        """Wait until all queries that have ended are observed; return False after a timeout, or if the session has stopped.

        Events that Spark dropped are reported as an observation of their own.
        """
        context = self._session.sparkContext
        if context._jsc is None:
            return False
        is_complete = wait_for_listener_bus(context._jsc.sc(), timeout_ms)
        if self._dropped_events.has_new_drops():
            now = time.time_ns() // 1_000_000
            self._sink(Observation(now, now, "", missing=(MissingDetail.EVENTS,)))
        return is_complete

    def detach(self) -> None:
        """Stop observing. May be called repeatedly, and after the session has stopped."""
        atexit.unregister(self._at_exit)
        self._listener.close()
        self._rdds.stop_capturing()
        if self._session.sparkContext._jsc is not None:
            self._registration.remove()
            self._session.streams.removeListener(self._listener.streams)

    def _detach_at_exit(self) -> None:
        """Detach before PySpark closes the connection: Spark logs an error for each call of a listener that it cannot reach."""
        # The JVM may have ended already.
        with suppress(Exception):
            self.wait_for_observations(EXIT_TIMEOUT_MS)
            self.detach()


def attach_listener(session: Any, sink: Callable[[Observation], None]) -> Capture:
    """Call `sink` with an observation of every query that ends in this session, on a separate thread.

    `session` is a classic SparkSession, not one of Spark Connect. Exceptions of the sink are counted, and the first is logged.
    """
    from pyspark.java_gateway import ensure_callback_server_started

    from jupyter_colophon.spark.capture.listener import PlanListener
    from jupyter_colophon.spark.capture.rdds import RddCapture

    gateway = session.sparkContext._gateway
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    dropped_events = DroppedEvents(session)
    listener = PlanListener(session._jsparkSession, sink, dropped_events.record_spark_call)
    registration = ListenerRegistration(gateway, session._jsparkSession.listenerManager(), listener)
    session.streams.addListener(listener.streams)
    rdds = RddCapture(session, listener.build_dataframe_reads, sink)
    rdds.start_capturing()
    return Capture(session, listener, registration, dropped_events, rdds, sink)


def wait_for_listener_bus(context: Any, timeout_ms: int) -> bool:
    """Wait until Spark's listeners have processed all events posted so far; return False after the timeout.

    This is the only caller of `waitUntilEmpty`, which Spark has for its own tests and which raises on timeout.
    """
    from py4j.protocol import Py4JError

    try:
        context.listenerBus().waitUntilEmpty(timeout_ms)
    except Py4JError:
        return False
    return True


class ListenerRegistration:
    """A listener that is registered with a session and can be removed.

    py4j creates a new Java object each time a Python object is passed, and Spark compares listeners by identity. So the Java
    object is created once, in an array, and `register` and `unregister` are called by reflection with this array as arguments.
    """

    def __init__(self, gateway: Any, manager: Any, listener: "PlanListener") -> None:
        self._gateway = gateway
        self._manager = manager
        listeners = gateway.jvm.java.util.ArrayList()
        listeners.add(listener)
        self._arguments = listeners.toArray()
        self._call_listener_manager("register")

    def remove(self) -> None:
        """Unregister the listener."""
        self._call_listener_manager("unregister")

    def _call_listener_manager(self, method: str) -> None:
        classes = self._gateway.new_array(self._gateway.jvm.java.lang.Class, 1)
        classes[0] = self._gateway.jvm.java.lang.Class.forName(
            "org.apache.spark.sql.util.QueryExecutionListener",
            False,
            self._manager.getClass().getClassLoader(),
        )
        self._manager.getClass().getMethod(method, classes).invoke(self._manager, self._arguments)
