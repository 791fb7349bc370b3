"""Consumers of lineage: what packages register is told of each run that ends (spec WRITE-23).

Each has a thread and a place in the change log of its own: one that fails or hangs harms only itself. Of several
processes on one store one tells it, and another goes on when that is gone.
"""

import logging
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from jupyter_colophon.core.change import Change
from jupyter_colophon.core.consuming import ConsumerContext, LineageInfo, MetadataConsumer, ProgramRun
from jupyter_colophon.core.errors import StorageError
from jupyter_colophon.service.feed import Feed
from jupyter_colophon.service.schemaspaces.patience import Patience
from jupyter_colophon.service.schemaspaces.registrations import Registration, installed, registrations
from jupyter_colophon.storage import consumers as rows
from jupyter_colophon.storage import log, runs
from jupyter_colophon.storage.spi import StorageProvider, TableContext

GROUP = "jupyter_colophon.metadata_consumers"
#: How long a package may take to load, and a consumer to be told, before it counts as hanging, in seconds.
LOADING_S, HANGING_S = 5.0, 30.0
#: For how long a process is the one that tells a consumer, in ms; longer than a call may take.
LEASE_MS = 60_000
#: How often is looked for what another process left, and for consumers that hang, in seconds.
IDLE_S, WATCH_S = 5.0, 1.0
_SLICE = 500
_logger = logging.getLogger("jupyter_colophon.consumers")


@dataclass(frozen=True, slots=True)
class ConsumerState:
    """How a consumer does. `problem` says why it is not there, or what it raised last; `at` is the number of the change
    up to which it was told, None before it has begun."""

    name: str
    distribution: str
    version: str
    told: int = 0
    failed: int = 0
    hanging: bool = False
    problem: str = ""
    at: int | None = None


class Consumers:
    """All consumers of one server. `options` are their properties by name; False leaves one out."""

    def __init__(
        self, provider: StorageProvider, feed: Feed, now: Callable[[], int], options: Mapping[str, Any]
    ) -> None:
        self._provider, self._feed, self._now, self._options = provider, feed, now, options
        self._tellers: list[_Teller] = []
        self._missing: list[ConsumerState] = []
        self._ended = threading.Event()
        self._end_listening: Callable[[], None] = lambda: None
        self._thread = threading.Thread(target=self._work, name="colophon-consumers", daemon=True)

    def start(self) -> None:
        """Load what is installed, in the background, and tell it from now on."""
        self._thread.start()

    def states(self) -> list[ConsumerState]:
        """How they do."""
        return [*(one.state() for one in self._tellers), *self._missing]

    def close(self) -> None:
        """Tell no more; what hangs is left alone, and ends with the process."""
        self._ended.set()
        self._end_listening()
        for one in self._tellers:
            one.close()

    def _work(self) -> None:
        for one in registrations(installed(GROUP), ()):
            if self._options.get(one.name) is not False and not self._ended.is_set():
                self._take(one)
        if not self._tellers:
            return
        self._listen()
        while not self._ended.wait(WATCH_S):
            for teller in self._tellers:
                teller.watch()

    def _take(self, of: Registration) -> None:
        try:
            consumer = Patience(LOADING_S).call(lambda: of.load()(), lambda _: None)
            if not isinstance(consumer, MetadataConsumer):
                raise TypeError("it is no MetadataConsumer")
        except BaseException as error:  # noqa: BLE001  what strangers wrote may raise anything
            _logger.error("the consumer %s of %s did not load: %s", of.name, of.distribution, _line(error))
            self._missing.append(ConsumerState(of.name, of.distribution, of.version, problem=_line(error)))
            return
        context = ConsumerContext(dict(self._options.get(of.name) or {}))
        teller = _Teller(of, consumer, context, self._provider, self._now)
        self._tellers.append(teller)
        teller.start()

    def _listen(self) -> None:
        try:
            self._end_listening = self._feed.listen(self._wake)
        except StorageError:
            # The store is away: they look by themselves, a little later.
            return

    def _wake(self, changes: Any) -> None:
        if any(one.operation == "run-end" for one in changes):
            for teller in self._tellers:
                teller.wake()


@dataclass(slots=True)
class _Teller:
    """Tells one consumer, on a thread of its own."""

    of: Registration
    consumer: MetadataConsumer
    context: ConsumerContext
    provider: StorageProvider
    now: Callable[[], int]
    _owner: str = field(default_factory=lambda: f"{os.getpid()}-{secrets.token_hex(4)}")
    _woken: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread = field(default_factory=threading.Thread)
    _closed: bool = False
    _at: int | None = None
    _told: int = 0
    _failed: int = 0
    _problem: str = ""
    #: What it is being told, and since when; and the change with which it was given up.
    _busy: "tuple[int, float] | None" = None
    _given_up: int = 0

    @property
    def name(self) -> str:
        """What it is called; two packages may choose the same word."""
        return self.consumer.name or self.of.name

    def start(self) -> None:
        """Begin, with what comes from now on or where it was left."""
        self._thread = threading.Thread(target=self._work, name=f"colophon-consumer-{self.of.name}", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """A run has ended."""
        self._woken.set()

    def close(self) -> None:
        """Tell no more. One that is being told is left to itself."""
        self._closed = True
        self._woken.set()
        if self._busy is None:
            self._thread.join(timeout=1)

    def state(self) -> ConsumerState:
        """How it does."""
        busy = self._busy
        hanging = busy is not None and time.monotonic() - busy[1] > HANGING_S
        told = (self.name, self.of.distribution, self.of.version)
        return ConsumerState(*told, self._told, self._failed, hanging, self._problem, self._at)

    def watch(self) -> None:
        """Give a run up that the consumer does not come back from: whoever tells it next goes on behind it."""
        busy = self._busy
        if busy is None or self._given_up == busy[0] or time.monotonic() - busy[1] <= HANGING_S:
            return
        self._given_up = busy[0]
        self._note(f"it has not come back for {HANGING_S:g} s")
        try:
            self._advance(busy[0])
        except StorageError as error:
            _logger.warning("consumer %s: %s", self.name, error.detail)

    def _work(self) -> None:
        while not self._closed:
            self._woken.clear()
            try:
                if self._at is None:
                    self._at = self.provider.tx_runner.run(lambda tx: rows.begun(tx, self._key))
                self._at = self._tell_on(self._at)
            except StorageError as error:
                _logger.warning("consumer %s waits for the store: %s", self.name, error.detail)
            except Exception:
                _logger.exception("consumer %s could not be told, and is later", self.name)
            self._woken.wait(IDLE_S)
        with suppress(StorageError):
            self.provider.tx_runner.run(lambda tx: rows.release(tx, self._key, self._owner))

    @property
    def _key(self) -> str:
        return f"{self.of.distribution}:{self.of.name}"

    def _tell_on(self, after: int) -> int:
        """Tell what comes after a change; the change up to which it was told."""
        for change, cursor in self._ended_runs(after):
            if self._closed or (change is not None and not self._tell_once(change)):
                return after
            after = cursor
        return after

    def _ended_runs(self, after: int) -> Iterator[tuple[Change | None, int]]:
        """Each run that ended, and at the end of a slice None, with the number from which to read on."""

        def look(tx: TableContext) -> tuple[int, list[Change]]:
            # The head first: what is committed while we read is no part of what was passed over.
            return tx.log.head(), log.changes(tx, after, _SLICE, {"type": "dataJob"})

        while True:
            head, found = self.provider.tx_runner.run(look, read_only=True)
            yield from ((one, one.seq) for one in found if one.operation == "run-end")
            if len(found) < _SLICE:
                yield None, max(head, after)
                return
            after = found[-1].seq

    def _tell_once(self, change: Change) -> bool:
        """Tell of one run unless that was done; False where another process is at it."""
        now = self.now()

        def claim(tx: TableContext) -> str:
            return rows.claim(tx, self._key, change.seq, self._owner, now, now + LEASE_MS)

        whose = self.provider.tx_runner.run(claim)
        if whose == "mine":
            self._call(change)
            self._advance(change.seq)
        return whose != "another"

    def _call(self, change: Change) -> None:
        run = self.provider.tx_runner.run(lambda tx: runs.run(tx, str(change.run)), read_only=True)
        if run is None:
            return
        told = ProgramRun(run.program, run.run_id, run.urn, run.status, run.actor)
        self._busy = (change.seq, time.monotonic())
        try:
            self.consumer.consume_lineage(self.context, told, LineageInfo.of(run, f"{run.urn}#{change.seq}"))
            self._told += 1
        except BaseException as error:  # noqa: BLE001  what strangers wrote may even end the program
            self._note(_line(error))
        finally:
            self._busy = None

    def _note(self, problem: str) -> None:
        self._failed, self._problem = self._failed + 1, problem
        _logger.error("consumer %s of %s failed: %s", self.name, self.of.distribution, problem)

    def _advance(self, seq: int) -> None:
        self.provider.tx_runner.run(lambda tx: rows.advance(tx, self._key, seq))


def _line(error: BaseException) -> str:
    """An error of a package in one line."""
    first = str(error).partition("\n")[0][:300]
    return f"{type(error).__name__}: {first}".removesuffix(": ")
