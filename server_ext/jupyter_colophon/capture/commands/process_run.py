"""The run of a Python process of a command: what it reads and writes, and how it ends.

Everything is stored in the outbox at once; the command sends it at its end (`command_run.py`). The workers of
`multiprocessing` belong to the run of the process that started them.
"""

import atexit
import os
import sys
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from jupyter_colophon.capture.commands.environment import CommandEnvironment
from jupyter_colophon.capture.data_capture import DataCapture, get_active_capture
from jupyter_colophon.capture.observation import Observation
from jupyter_colophon.capture.report_documents import build_access_documents, build_written_data_proposals
from jupyter_colophon.client.programs.context import Ending, RunContext
from jupyter_colophon.client.programs.outbox import find_outbox_folder
from jupyter_colophon.client.programs.outbox_sender import StoringSender
from jupyter_colophon.client.programs.running import get_configured_server
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, Urn, make_program_urn

#: The application of commands and scripts.
APPLICATION: Final = "scripts"
#: An argument of the start of a run that a worker repeats.
WORKER: Final = "worker"
#: How long a process waits at its end until its last calls are stored.
END_TIMEOUT_S: Final = 5.0

_OPTIONS_WITH_VALUES: Final = ("-W", "-X", "--check-hash-based-pycs")


@dataclass(frozen=True, slots=True)
class _Identity:
    """The program and the run of a process; a worker has those of the process that started it."""

    program: Urn
    run_id: str
    is_worker: bool


def start_process_run() -> None:
    """Capture this process from now on, if a command started it and nothing else captures it. Raises LookupError, ValueError."""
    if get_active_capture() is None:
        ProcessRun(CommandEnvironment.from_environ(os.environ)).start()


class ProcessRun:
    """The run of this process."""

    def __init__(self, command: CommandEnvironment) -> None:
        """Create the run of a process of a command."""
        self._command, self._process = command, os.getpid()
        self._identity = _find_identity(command)
        self._run: RunContext | None = None
        self._status: Ending = "succeeded"
        self._seen: set[tuple[Any, ...]] = set()
        self._emitted: dict[tuple[str, str], Any] = {}
        self._missing: dict[str, None] = {}
        # The whole process is one execution: what it computes are no variables between cells.
        self._capture = DataCapture(
            self._add_observation,
            get_execution=lambda: self,
            get_time_ms=lambda: time.time_ns() // 1_000_000,
            name_variable=lambda *_: None,
            on_error=lambda *_: None,
            # A pool kills its workers.
            reports_at_once=self._identity.is_worker,
        )

    def start(self) -> None:
        """Capture the libraries, and store the start of the run."""
        self._capture.start()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._continue_in_child)
        atexit.register(self._end)
        if not self._identity.is_worker:
            os.environ.update(
                COLOPHON_RUN_PROGRAM=str(self._identity.program), COLOPHON_RUN_OF_PROCESS=self._identity.run_id
            )
            self._get_or_start_run()
            self._watch_endings()

    def _get_or_start_run(self) -> RunContext:
        if self._run is None:
            identity = self._identity
            self._run = RunContext(
                identity.program,
                catalog=None,
                sender=StoringSender(get_configured_server(), find_outbox_folder()),
                run_id=identity.run_id,
                parent=self._command.run_id,
                arguments={WORKER: str(os.getpid())} if identity.is_worker else None,
            )
        return self._run

    def _add_observation(self, observation: Observation, execution: object | None) -> None:
        run = self._get_or_start_run()
        written = [proposal for ref in observation.writes for proposal in build_written_data_proposals(ref, run.urn)]
        run.metadata.emit([proposal for proposal in written if self._is_new_value(proposal)])
        reads, writes = (frozenset(ref.urn for ref in refs) for refs in (observation.reads, observation.writes))
        flow = (reads, writes, observation.columns)
        if flow not in self._seen:
            self._seen.add(flow)
            for document in build_access_documents([observation]):
                run.record_accesses(document)
        if not self._missing.keys() >= set(observation.missing):
            self._missing.update(dict.fromkeys(observation.missing))
            run.record_facts({"missingLineage": "; ".join(map(str, self._missing))})

    def _is_new_value(self, proposal: dict[str, Any]) -> bool:
        place, value = (proposal["urn"], proposal["aspect"]), proposal["value"]
        is_new = bool(self._emitted.get(place) != value)
        self._emitted[place] = value
        return is_new

    def _continue_in_child(self) -> None:
        """Make a forked child a worker of this run."""
        self._identity = _Identity(self._identity.program, self._identity.run_id, is_worker=True)
        self._run = None
        self._capture.continue_after_fork()

    def _watch_endings(self) -> None:
        """Note how the process ends: by an exception or by `sys.exit`."""
        show_exception, leave = sys.excepthook, sys.exit

        def record_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
            with suppress(Exception):
                self._status = "failed" if issubclass(kind, Exception) else "killed"
                self._get_or_start_run().record_facts({"error": kind.__name__})
            show_exception(kind, error, trace)

        def record_exit(status: Any = None, /) -> Any:
            self._status = "succeeded" if status in (None, 0) else "failed"
            return leave(status)

        sys.excepthook, sys.exit = record_exception, record_exit

    def _end(self) -> None:
        """Store what waits, and the end of the run. The command itself knows how the process that it started ends."""
        if os.getpid() != self._process:
            return
        with suppress(Exception):
            self._capture.report_opened_files(self)
            self._capture.wait_until_reported(END_TIMEOUT_S)
            if not self._identity.is_worker and os.getppid() != self._command.process:
                self._get_or_start_run().end(self._status)


def make_script_program(name: str) -> Urn:
    """Return the program of a script or a command, in the namespace of COLOPHON_NAMESPACE."""
    namespace = os.environ.get("COLOPHON_NAMESPACE") or DEFAULT_NAMESPACE
    return make_program_urn(namespace, APPLICATION, "jobs", name.encode()[:512].decode(errors="ignore"))


def _find_identity(command: CommandEnvironment) -> _Identity:
    program, run_id = os.environ.get("COLOPHON_RUN_PROGRAM"), os.environ.get("COLOPHON_RUN_OF_PROCESS")
    if program and run_id and _is_worker(sys.orig_argv):
        return _Identity(Urn.parse(program), run_id, is_worker=True)
    return _Identity(make_script_program(find_script_name(sys.orig_argv, command.folder)), str(uuid.uuid4()), False)


def _is_worker(argv: Sequence[str]) -> bool:
    """Return whether a command line is that of a process of `multiprocessing`."""
    return "--multiprocessing-fork" in argv or any(word.startswith("from multiprocessing.") for word in argv)


def find_script_name(argv: Sequence[str], folder: Path) -> str:
    """Return what a command line of Python runs: a script's path relative to the folder, or the module after `-m`.

    Outside of the folder, a script that a package installed is named by its file name, any other by its path. It is `-c` for
    code in the command line, and `-` for standard input.
    """
    words = iter(argv[1:])
    for word in words:
        if word in _OPTIONS_WITH_VALUES:
            next(words, None)
        elif word.startswith("-") and not word.startswith("--") and word != "-":
            flags = word[1:]
            at = next((at for at, flag in enumerate(flags) if flag in "cmWX"), len(flags))
            if flags[at : at + 1] == "c":
                return "-c"
            if flags[at : at + 1] == "m":
                return flags[at + 1 :] or next(words, "-m")
        elif not word.startswith("--"):
            return word if word == "-" else _shorten_path(Path(word).absolute(), folder)
    return "-"


def _shorten_path(script: Path, folder: Path) -> str:
    if script.is_relative_to(folder):
        return script.relative_to(folder).as_posix() if script.parent != Path(sys.executable).parent else script.name
    is_installed = script.parent.name in ("bin", "Scripts") and not script.suffix
    return script.name if is_installed else script.as_posix()
