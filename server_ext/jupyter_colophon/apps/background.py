"""The background work of the applications of a process: their listeners and schedules."""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from jupyter_colophon.apps.background_host import BackgroundHost
from jupyter_colophon.apps.events.listener_worker import ListenerWorker
from jupyter_colophon.apps.leased_thread import LeasedThread
from jupyter_colophon.apps.schedules.schedule_worker import ScheduleWorker
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.service.changes.feed import ChangeFeed
from jupyter_colophon.storage.spi import TableContext


@dataclass(slots=True)
class BackgroundWork:
    """Starts the listeners and schedules of deployed applications, and wakes the listeners when something changes."""

    feed: ChangeFeed
    _listeners: list[LeasedThread] = field(default_factory=list)
    _schedules: list[LeasedThread] = field(default_factory=list)
    _end_listening: Callable[[], None] | None = None
    _is_closed: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start_app(self, host: BackgroundHost) -> None:
        """Start the listeners and schedules of an application. Raises StorageError; then nothing is started."""
        listeners = [ListenerWorker(host, declaration) for declaration in host.deployment.listeners]
        schedules = [ScheduleWorker(host, declaration) for declaration in host.deployment.schedules]
        if not listeners and not schedules:
            return

        def prepare(tx: TableContext) -> None:
            for listener in listeners:
                listener.create_cursor(tx)
            for schedule in schedules:
                schedule.create_state(tx)

        host.provider.tx_runner.run(prepare)
        with self._lock:
            if self._is_closed:
                return
            of_listeners, of_schedules = ([worker.thread for worker in workers] for workers in (listeners, schedules))
            self._listeners += of_listeners
            self._schedules += of_schedules
            if listeners and self._end_listening is None:
                # While the store is unavailable, the workers poll.
                with suppress(StorageError):
                    self._end_listening = self.feed.register_listener(self._wake_listeners)
            for thread in (*of_listeners, *of_schedules):
                thread.start()

    def wake(self) -> None:
        """Check all listeners and schedules now."""
        for thread in (*self._listeners, *self._schedules):
            thread.wake()

    def count_hanging_calls(self) -> int:
        """Return how many calls of listeners and schedules did not return in time, and still run."""
        return sum(thread.caller.count_hanging_calls() for thread in (*self._listeners, *self._schedules))

    def close(self) -> None:
        """Stop all of them. Calls that are running end with the process."""
        with self._lock:
            self._is_closed = True
            if self._end_listening is not None:
                self._end_listening()
        for thread in (*self._listeners, *self._schedules):
            thread.close()

    def _wake_listeners(self, _: Sequence[Change]) -> None:
        for listener in self._listeners:
            listener.wake()
