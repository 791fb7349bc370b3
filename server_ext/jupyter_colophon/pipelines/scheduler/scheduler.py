"""Start scheduled pipelines: one process per store does so, and its successor catches up on missed times.

Due times are stored (storage/changes/schedules.py) before a run is started, so that a kill in between starts no run
twice. Missed times start one run. Changes are read from the change log, from the stored position.
"""

import logging
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from jupyter_colophon.composition import Catalog, read_time_ms
from jupyter_colophon.core.access import INTERNAL, Principal
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidConfiguration, MetadataError, StorageError
from jupyter_colophon.core.identity.names import Urn, make_program_urn, make_run_urn
from jupyter_colophon.core.lineage.run import RunStatus
from jupyter_colophon.pipelines.final_status import determine_and_record_final_status
from jupyter_colophon.pipelines.pipeline_process import PipelineProcess, TokenIssuer, launch_process
from jupyter_colophon.pipelines.running_pipelines import is_run_active
from jupyter_colophon.pipelines.scheduler.schedule import PipelineSchedule
from jupyter_colophon.service.changes.change_log_follower import ChangeLogFollower, HandledBatch
from jupyter_colophon.service.changes.schedules import PIPELINE, SCHEDULE, SPACE
from jupyter_colophon.service.instances.stores.records import InstanceRecords
from jupyter_colophon.storage.changes import schedules
from jupyter_colophon.storage.changes.leases import Lease, LeaseLost
from jupyter_colophon.storage.changes.schedules import ScheduleState
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff, Worker

if TYPE_CHECKING:
    from jupyter_colophon.service.instances.instances import InstanceService

#: Starts a run with this id for an actor.
Start = Callable[[PipelineSchedule, str, str], None]
#: The name of the lease and the cursor.
NAME: Final = "schedules"
#: Seconds without a heartbeat until another process takes over.
LEASE_S: Final = 30.0
#: Interval of checks for ended runs, and how long changes are collected before a run, in seconds.
_CHECK_S, _SETTLE_S = 0.5, 1.0
_logger = logging.getLogger("jupyter_colophon.pipelines")


class Scheduler:
    """The scheduler of one server. At most `at_once` runs are active."""

    def __init__(
        self,
        catalog: Callable[[], Catalog],
        instances: "Callable[[], InstanceService]",
        issue_token: TokenIssuer,
        at_once: int,
        lease_s: float = LEASE_S,
    ) -> None:
        self._open, self._instances, self._issue_token = catalog, instances, issue_token
        self._at_once, self._lease_s = at_once, lease_s
        self._launched: list[PipelineProcess] = []
        self._catalog: Catalog | None = None
        self._follower: ChangeLogFollower | None = None
        self._pass: _SchedulePass | None = None
        self._end_listening: Callable[[], None] = lambda: None
        #: Whether there are changes, and when the next check is due without any (monotonic).
        self._has_changes, self._next_check = False, 0.0
        self._worker = Worker(
            "colophon-schedules",
            self._run_step,
            _logger,
            "the schedules of pipelines",
            # Changes that arrive together start one run.
            settle_s=_SETTLE_S,
            backoff=Backoff(0.5, 5.0),
            unavailable=(StorageError,),
            finish=self._stop_runs,
        )

    def start(self) -> None:
        """Start due pipelines from now on; the catalog is opened in the background."""
        self._worker.start()

    def close(self) -> None:
        """Start no more runs, and stop active ones, which are recorded as killed."""
        self._worker.close(60)

    def _run_step(self) -> float:
        """Process the schedules if one is due, data changed or a run ended; return the seconds until the next step."""
        try:
            follower = self._follower or self._open_catalog_and_listen()
        except InvalidConfiguration:
            # Opening the catalog has reported it.
            return Worker.DONE
        has_ended = any(launched.has_ended for launched in self._launched)
        if self._has_changes or has_ended or time.monotonic() >= self._next_check:
            self._has_changes = False
            wait_s = follower.lease.heartbeat_s
            if due := self._run_pass(follower):
                wait_s = min(wait_s, max(0, due - read_time_ms()) / 1000)
            self._next_check = time.monotonic() + wait_s
        left_s = max(0.0, self._next_check - time.monotonic())
        return min(left_s, _CHECK_S) if self._launched else left_s

    def _open_catalog_and_listen(self) -> ChangeLogFollower:
        self._catalog = self._open()
        self._end_listening = self._catalog.feed.register_listener(self._on_changes)
        self._follower = ChangeLogFollower(Lease(NAME, self._catalog.provider, self._lease_s), self._handle_changes)
        return self._follower

    def _on_changes(self, changes: Sequence[Change]) -> None:
        self._has_changes = True
        self._worker.wake()

    def _handle_changes(self, changes: Sequence[Change]) -> HandledBatch:
        return self._pass.mark_triggered_schedules(changes) if self._pass is not None else HandledBatch(0)

    def _run_pass(self, follower: ChangeLogFollower) -> int:
        """Start due pipelines; return the next due time (ms), or 0."""
        if self._catalog is None or not follower.acquire_lease_and_load_cursor():
            return 0
        try:
            self._pass = _SchedulePass(self._catalog, follower, self._instances(), self._launched, self._at_once)
            return self._pass.run_pass(self._start_run)
        except LeaseLost:
            _logger.info("another process runs the schedules now")
            return 0

    def _start_run(self, schedule: PipelineSchedule, run_id: str, actor: str) -> None:
        """Start a run. Raises OSError."""
        if self._worker.is_stopped:
            raise InterruptedError(0, "the server is stopping")
        arguments = [f"--argument={name}={value}" for name, value in schedule.arguments.items()]
        words = ["pipeline", "run", schedule.pipeline, f"--run-id={run_id}", *arguments]
        self._launched.append(launch_process(words, run_id, actor, self._issue_token))
        _logger.info("schedule %s: starting pipeline %s as run %s", schedule.name, schedule.pipeline, run_id)

    def _stop_runs(self) -> None:
        self._end_listening()
        for launched in self._launched:
            launched.stop_process()
        for launched in self._launched:
            launched.wait_or_kill()
        if self._catalog is None or self._follower is None:
            return
        try:
            self._record_killed_runs(self._catalog)
            self._follower.lease.release_lease()
        except StorageError as error:
            _logger.warning("schedules: the lease was not released, and will expire: %s", error.detail)

    def _record_killed_runs(self, catalog: Catalog) -> None:
        states = catalog.provider.tx_runner.run(schedules.read_schedule_states, read_only=True)
        ended = {launched.id for launched in self._launched}
        for state in states.values():
            if state.run in ended:
                killed = replace(state, status="killed", ended=read_time_ms())
                catalog.provider.tx_runner.run(partial(schedules.write_schedule_state, state=killed))


class _SchedulePass:
    """One pass over all schedules."""

    def __init__(
        self,
        catalog: Catalog,
        follower: ChangeLogFollower,
        instances: "InstanceService",
        launched: list[PipelineProcess],
        at_once: int,
    ) -> None:
        self._catalog, self._follower, self._launched, self._at_once = catalog, follower, launched, at_once
        self._instances = instances
        documents = instances.list_visible_instances(SPACE, of_schema=SCHEDULE)
        self._schedules = {instance.name: PipelineSchedule.from_instance(instance) for instance in documents}
        self._states = catalog.provider.tx_runner.run(schedules.read_schedule_states, read_only=True)
        self._now = read_time_ms()

    def run_pass(self, start: Start) -> int:
        """Record ended runs, apply changes, and start due pipelines; return the next due time. Raises StorageError, LeaseLost."""
        changed = {state.schedule: state for state in self._finish_runs()}
        for schedule in self._schedules.values():
            state = changed.get(schedule.name) or self._states.get(schedule.name) or ScheduleState(schedule.name)
            new = self._update_next_due(schedule, state)
            if new != self._states.get(schedule.name):
                changed[schedule.name] = new
        gone = self._states.keys() - self._schedules.keys()
        if changed or gone:
            self._store_states(changed.values(), gone)
        self._states |= changed
        self._follow_changes()
        self._start_due_schedules(start)
        return min((item.due for item in self._states.values() if item.due > self._now), default=0)

    def mark_triggered_schedules(self, changes: Sequence[Change]) -> HandledBatch:
        """Make schedules due that match one of these changes."""
        triggered = {
            schedule.name: replace(state, due=min(state.due or self._now, self._now))
            for schedule in self._list_change_schedules()
            if any(
                schedule.matches_change(change) and not self._is_from_own_run(schedule, change) for change in changes
            )
            for state in [self._states[schedule.name]]
        }
        self._states |= triggered

        def write_triggered_states(tx: TableContext) -> None:
            for state in triggered.values():
                schedules.write_schedule_state(tx, state)

        return HandledBatch(len(changes), write_triggered_states)

    def _follow_changes(self) -> None:
        if not self._list_change_schedules():
            self._follower.skip_existing_changes()
            return
        while self._follower.handle_next_batch():
            pass

    def _list_change_schedules(self) -> list[PipelineSchedule]:
        return [
            schedule
            for schedule in self._schedules.values()
            if schedule.enabled and schedule.on_change and not schedule.find_problem()
        ]

    def _store_states(self, states: Iterable[ScheduleState], deleted_names: Iterable[str] = ()) -> None:
        def write(tx: TableContext) -> None:
            for state in states:
                schedules.write_schedule_state(tx, state)
            for name in deleted_names:
                schedules.delete_schedule_state(tx, name)

        self._follower.lease.run_in_transaction_while_held(write)

    def _finish_runs(self) -> Iterable[ScheduleState]:
        """Yield the new states of schedules whose runs ended."""
        over = {launched.id: launched for launched in self._launched if launched.has_ended}
        self._launched[:] = [launched for launched in self._launched if launched.id not in over]
        here = {launched.id for launched in self._launched}
        for state in self._states.values():
            if state.status != "running" or state.run in here:
                continue
            # After a kill of the server its runs may continue.
            if state.run in over or not is_run_active(state.run):
                yield self._finish_run(state, over.get(state.run))

    def _finish_run(self, state: ScheduleState, launched: PipelineProcess | None) -> ScheduleState:
        schedule = self._schedules.get(state.schedule)
        process_status: RunStatus = launched.status if launched else "killed"
        status = self._determine_final_status(schedule, state.run, process_status) if schedule else process_status
        # A run that never reached the catalog failed at its start: show its error message.
        problem = launched.reason if launched and not status else ""
        status = status or process_status
        done = replace(state, status=status, ended=self._now, problem=problem)
        if status != "failed" or schedule is None:
            return replace(done, attempts=0)
        attempts = state.attempts + 1
        if attempts > schedule.retries:
            return replace(done, attempts=0)
        again = self._now + schedule.compute_pause_ms(attempts)
        return replace(done, attempts=attempts, due=min(again, state.due or again))

    def _determine_final_status(
        self, schedule: PipelineSchedule, run_id: str, process_status: RunStatus
    ) -> RunStatus | None:
        urn = str(make_run_urn(_get_program_urn(schedule), run_id))
        return determine_and_record_final_status(self._catalog, urn, process_status)

    def _is_from_own_run(self, schedule: PipelineSchedule, change: Change) -> bool:
        """Return whether a run of the same pipeline made the change, which would start the pipeline in a loop."""
        if change.run is None:
            return False
        run = self._catalog.provider.tx_runner.run(lambda tx: runs.find_run_by_urn(tx, str(change.run)), read_only=True)
        return run is not None and str(run.program) == str(_get_program_urn(schedule))

    def _update_next_due(self, schedule: PipelineSchedule, state: ScheduleState) -> ScheduleState:
        """Return the state with the next due time."""
        problem = schedule.find_problem()
        if problem or not schedule.enabled:
            return replace(state, spec=schedule.spec, due=0, attempts=0, problem=problem)
        if state.spec != schedule.spec:
            due = schedule.compute_due_after(self._now, None) or 0
            state = replace(state, spec=schedule.spec, due=due, attempts=0, problem="")
        return state

    def _start_due_schedules(self, start: Start) -> None:
        """Start due pipelines, the longest waiting first."""
        for state in sorted(self._states.values(), key=lambda item: item.due):
            schedule = self._schedules.get(state.schedule)
            if schedule is None or not 0 < state.due <= self._now:
                continue
            if state.status == "running" and not schedule.overlap:
                continue
            if len(self._launched) >= self._at_once:
                return
            self._start_schedule(
                schedule, replace(state, due=schedule.compute_due_after(self._now, state.due) or 0), start
            )

    def _start_schedule(self, schedule: PipelineSchedule, state: ScheduleState, start: Start) -> None:
        actor, problem = self._find_actor_and_refusal_reason(schedule)
        if not problem:
            run_id = str(uuid.uuid4())
            started = replace(state, run=run_id, status="running", started=self._now, ended=0, problem="")
            # Store the state first, so that a kill before the start does not start it twice.
            self._store_state(started)
            try:
                start(schedule, run_id, actor)
            except OSError as error:
                problem = f"no process could be started: {error.strerror}"
        if problem:
            rejected = replace(state, status="rejected", started=self._now, ended=self._now)
            self._store_state(replace(rejected, problem=problem, attempts=0))
            _logger.warning("schedule %s: the pipeline could not be started: %s", schedule.name, problem)

    def _store_state(self, state: ScheduleState) -> None:
        self._store_states([state])
        self._states[state.schedule] = state

    def _find_actor_and_refusal_reason(self, schedule: PipelineSchedule) -> tuple[str, str]:
        """Return the actor of the run, the last editor of the schedule, and why the run is not permitted, if so."""
        metadata: Mapping[str, object] = {}
        try:
            pipeline = self._instances.get_valid_or_invalid_instance(SPACE, schedule.pipeline, INTERNAL)
            metadata = pipeline.metadata if pipeline.schema_name == PIPELINE else {}
        except MetadataError as error:
            return "", error.detail
        if metadata.get("namespace") != schedule.namespace:
            return "", f"no pipeline {schedule.pipeline} in the namespace {schedule.namespace}"
        record = InstanceRecords(self._catalog.provider, self._catalog.write_path).read_existing_records(
            SPACE, [schedule.name]
        )
        if schedule.name not in record:
            return "", "the author of the schedule is not recorded yet: it starts later"
        actor = record[schedule.name].actor
        principal = Principal(actor)
        if not all(
            self._catalog.write_path.access_control.may(principal, action, schedule.namespace)
            for action in ("read", "emit")
        ):
            return "", f"{actor} may not run pipelines of the namespace {schedule.namespace}"
        return actor, ""


def _get_program_urn(schedule: PipelineSchedule) -> Urn:
    return make_program_urn(schedule.namespace, schedule.pipeline, "workflows", schedule.pipeline)
