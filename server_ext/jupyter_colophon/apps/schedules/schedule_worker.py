"""Run one schedule of an application: in one process at a time, and once for all times that were missed."""

import logging
import time
from dataclasses import dataclass, field, replace
from typing import Final

from jupyter_colophon.apps.background_call import STORE_FAILURES, CallNotStarted, describe_failure
from jupyter_colophon.apps.background_host import BackgroundHost, read_time_ms
from jupyter_colophon.apps.leased_thread import LEASE_S, LeasedThread
from jupyter_colophon.apps.schedules.schedule import ScheduleDeclaration
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.storage.changes.leases import Lease
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.storage.system_app_schedules import AppScheduleState, find_schedule_state, write_schedule_state

#: The leases of schedules have names that begin with this.
LEASE_PREFIX: Final = "app-schedule:"
_logger = logging.getLogger("jupyter_colophon.apps")


@dataclass(slots=True)
class ScheduleWorker:
    """Runs one schedule, on a thread of its own. A run that was interrupted by the end of its process is repeated."""

    host: BackgroundHost
    declaration: ScheduleDeclaration
    thread: LeasedThread = field(init=False)
    _lease: Lease = field(init=False)

    def __post_init__(self) -> None:
        """Prepare the thread."""
        app, name = self.host.app, self.declaration.name
        self._lease = Lease(f"{LEASE_PREFIX}{app}:{name}", self.host.provider, LEASE_S)
        self.thread = LeasedThread(app, "schedule", name, self._lease, self._run_if_due)

    def create_state(self, tx: TableContext) -> None:
        """Record when a new or changed schedule is due first."""
        state = find_schedule_state(tx, self.host.app, self.declaration.name)
        if state is None or state.spec != self.declaration.spec:
            spec = self.declaration.spec
            due = self.declaration.calculate_next_due_ms(read_time_ms(), None)
            write_schedule_state(tx, AppScheduleState(self.host.app, self.declaration.name, spec, due))

    def _run_if_due(self) -> float | None:
        if not self.host.is_enabled():
            self._lease.release_lease()
            return None
        states: list[AppScheduleState | None] = []
        if not self._lease.acquire_or_keep_and_run(lambda tx: states.append(self._read_state(tx))):
            return None
        state = states[-1]
        # Another version of the application has other times: its processes run the schedule.
        if state is None or state.spec != self.declaration.spec:
            self._lease.release_lease()
            return None
        if state.due <= read_time_ms():
            state = self._run(state)
        return max(0.0, min(self._lease.heartbeat_s, (state.due - read_time_ms()) / 1_000))

    def _run(self, state: AppScheduleState) -> AppScheduleState:
        started = read_time_ms()
        self._lease.run_in_transaction_while_held(lambda tx: write_schedule_state(tx, replace(state, started=started)))
        problem = self._call_and_describe_failure()
        now = read_time_ms()
        ended = replace(
            state,
            due=self.declaration.calculate_next_due_ms(now, state.due),
            started=started,
            ended=now,
            failures=state.failures + 1 if problem else 0,
            problem=problem,
        )
        self._lease.run_in_transaction_while_held(lambda tx: write_schedule_state(tx, ended))
        return ended

    def _call_and_describe_failure(self) -> str:
        """Run the work; return why it failed, empty if it succeeded. Raises StorageError if the store fails."""
        timeout_s = self.declaration.timeout_s
        transactions = AppTransactions(
            self.host.app,
            self.host.provider,
            self.host.deployment.specs,
            "",
            timeout_s,
            time.monotonic() + timeout_s,
        )
        context = self.host.create_context(transactions)
        try:
            error = self.thread.caller.call(context, lambda: self.declaration.work(context), timeout_s)
        except CallNotStarted:
            return "its former runs have not returned"
        if isinstance(error, STORE_FAILURES):
            raise error
        if error is None:
            return ""
        _logger.error(
            "the schedule %s of the system application %s failed",
            self.declaration.name,
            self.host.app,
            exc_info=error,
        )
        return describe_failure(error)

    def _read_state(self, tx: TableContext) -> AppScheduleState | None:
        return find_schedule_state(tx, self.host.app, self.declaration.name)
