"""`jupyter colophon run`: run a command whose Python processes are captured as a notebook is (docs/how-to/capture-a-script.md)."""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any, Final

from jupyter_colophon.capture.commands.command_run import CommandRun, name_command
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_USAGE, print_error
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.cli.servers import add_server_url_option, create_server_address

#: What a shell answers for a command that does not exist, and for one that it may not execute.
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126
#: A shell adds the number of the signal that ended a command.
_SIGNALLED: Final = 128
_FORWARDED: Final = ("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2")
#: What a terminal sends to the command too.
_FROM_TERMINAL: Final = ("SIGINT", "SIGQUIT")


class RunCommand(CliCommand):
    """Run a command, and record what its Python processes read and write."""

    description = (
        "Run a command, and record what its Python processes read and write with captured libraries, as in a notebook."
        " Its output, its signals and its exit code pass through. Colophon must be installed in the environment of its Python."
    )
    examples = (
        "-- python train.py",
        '--name=nightly -- bash -c "python a.py && python b.py"',
        "-- papermill in.ipynb out.ipynb",
    )

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the options, and the command as everything after them."""
        add_server_url_option(parser)
        parser.add_argument(
            "--name", default="", help="The name of the command's run. Default: its words before the first option."
        )
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND", help="The command, after --.")

    def run(self) -> int:
        """Run the command; the exit code is the command's."""
        words = self.args.words[1:] if self.args.words[:1] == ["--"] else self.args.words
        if not words:
            return self.print_error_and_get_status(
                "no command given: write it after --, such as run -- python train.py", EXIT_USAGE
            )
        url = self.args.url or os.environ.get("COLOPHON_URL", "")
        run = CommandRun(self.args.name or name_command(words), create_server_address(url) if url else None)
        process, status = _run_command(words, run.build_environ(os.environ))
        waiting, reason = run.end(process, status)
        if waiting:
            print_error(f"{waiting} reports wait in the outbox: {reason} (then: jupyter colophon outbox flush)")
        return status if status >= 0 else _SIGNALLED - status


def _run_command(words: list[str], environ: dict[str, str]) -> tuple[int, int]:
    """Run a command to its end; return its process and its exit status, a negative one for a signal."""
    try:
        child = subprocess.Popen(words, env=environ)  # noqa: S603  the caller's own command
    except OSError as error:
        print_error(f"{words[0]}: {error.strerror}")
        return 0, _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
    forward = _create_forwarder(child)
    before = {number: signal.signal(number, forward) for number in _list_signals(_FORWARDED)}
    try:
        return child.pid, child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _create_forwarder(child: subprocess.Popen[bytes]) -> Callable[[int, Any], None]:
    from_terminal = _list_signals(_FROM_TERMINAL) if _is_in_foreground() else []

    def forward(number: int, _: Any) -> None:
        if number not in from_terminal:
            child.send_signal(number)

    return forward


def _list_signals(names: tuple[str, ...]) -> list[signal.Signals]:
    """Return the signals of these names that this system has."""
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _is_in_foreground() -> bool:
    """Return whether a terminal sends its signals to this process, and so to the command."""
    try:
        return sys.stdin.isatty() and os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (AttributeError, OSError, ValueError):
        return False
