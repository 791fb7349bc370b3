"""The grammar of `%metadata` and `%%metadata`. A mistake is one clear line, never a traceback."""

import argparse
import shlex
from collections.abc import Callable
from typing import NoReturn

from IPython.core.error import UsageError

from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command_table import COMMANDS
from jupyter_colophon.kernel.help_text import CELL

#: Words that ask for the help of the command they stand with.
HELP = {"-h", "--help"}


class Parser(argparse.ArgumentParser):
    """Raises instead of printing and leaving the process."""

    def error(self, message: str) -> NoReturn:
        """What argparse found wrong."""
        raise UsageError(f"{self.prog}: {message}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Never leave."""
        raise UsageError(message or f"{self.prog}: see %metadata help")


def parse_line(line: str) -> argparse.Namespace:
    """What `%metadata` was asked: `command`, its own words, and `form`; without any word the command is help.

    `--help` anywhere asks for `help` with the command as its `topic`, whatever else stands there.

    Raises:
        UsageError: the line is not understood.
    """
    told = split(line)
    if HELP.intersection(told):
        told = ["help", *(word for word in told[:1] if word not in HELP)]
    return _LINE.parse_args(told or ["help"])


def parse_cell(line: str) -> argparse.Namespace:
    """What `%%metadata` was asked: `tags`, `pairs` (also those that have an option of their own) and the step's `name`.

    Raises:
        UsageError: the line is not understood, or asks for nothing or for help: the cell is not run then.
    """
    told = split(line)
    if HELP.intersection(told):
        raise UsageError(" ".join(CELL.split()))
    asked = CELL_PARSER.parse_args(told)
    if not asked.tags and not asked.pairs and not asked.name:
        raise UsageError("%%metadata: say what to write: --tag TAG, --set KEY=VALUE, --owner, --describe or --name")
    return asked


def split(line: str) -> list[str]:
    """The words of a line, quotes as in a shell.

    Raises:
        UsageError: a quotation does not end.
    """
    try:
        return shlex.split(line)
    except ValueError as reason:
        msg = f"%metadata: {str(reason).lower()}"
        raise UsageError(msg) from None


def _line_parser() -> Parser:
    parser = Parser(prog="%metadata", add_help=False, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for name, command in COMMANDS.items():
        one = commands.add_parser(name, prog=f"%metadata {name}", add_help=False, allow_abbrev=False)
        command.arguments(one)
        form = one.add_mutually_exclusive_group()
        form.add_argument("--json", dest="form", action="store_const", const="json")
        form.add_argument("--dataframe", dest="form", action="store_const", const="dataframe")
        PARSERS[name] = one
    return parser


def _cell_parser() -> Parser:
    parser = Parser(prog="%%metadata", add_help=False, allow_abbrev=False)
    parser.add_argument("--tag", dest="tags", action="append", default=[], type=argument_types.tag, metavar="TAG")
    parser.add_argument(
        "--set", dest="pairs", action="append", default=[], type=argument_types.pair, metavar="KEY=VALUE"
    )
    for option, key in (("--owner", "owner"), ("--describe", "description")):
        parser.add_argument(option, dest="pairs", action="append", type=_valued(key), metavar=key.upper())
    parser.add_argument("--name", type=argument_types.step, metavar="STEP")
    return parser


def _valued(key: str) -> Callable[[str], tuple[str, str]]:
    return lambda value: (key, value)


#: The parser of each command, and that of the cell magic: completion reads them too.
PARSERS: dict[str, Parser] = {}
_LINE = _line_parser()
CELL_PARSER = _cell_parser()
