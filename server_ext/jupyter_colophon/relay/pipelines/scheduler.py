"""Starts pipelines by themselves: one process of those on a store, and whoever goes on knows what was missed.

What is due is in the store (storage/schedules.py), and written before a run is started: who is killed in between starts
it no second time. A time that was missed counts once. Changes are read from the change log, from where they were left.
"""

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from jupyter_colophon.client.programs.running_pipelines import is_running
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.change import Change
from jupyter_colophon.core.errors import MetadataError, StorageError
from jupyter_colophon.core.names import Urn, program, run_urn
from jupyter_colophon.core.run import RunChange, RunStatus
from jupyter_colophon.relay.lease import Lease, Lost
from jupyter_colophon.relay.pipelines.launching import Launched, Signed, launch
from jupyter_colophon.relay.pipelines.schedule import Schedule
from jupyter_colophon.relay.relay import opened
from jupyter_colophon.service.instances.records import Records
from jupyter_colophon.service.schedules import PIPELINE, SCHEDULE, SPACE
from jupyter_colophon.storage import log, runs, schedules
from jupyter_colophon.storage.schedules import ScheduleState
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.wiring import Catalog, now_ms

if TYPE_CHECKING:
    from jupyter_colophon.service.instances.instances import Instances

#: Starts a run of this id for somebody.
Start = Callable[[Schedule, str, str], None]
#: What the lease is called; no sink of the settings is, since those have no blank at their beginning.
LEASE: Final = " pipelines"
#: After so many seconds of silence another process goes on.
LEASE_S: Final = 30.0
#: How often is looked whether a run has ended, and for how long changes are gathered, in seconds.
_LOOK_S, _SOON_S = 0.5, 1.0
_BATCH: Final = 500
_logger = logging.getLogger("jupyter_colophon.pipelines")


class Scheduler:
    """The schedules of one server. At most `at_once` of its runs are under way."""

    def __init__(
        self,
        catalog: Callable[[], Catalog],
        instances: "Callable[[], Instances]",
        signed: Signed,
        at_once: int,
        lease_s: float = LEASE_S,
    ) -> None:
        self._open, self._instances, self._signed = catalog, instances, signed
        self._at_once, self._lease_s = at_once, lease_s
        self._launched: list[Launched] = []
        self._ended, self._woken = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._begin, name="colophon-schedules", daemon=True)

    def start(self) -> None:
        """Start what is due from now on; the catalog is opened in the background."""
        self._thread.start()

    def close(self) -> None:
        """Start nothing more, and end what is under way: it is recorded as killed."""
        self._ended.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join(timeout=60)

    def _begin(self) -> None:
        catalog = opened(self._open, self._ended, "the schedules of pipelines")
        if catalog is None:
            return
        lease = Lease(LEASE, catalog.provider, self._lease_s)
        end_listening = catalog.feed.listen(lambda changes: self._woken.set())
        try:
            while not self._ended.is_set():
                self._woken.clear()
                self._wait(lease, self._look(catalog, lease))
        finally:
            end_listening()
            self._stop(catalog, lease)

    def _look(self, catalog: Catalog, lease: Lease) -> int:
        """Start what is due; when something is due next (ms), 0 where nothing is."""
        try:
            row, _ = lease.taken()
            if row is not None:
                return _Round(catalog, lease, self._instances(), self._launched, self._at_once).go(
                    int(row["seq"]), self._start
                )
        except Lost:
            _logger.info("the schedules of pipelines are another process's now")
        except StorageError as error:
            _logger.warning("the schedules of pipelines wait for the store: %s", error.detail)
        except Exception:
            # Whatever it is, this thread is the only one that starts them.
            _logger.exception("the schedules of pipelines were not looked at, and are later")
        return 0

    def _wait(self, lease: Lease, due: int) -> None:
        """Until something is due, a run has ended, or something changed; no longer than a beat."""
        end = time.monotonic() + lease.beat_s
        if due:
            end = min(end, time.monotonic() + max(0, due - now_ms()) / 1000)
        while (left := end - time.monotonic()) > 0 and not any(one.is_over for one in self._launched):
            if self._woken.wait(min(left, _LOOK_S)):
                # What comes in a row is looked at once.
                self._ended.wait(_SOON_S)
                return

    def _start(self, schedule: Schedule, run_id: str, actor: str) -> None:
        """Start a run. Raises OSError."""
        if self._ended.is_set():
            raise InterruptedError(0, "the server is stopping")
        self._launched.append(launch(schedule, run_id, actor, self._signed))
        _logger.info("the schedule %s starts the pipeline %s: run %s", schedule.name, schedule.pipeline, run_id)

    def _stop(self, catalog: Catalog, lease: Lease) -> None:
        for one in self._launched:
            one.stop()
        for one in self._launched:
            one.end()
        try:
            states = catalog.provider.tx_runner.run(schedules.states, read_only=True)
            ended = {one.schedule: one for one in self._launched}
            for name, state in states.items():
                if name in ended and state.run == ended[name].run_id:
                    done = replace(state, status="killed", ended=now_ms())
                    catalog.provider.tx_runner.run(partial(schedules.put, state=done))
            lease.release()
        except StorageError as error:
            _logger.warning("the schedules of pipelines are let go of later: %s", error.detail)


class _Round:
    """One look at everything."""

    def __init__(
        self, catalog: Catalog, lease: Lease, instances: "Instances", launched: list[Launched], at_once: int
    ) -> None:
        self._catalog, self._lease, self._launched, self._at_once = catalog, lease, launched, at_once
        self._instances = instances
        found = instances.list(SPACE, of_schema=SCHEDULE)
        self._schedules = {one.name: Schedule.of(one) for one in found}
        self._states = catalog.provider.tx_runner.run(schedules.states, read_only=True)
        self._now = now_ms()

    def go(self, seq: int, start: Start) -> int:
        """Look what is over, what changed, and what is due; when something is next. Raises StorageError, Lost."""
        changed = {state.schedule: state for state in self._settled()}
        head, wanted = self._changes(seq)
        for schedule in self._schedules.values():
            state = changed.get(schedule.name) or self._states.get(schedule.name) or ScheduleState(schedule.name)
            new = self._planned(schedule, state, is_wanted=schedule.name in wanted)
            if new != self._states.get(schedule.name):
                changed[schedule.name] = new
        gone = self._states.keys() - self._schedules.keys()
        if changed or gone or head != seq:
            self._keep(changed.values(), gone, head)
        self._states |= changed
        self._start_due(start)
        return min((one.due for one in self._states.values() if one.due > self._now), default=0)

    def _keep(self, states: Iterable[ScheduleState], gone: Iterable[str] = (), head: int | None = None) -> None:
        def work(tx: TableContext) -> bool:
            for state in states:
                schedules.put(tx, state)
            for name in gone:
                schedules.forget(tx, name)
            return self._lease.noted(tx, **({} if head is None else {"seq": head}))

        self._lease.still(work)

    def _settled(self) -> Iterable[ScheduleState]:
        """The states of those whose runs are over."""
        over = {one.run_id: one for one in self._launched if one.is_over}
        self._launched[:] = [one for one in self._launched if one.run_id not in over]
        here = {one.run_id for one in self._launched}
        for state in self._states.values():
            if state.status != "running" or state.run in here:
                continue
            # Of a server that was killed the run may go on.
            if state.run in over or not is_running(state.run):
                yield self._ended(state, over.get(state.run))

    def _ended(self, state: ScheduleState, launched: Launched | None) -> ScheduleState:
        schedule = self._schedules.get(state.schedule)
        told: RunStatus = launched.status if launched else "killed"
        status = self._recorded(schedule, state.run, told) if schedule else told
        # Of a run that began the catalog knows what it may; one that did not was refused, and says why.
        problem = launched.reason if launched and not status else ""
        status = status or told
        done = replace(state, status=status, ended=self._now, problem=problem)
        if status != "failed" or schedule is None:
            return replace(done, attempts=0)
        attempts = state.attempts + 1
        if attempts > schedule.retries:
            return replace(done, attempts=0)
        again = self._now + schedule.pause_ms(attempts)
        return replace(done, attempts=attempts, due=min(again, state.due or again))

    def _recorded(self, schedule: Schedule, run_id: str, told: RunStatus) -> str:
        """How the run ended, as it told the catalog, which is told now where it could not; empty where it never began."""
        urn = str(run_urn(_program(schedule), run_id))
        run = self._catalog.provider.tx_runner.run(lambda tx: runs.run(tx, urn), read_only=True)
        if run is None or run.status != "running":
            return str(run.status) if run else ""
        if told != "succeeded":
            try:
                change = RunChange(status=told)
                self._catalog.write_path.change_run(urn, change, Principal(run.actor))
            except MetadataError as error:
                _logger.warning("cannot record that the run %s ended: %s", run_id, error.detail)
        return told

    def _changes(self, seq: int) -> tuple[int, set[str]]:
        """Up to which change the log was read, and which schedules one of them starts."""
        watching = [one for one in self._schedules.values() if one.enabled and one.on_change]
        wanted: set[str] = set()
        if not watching:
            return self._catalog.feed.head(), wanted
        run = self._catalog.provider.tx_runner.run
        while True:
            found = run(partial(log.changes, after=seq, limit=_BATCH, where={}), read_only=True)
            for change in found:
                fitting = [one for one in watching if one.name not in wanted and one.fits(change)]
                wanted |= {one.name for one in fitting if not self._is_its_own(one, change)}
            if not found:
                return seq, wanted
            seq = found[-1].seq

    def _is_its_own(self, schedule: Schedule, change: Change) -> bool:
        """Whether a run of the same pipeline made the change: it would start itself for ever."""
        if change.run is None:
            return False
        run = self._catalog.provider.tx_runner.run(lambda tx: runs.run(tx, str(change.run)), read_only=True)
        return run is not None and str(run.program) == str(_program(schedule))

    def _planned(self, schedule: Schedule, state: ScheduleState, *, is_wanted: bool) -> ScheduleState:
        """When it is due, after what was told of it."""
        problem = schedule.problem()
        if problem or not schedule.enabled:
            return replace(state, spec=schedule.spec, due=0, attempts=0, problem=problem)
        if state.spec != schedule.spec:
            due = schedule.due_after(self._now, None) or 0
            state = replace(state, spec=schedule.spec, due=due, attempts=0, problem="")
        return replace(state, due=min(state.due or self._now, self._now)) if is_wanted else state

    def _start_due(self, start: Start) -> None:
        """Start what is due, what waits longest first."""
        for state in sorted(self._states.values(), key=lambda one: one.due):
            schedule = self._schedules.get(state.schedule)
            if schedule is None or not 0 < state.due <= self._now:
                continue
            if state.status == "running" and not schedule.overlap:
                continue
            if len(self._launched) >= self._at_once:
                return
            self._start_one(schedule, replace(state, due=schedule.due_after(self._now, state.due) or 0), start)

    def _start_one(self, schedule: Schedule, state: ScheduleState, start: Start) -> None:
        actor, problem = self._allowed(schedule)
        if not problem:
            run_id = str(uuid.uuid4())
            begun = replace(state, run=run_id, status="running", started=self._now, ended=0, problem="")
            # First it is noted: whoever is killed before it is started does not start it twice.
            self._put(begun)
            try:
                start(schedule, run_id, actor)
            except OSError as error:
                problem = f"no process could be started: {error.strerror}"
        if problem:
            refused = replace(state, status="refused", started=self._now, ended=self._now)
            self._put(replace(refused, problem=problem, attempts=0))
            _logger.warning("the schedule %s starts nothing: %s", schedule.name, problem)

    def _put(self, state: ScheduleState) -> None:
        self._keep([state])
        self._states[state.schedule] = state

    def _allowed(self, schedule: Schedule) -> tuple[str, str]:
        """Whose the run is: whoever wrote the schedule last. And why it may not be started, if so."""
        found: Mapping[str, object] = {}
        try:
            pipeline = self._instances.get_any(SPACE, schedule.pipeline, Principal("colophon"))
            found = pipeline.metadata if pipeline.schema_name == PIPELINE else {}
        except MetadataError as error:
            return "", error.detail
        if found.get("namespace") != schedule.namespace:
            return "", f"there is no pipeline {schedule.pipeline} in the namespace {schedule.namespace}"
        record = Records(self._catalog.provider, self._catalog.write_path).of(SPACE, [schedule.name])
        if schedule.name not in record:
            return "", "it is not recorded yet who wrote it"
        actor = record[schedule.name].actor
        principal = Principal(actor)
        if not all(
            self._catalog.write_path.authorizer.may(principal, action, schedule.namespace)
            for action in ("read", "emit")
        ):
            return "", f"{actor} may not run pipelines of the namespace {schedule.namespace}"
        return actor, ""


def _program(schedule: Schedule) -> Urn:
    return program(schedule.namespace, schedule.pipeline, "workflows", schedule.pipeline)
