"""What all commands share: settings, `--json`, errors as one line, exit codes (docs/cli.md)."""

import json
import logging
import sys
from abc import ABC, abstractmethod
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from jupyter_colophon.cli.config import Colophon, read_settings
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_USAGE, print_error
from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidQuery, MetadataError, NotFound

# Loaded when a command opens the store: `--help` and wrong usage need none of it.
if TYPE_CHECKING:
    from jupyter_colophon.maintenance import Keeper


class Command(ABC):
    """One command: declares its arguments, and runs with what was parsed."""

    #: What it does, in its help.
    description: ClassVar[str]
    #: Whether argparse answers `--help`.
    has_help: ClassVar[bool] = True
    #: Whether words that argparse does not know go to `words`, which then are the command's to judge.
    takes_unknown: ClassVar[bool] = False

    def __init__(self, args: Namespace) -> None:
        self.args = args
        self.json: bool = getattr(args, "json", False)

    @classmethod  # noqa: B027  a command may have none
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the arguments."""

    @abstractmethod
    def run(self) -> int:
        """Run the command; returns the exit code. May raise MetadataError, OSError."""

    @property
    def debugs(self) -> bool:
        """Whether `--debug` was given."""
        return getattr(self.args, "debug", False)

    @cached_property
    def settings(self) -> Colophon:
        """The settings. Raises InvalidConfiguration."""
        return read_settings(self.args)

    def overlay(self) -> Path | None:
        """The file that adds to the registry; None where there is none. Raises InvalidConfiguration where it cannot be read.

        Without its types, what is derived of their entities would be taken for too much.
        """
        from jupyter_colophon.service.registry_files import readable

        return readable(self.settings.overlay())

    def silence_logs(self) -> None:
        """Drop what servers log beside an error, which is one line here, unless `--debug` was given."""
        if not self.debugs:
            logging.getLogger("jupyter_colophon").addHandler(logging.NullHandler())

    @contextmanager
    def keeper(self, *, new: bool = False) -> Iterator["Keeper"]:
        """Open the store. Unless it may be `new`, it has to exist: raises NotFound, NoCatalog."""
        from jupyter_colophon.maintenance import open_keeper

        store = self.settings.store()
        path = store.options.get("path") if store.provider == "sqlite" else None
        if path is not None and not new and not Path(path).exists():
            raise NotFound("catalog", path)
        self.silence_logs()
        overlay = self.overlay()
        with Line(sys.stderr) as line:
            keeper = open_keeper(store, line.show, new=new, overlay=overlay)
            try:
                yield keeper
            finally:
                keeper.close()

    def answer(self, document: Mapping[str, Any], text: str) -> None:
        """Print the result on stdout, as text or as JSON."""
        print(json.dumps(document, ensure_ascii=False) if self.json else text)

    def fail(self, text: str, status: int = EXIT_FAILED) -> int:
        """Print an error; returns the exit code."""
        print_error(text)
        return status


def run_command(command: Command) -> int:
    """Run a command; returns the exit code. Each error is one line on stderr."""
    try:
        return command.run()
    except InvalidConfiguration as error:
        return command.fail(error.detail, EXIT_USAGE)
    except MetadataError as error:
        return command.fail(_sentence(error), EXIT_USAGE if _is_of_option(error) else EXIT_FAILED)
    except ClientError as error:
        return command.fail(str(error))
    except BrokenPipeError:
        raise
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        return command.fail(f"{file}{error.strerror or error}")
    except Exception as error:
        if command.debugs:
            raise
        return command.fail(f"internal error ({type(error).__name__}): --debug prints a traceback")


def _is_of_option(error: MetadataError) -> bool:
    return isinstance(error, InvalidQuery) and error.parameter.startswith("--")


def _sentence(error: MetadataError) -> str:
    """The error, with the first of the places that are wrong."""
    first = next(iter(error.problems), None)
    if first is None:
        return error.detail
    return f"{error.detail}; {first.pointer}: {first.message}" if first.pointer else f"{error.detail}; {first.message}"
