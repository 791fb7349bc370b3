"""What all commands share: settings, `--json`, errors as one line, exit codes (docs/cli.md)."""

import json
import logging
import sys
from abc import ABC, abstractmethod
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from jupyter_colophon.cli.config import CommandSettings, read_settings, require_existing_store
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK, EXIT_USAGE, print_error
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.client.problems import ClientError, RequestFailed
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidQuery, MetadataError, StoreUnavailable

# Loaded when a command opens the store: `--help` and wrong usage do not need it.
if TYPE_CHECKING:
    from jupyter_colophon.maintenance import Maintenance


class CliCommand(ABC):
    """A command: declares its arguments, and runs with the parsed ones."""

    #: What it does, in its help.
    description: ClassVar[str]
    #: Arguments of calls that help shows as examples. Subcommands have their own.
    examples: ClassVar[Sequence[str]] = ()
    #: Whether argparse handles `--help`.
    has_help: ClassVar[bool] = True
    #: Whether words that argparse does not know are added to `words`, for the command to parse.
    takes_unknown: ClassVar[bool] = False

    def __init__(self, args: Namespace) -> None:
        self.args = args
        self.json: bool = getattr(args, "json", False)

    @classmethod  # noqa: B027  a command may have none
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the arguments."""

    @abstractmethod
    def run(self) -> int:
        """Run the command, and return the exit code. May raise MetadataError, ClientError, OSError."""

    @property
    def is_debug(self) -> bool:
        """Whether `--debug` was given."""
        return getattr(self.args, "debug", False)

    @cached_property
    def settings(self) -> CommandSettings:
        """The settings. Raises InvalidConfiguration."""
        return read_settings(self.args)

    def find_registry_extension(self) -> Path | None:
        """Return the user's extension of the registry, or None. Raises InvalidConfiguration if it cannot be read.

        Without its entity types, data derived from their entities would look superfluous.
        """
        from jupyter_colophon.service.registry_files import require_readable_extension_file

        return require_readable_extension_file(self.settings.get_registry_extension())

    def drop_logs_unless_debug(self) -> None:
        """Drop log lines unless `--debug` was given: an error is printed as one line."""
        if not self.is_debug:
            logging.getLogger("jupyter_colophon").addHandler(logging.NullHandler())

    @contextmanager
    def open_maintenance(self, *, new: bool = False) -> Iterator["Maintenance"]:
        """Open the store for maintenance. Raises NotFound or NoCatalog if it does not exist, unless it may be `new`."""
        from jupyter_colophon.maintenance import open_store_for_maintenance

        store = self.settings.choose_store() if new else require_existing_store(self.settings)
        self.drop_logs_unless_debug()
        overlay = self.find_registry_extension()
        with ProgressLine(sys.stderr) as line:
            maintenance = open_store_for_maintenance(store, line.show, new=new, registry_extension=overlay)
            try:
                yield maintenance
            finally:
                maintenance.close()

    def print_result(self, document: Mapping[str, Any], text: str) -> None:
        """Print the result on stdout: the document with `--json`, else the text."""
        print(json.dumps(document, ensure_ascii=False) if self.json else text)

    def print_error_and_get_status(self, text: str, status: int = EXIT_FAILED) -> int:
        """Print an error, and return the exit code."""
        print_error(text)
        return status


def run_command_and_print_errors(command: CliCommand) -> int:
    """Run a command, and return the exit code. An error is one line on stderr."""
    try:
        return command.run()
    except InvalidConfiguration as error:
        return command.print_error_and_get_status(error.detail, EXIT_USAGE)
    except MetadataError as error:
        return command.print_error_and_get_status(
            _format_error(error), EXIT_USAGE if _is_option_error(error) else EXIT_FAILED
        )
    except ClientError as error:
        is_held = isinstance(error, RequestFailed) and error.is_held_for_review
        return command.print_error_and_get_status(str(error), EXIT_OK if is_held else EXIT_FAILED)
    except BrokenPipeError:
        raise
    except OSError as error:
        file = f"{error.filename}: " if error.filename else ""
        return command.print_error_and_get_status(f"{file}{error.strerror or error}")
    except Exception as error:
        if command.is_debug:
            raise
        return command.print_error_and_get_status(
            f"internal error ({type(error).__name__}); run with --debug for a traceback"
        )


def _is_option_error(error: MetadataError) -> bool:
    return isinstance(error, InvalidQuery) and error.parameter.startswith("--")


def format_detail_and_reason(error: MetadataError) -> str:
    """Return the error's message; of an unavailable store, with what the store reported."""
    reason = error.reason if isinstance(error, StoreUnavailable) else ""
    return f"{error.detail}: {reason}" if reason else error.detail


def _format_error(error: MetadataError) -> str:
    """Return the error's message, with the first of its problems."""
    first = next(iter(error.problems), None)
    if first is None:
        return format_detail_and_reason(error)
    return f"{error.detail}; {first.pointer}: {first.message}" if first.pointer else f"{error.detail}; {first.message}"
