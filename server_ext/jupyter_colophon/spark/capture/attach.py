"""Attaching the listener to a Spark session, and waiting until it has heard all that happened so far."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from jupyter_colophon.spark.capture.dropped_events import Unheard
from jupyter_colophon.spark.plans.observation import Observation, Unseen

if TYPE_CHECKING:
    from jupyter_colophon.spark.capture.listener import PlanListener
    from jupyter_colophon.spark.capture.rdds import Rdds


class Capture:
    """A listener at work. `attach` makes it; `detach` ends it."""

    def __init__(
        self,
        session: Any,
        listener: "PlanListener",
        registration: Any,
        unheard: Unheard,
        rdds: "Rdds",
        sink: Callable[[Observation], None],
    ) -> None:
        self._session = session
        self._listener = listener
        self._registration = registration
        self._sink = sink
        self._unheard, self._rdds = unheard, rdds

    @property
    def errors(self) -> int:
        """How many executions could not be recorded."""
        return self._listener.errors + self._listener.streams.errors

    def drain(self, timeout_ms: int = 500) -> bool:
        """Wait until what ended before this call was observed; False when that took longer, or the session is gone.

        Where Spark could not tell of all, that is observed too.
        """
        context = self._session.sparkContext
        if context._jsc is None:
            return False
        is_heard = wait_until_heard(context._jsc.sc(), timeout_ms)
        if self._unheard.is_some():
            now = time.time_ns() // 1_000_000
            self._sink(Observation(now, now, "", unseen=(Unseen.EVENTS,)))
        return is_heard

    def detach(self) -> None:
        """Observe nothing from now on. May be called again, and after the session's end."""
        self._listener.close()
        self._rdds.close()
        if self._session.sparkContext._jsc is not None:
            self._registration.remove()
            self._session.streams.removeListener(self._listener.streams)


def attach(session: Any, sink: Callable[[Observation], None]) -> Capture:
    """Have `sink` called with an observation of every query that ends in this session, on a thread of its own.

    `session` is a classic SparkSession, not one of Connect. What the sink raises is counted and logged once, and nothing else.
    """
    from pyspark.java_gateway import ensure_callback_server_started

    from jupyter_colophon.spark.capture.listener import PlanListener
    from jupyter_colophon.spark.capture.rdds import Rdds

    gateway = session.sparkContext._gateway
    ensure_callback_server_started(gateway)  # type: ignore[no-untyped-call]
    unheard = Unheard(session)
    listener = PlanListener(session._jsparkSession, sink, unheard.called)
    registration = Registration(gateway, session._jsparkSession.listenerManager(), listener)
    session.streams.addListener(listener.streams)
    rdds = Rdds(session, listener.statements_of, sink)
    rdds.open()
    return Capture(session, listener, registration, unheard, rdds, sink)


def wait_until_heard(context: Any, timeout_ms: int) -> bool:
    """Wait until Spark's listeners have heard every event posted so far.

    The one place that calls `waitUntilEmpty`, which Spark means for its own tests and which raises when the time is over.
    """
    from py4j.protocol import Py4JError

    try:
        context.listenerBus().waitUntilEmpty(timeout_ms)
    except Py4JError:
        return False
    return True


class Registration:
    """A listener registered with a session, so that it can be removed again.

    py4j makes a new Java object each time that a Python object is handed over, and Spark finds listeners by identity. So the Java
    object is made once, in an array, and `register` and `unregister` are called by reflection with that array as arguments.
    """

    def __init__(self, gateway: Any, manager: Any, listener: "PlanListener") -> None:
        self._gateway = gateway
        self._manager = manager
        listeners = gateway.jvm.java.util.ArrayList()
        listeners.add(listener)
        self._arguments = listeners.toArray()
        self._call("register")

    def remove(self) -> None:
        """Take the listener off the session."""
        self._call("unregister")

    def _call(self, method: str) -> None:
        classes = self._gateway.new_array(self._gateway.jvm.java.lang.Class, 1)
        classes[0] = self._gateway.jvm.java.lang.Class.forName(
            "org.apache.spark.sql.util.QueryExecutionListener",
            False,
            self._manager.getClass().getClassLoader(),
        )
        self._manager.getClass().getMethod(method, classes).invoke(self._manager, self._arguments)
