"""Detection of events that Spark did not deliver. It is not known which queries they were."""

from typing import Any


class DroppedEvents:
    """Detect that Spark dropped events of its queue, or that the callback connection was cut.

    A call on a connection that was cut is lost: Spark logs it and continues, and the next call uses a new connection.
    """

    def __init__(self, session: Any) -> None:
        context = session.sparkContext
        # Without pinned threads, no connection belongs to a thread.
        self._connection_of_thread = getattr(context._gateway._gateway_client, "get_thread_connection", lambda: None)
        bus = context._jsc.sc().listenerBus()
        self._dropped = bus.metrics().metricRegistry().counter("queue.shared.numDroppedEvents")
        self._dropped_before = self._dropped.getCount()
        self._connection: Any = None
        self._was_replaced = self._is_known_cut = False

    def record_spark_call(self) -> None:
        """Note a call of Spark on the current thread."""
        connection = self._connection_of_thread()
        self._was_replaced |= self._connection not in (None, connection)
        self._connection = connection

    def has_new_drops(self) -> bool:
        """Return whether events were dropped since the previous call of this method."""
        dropped, before = self._dropped.getCount(), self._dropped_before
        is_cut = self._connection is not None and self._connection.socket is None
        has_lost = dropped > before or self._was_replaced or (is_cut and not self._is_known_cut)
        self._dropped_before, self._was_replaced, self._is_known_cut = dropped, False, is_cut
        return bool(has_lost)
