"""The grammar of `%metadata` and `%%metadata`. Errors are one line, never a traceback."""

import argparse
import shlex
from collections.abc import Callable
from typing import Any, NoReturn

from IPython.core.error import UsageError

from jupyter_colophon.core.similar_names import format_did_you_mean
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command_table import COMMANDS
from jupyter_colophon.kernel.help_text import CELL

#: Options that show the help of a command.
HELP = {"-h", "--help"}


class MagicParser(argparse.ArgumentParser):
    """An argument parser that raises UsageError instead of printing and exiting."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError with the message of argparse."""
        raise UsageError(f"{self.prog}: {message}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, with the most similar one."""
        if action.choices is None or value in action.choices:
            return
        suggestion = format_did_you_mean(str(value), map(str, action.choices))
        if isinstance(action, argparse._SubParsersAction):
            raise argparse.ArgumentError(None, f"unknown command {value!r}{suggestion or '; see %metadata help'}")
        choices = f"; choose from {', '.join(map(str, action.choices))}"
        raise argparse.ArgumentError(action, f"invalid value {value!r}{suggestion or choices}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise UsageError instead of exiting."""
        raise UsageError(message or f"{self.prog}: see %metadata help")


def parse_line(line: str) -> argparse.Namespace:
    """Parse a line of `%metadata` into `command`, its arguments and `form`; an empty line is the command help.

    `--help` anywhere means `help` with the command as its `topic`; other words are ignored.

    Raises:
        UsageError: the line is invalid.
    """
    words = split_words(line)
    if HELP.intersection(words):
        words = ["help", *(word for word in words[:1] if word not in HELP)]
    return _LINE.parse_args(words or ["help"])


def parse_cell(line: str) -> argparse.Namespace:
    """Parse a line of `%%metadata` into `tags`, `pairs` (also those with their own option), the step's `name`, and what it `reads`
    and `writes`.

    Raises:
        UsageError: the line is invalid, empty, or contains --help; the cell does not run.
    """
    words = split_words(line)
    if HELP.intersection(words):
        raise UsageError(" ".join(CELL.split()))
    args = CELL_PARSER.parse_args(words)
    if not (args.tags or args.pairs or args.name or args.reads or args.writes):
        raise UsageError(
            "%%metadata: at least one option is required: --tag TAG, --set KEY=VALUE, --owner, --describe, --name, --reads or --writes"
        )
    return args


def split_words(line: str) -> list[str]:
    """Split a line into words, with quotes as in a shell.

    Raises:
        UsageError: a quote is not closed.
    """
    try:
        return shlex.split(line)
    except ValueError as reason:
        msg = f"%metadata: {str(reason).lower()}"
        raise UsageError(msg) from None


def _create_line_parser() -> MagicParser:
    parser = MagicParser(prog="%metadata", add_help=False, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=MagicParser)
    for name, command in COMMANDS.items():
        subparser = commands.add_parser(name, prog=f"%metadata {name}", add_help=False, allow_abbrev=False)
        command.arguments(subparser)
        form = subparser.add_mutually_exclusive_group()
        form.add_argument("--json", dest="form", action="store_const", const="json")
        form.add_argument("--dataframe", dest="form", action="store_const", const="dataframe")
        PARSERS[name] = subparser
    return parser


def _create_cell_parser() -> MagicParser:
    parser = MagicParser(prog="%%metadata", add_help=False, allow_abbrev=False)
    parser.add_argument("--tag", dest="tags", action="append", default=[], type=argument_types.parse_tag, metavar="TAG")
    parser.add_argument(
        "--set", dest="pairs", action="append", default=[], type=argument_types.parse_key_value, metavar="KEY=VALUE"
    )
    for option, key in (("--owner", "owner"), ("--describe", "description")):
        parser.add_argument(option, dest="pairs", action="append", type=_create_pair_parser(key), metavar=key.upper())
    parser.add_argument("--name", type=argument_types.parse_step_name, metavar="STEP")
    for option in ("--reads", "--writes"):
        parser.add_argument(option, action="append", default=[], metavar="DATA")
    return parser


def _create_pair_parser(key: str) -> Callable[[str], tuple[str, str]]:
    return lambda value: (key, value)


#: The parser of each command, and that of the cell magic: completion uses them as well.
PARSERS: dict[str, MagicParser] = {}
_LINE = _create_line_parser()
CELL_PARSER = _create_cell_parser()
