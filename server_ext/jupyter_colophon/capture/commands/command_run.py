"""The run of a command: its processes report to the outbox, and the command sends their reports when it ends."""

import os
import secrets
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_colophon.capture.commands.environment import CommandEnvironment
from jupyter_colophon.capture.commands.process_run import WORKER, make_script_program
from jupyter_colophon.client.programs.context import Ending, RunContext
from jupyter_colophon.client.programs.outbox import OutboxEntry, OutboxFile, claim_orphaned_files, find_outbox_folder
from jupyter_colophon.client.programs.outbox_delivery import OutboxDelivery
from jupyter_colophon.client.programs.outbox_sender import OutboxSender
from jupyter_colophon.core.time_format import format_ms_as_iso_time

if TYPE_CHECKING:
    from jupyter_colophon.client.transport import ServerAddress


class CommandRun:
    """The run of a command, which is the parent of the runs of its processes."""

    def __init__(self, name: str, server: "ServerAddress | None") -> None:
        """Start the run of the command with this name."""
        self._server = server
        self._sender = OutboxSender(server, find_outbox_folder(), sends_orphaned=False)
        self._run = RunContext(make_script_program(name), catalog=None, sender=self._sender, run_id=str(uuid.uuid4()))

    def build_environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of the command."""
        command = CommandEnvironment(self._run.run_id, os.getpid(), Path.cwd())
        return command.build_environ(environ, "" if self._server is None else self._server.url)

    def end(self, process: int, status: int) -> tuple[int, str]:
        """End the run with the exit status of its process, and send what its processes stored.

        Return the number of entries that wait in the outbox, and why.
        """
        ending = choose_ending(status)
        self._run.end(ending)
        self._sender.close()
        waiting, reason = self._sender.pending_count, "the server did not receive them"
        if self._server is None:
            reason = "no server is set: use --url=, or set COLOPHON_URL"
        files = [file for file in claim_orphaned_files(find_outbox_folder()) if _keep_if(file, self._is_ours(file))]
        for file in files:
            _end_unended_runs(file, ending if _get_process(file) == process else "killed")
        delivery = None
        try:
            if self._server is not None and not waiting:
                from jupyter_colophon.client.operations import Operations
                from jupyter_colophon.client.transport import Transport

                with closing(Operations(Transport(self._server))) as catalog:
                    delivery = OutboxDelivery(catalog)
                    all(delivery.send_pending_entries(file) for file in files)
                    reason = delivery.error or reason
        finally:
            waiting += sum(map(len, files))
            for file in files:
                file.release_or_remove()
        return waiting, reason

    def _is_ours(self, file: OutboxFile) -> bool:
        """Return whether a file is that of a process of this command, or that of the command itself."""
        return any(
            entry.kind == "start" and self._run.run_id in (entry.body.get("parent"), entry.body.get("runId"))
            for entry in file.list_pending_entries()
        )


def name_command(words: Sequence[str]) -> str:
    """Return the name of a command: its program and the words before the first option, without what may have credentials."""
    plain = takewhile(lambda word: not word.startswith("-") and "=" not in word and "://" not in word, words[1:])
    return " ".join([Path(words[0]).name, *plain])


def choose_ending(status: int) -> Ending:
    """Return how a process ended, by its exit status; a negative one is a signal."""
    return "succeeded" if status == 0 else "failed" if status > 0 else "killed"


def _keep_if(file: OutboxFile, is_ours: bool) -> bool:
    if not is_ours:
        file.release_or_remove()
    return is_ours


def _get_process(file: OutboxFile) -> int:
    """Return the process that wrote a file, from the file's name."""
    return int(file.path.name.split("-")[1])


def _end_unended_runs(file: OutboxFile, ending: Ending) -> None:
    """Store the ends of runs whose process could not: it was killed, or the command knows better how it ended."""
    for run in _list_unended_runs(file):
        end = {"status": ending, "end": format_ms_as_iso_time(time.time_ns() // 1_000_000)}
        file.append_entry(OutboxEntry(secrets.token_hex(16), "end", run, end))


def _list_unended_runs(file: OutboxFile) -> Iterator[str]:
    entries = file.list_pending_entries()
    ended = {entry.run for entry in entries if entry.kind == "end"}
    for entry in entries:
        if entry.kind == "start" and entry.run not in ended and WORKER not in entry.body.get("arguments", {}):
            yield entry.run
