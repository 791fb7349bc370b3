"""What Spark had to tell and could not: which queries those were nobody knows, but that there may be some is said."""

from typing import Any


class Unheard:
    """Notices that Spark dropped events of its queue, and that the connection on which it calls us was cut.

    A call that meets a cut connection is lost: Spark logs that and goes on, and the next call comes on a new connection.
    """

    def __init__(self, session: Any) -> None:
        context = session.sparkContext
        # None where PySpark was told not to pin threads: then no connection is a thread's own.
        self._connection_of_thread = getattr(context._gateway._gateway_client, "get_thread_connection", lambda: None)
        bus = context._jsc.sc().listenerBus()
        self._dropped = bus.metrics().metricRegistry().counter("queue.shared.numDroppedEvents")
        self._dropped_before = self._dropped.getCount()
        self._connection: Any = None
        self._was_replaced = self._is_known_cut = False

    def called(self) -> None:
        """Spark calls us, on this thread."""
        connection = self._connection_of_thread()
        self._was_replaced |= self._connection not in (None, connection)
        self._connection = connection

    def is_some(self) -> bool:
        """Whether there is something since the last time that this was asked."""
        dropped, before = self._dropped.getCount(), self._dropped_before
        is_cut = self._connection is not None and self._connection.socket is None
        found = dropped > before or self._was_replaced or (is_cut and not self._is_known_cut)
        self._dropped_before, self._was_replaced, self._is_known_cut = dropped, False, is_cut
        return bool(found)
