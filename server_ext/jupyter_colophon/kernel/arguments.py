"""The grammar of `%metadata` and `%%metadata`. A mistake is one clear line, never a traceback."""

import argparse
import re
import shlex
from collections.abc import Callable
from typing import NoReturn

from IPython.core.error import UsageError

from jupyter_colophon.kernel.pipelines import VERBS
from jupyter_colophon.kernel.synopsis import CELL

#: Keys and tags (catalog.md 3.3); `tags` itself is reserved.
WORD = re.compile(r"[A-Za-z0-9_-]{1,50}")

COMMANDS = (
    "connect",
    "health",
    "help",
    "keys",
    "lineage",
    "pipeline",
    "search",
    "set",
    "show",
    "status",
    "tag",
    "unset",
    "untag",
)

#: Longer numbers are no option's.
DIGITS_MAX = 9

#: Words that ask for the help of the command they stand with.
HELP = {"-h", "--help"}


class _Parser(argparse.ArgumentParser):
    """Raises instead of printing and leaving the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self.prog}: {message}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise UsageError(message or f"{self.prog}: see %metadata help")


def parse_line(line: str) -> argparse.Namespace:
    """What `%metadata` was asked: `command` and its own words; without any word the command is help.

    `--help` anywhere asks for `help` with the command as its `topic`, whatever else stands there.

    Raises:
        UsageError: the line is not understood.
    """
    words = split(line)
    if HELP.intersection(words):
        words = ["help", *(word for word in words[:1] if word not in HELP)]
    return _LINE.parse_args(words or ["help"])


def parse_cell(line: str) -> argparse.Namespace:
    """What `%%metadata` was asked: `tags` and `properties` (pairs).

    Raises:
        UsageError: the line is not understood, or asks for nothing or for help: the cell is not run then.
    """
    words = split(line)
    if HELP.intersection(words):
        raise UsageError(" ".join(CELL.split()))
    asked = _CELL.parse_args(words)
    if not asked.tags and not asked.properties:
        raise UsageError("%%metadata: say what to write: --tag TAG or --set KEY=VALUE")
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


def _tag(word: str) -> str:
    if not WORD.fullmatch(word):
        msg = f"{word!r} is no tag: use letters, digits, _ and -, at most 50"
        raise argparse.ArgumentTypeError(msg)
    return word


def _key(word: str) -> str:
    if not WORD.fullmatch(word) or word == "tags":
        msg = f"{word!r} is no key: use letters, digits, _ and -, at most 50, and not the word tags"
        raise argparse.ArgumentTypeError(msg)
    return word


def _pair(word: str) -> tuple[str, str]:
    key, equals, value = word.partition("=")
    if not equals:
        msg = f"{word!r} is no KEY=VALUE"
        raise argparse.ArgumentTypeError(msg)
    return _key(key), value


def _argument(word: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals or not name:
        msg = f"{word!r} is no NAME=VALUE"
        raise argparse.ArgumentTypeError(msg)
    return name, value


def _whole(least: int, most: int) -> Callable[[str], int]:
    def whole(word: str) -> int:
        if not (word.isdecimal() and len(word) <= DIGITS_MAX and least <= int(word) <= most):
            msg = f"{word!r} is not a number from {least} to {most}"
            raise argparse.ArgumentTypeError(msg)
        return int(word)

    return whole


def _line_parser() -> _Parser:
    parser = _Parser(prog="%metadata", add_help=False, allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=_Parser)

    def add(name: str) -> _Parser:
        return commands.add_parser(name, prog=f"%metadata {name}", add_help=False, allow_abbrev=False)

    for name, words, kind in (("tag", "tags", _tag), ("untag", "tags", _tag), ("unset", "keys", _key)):
        one = add(name)
        one.add_argument("name", metavar="NAME")
        one.add_argument(words, metavar=words[:-1].upper(), nargs="+", type=kind)
    setting = add("set")
    setting.add_argument("name", metavar="NAME")
    setting.add_argument("properties", metavar="KEY=VALUE", nargs="+", type=_pair)
    add("show").add_argument("name", metavar="NAME")
    finding = add("search")
    finding.add_argument("query", metavar="QUERY", nargs="+")
    finding.add_argument("--limit", type=_whole(1, 500), default=20, metavar="N")
    _add_lineage(add("lineage"))
    add("keys").add_argument("prefix", metavar="PREFIX", nargs="?", default="")
    pipeline = add("pipeline")
    pipeline.add_argument("verb", metavar="VERB", choices=VERBS)
    pipeline.add_argument("name", metavar="NAME", nargs="?")
    pipeline.add_argument("arguments", metavar="NAME=VALUE", nargs="*", type=_argument)
    add("connect").add_argument("url", metavar="URL")
    for name in ("health", "status"):
        add(name)
    add("help").add_argument("topic", metavar="COMMAND", nargs="?", choices=COMMANDS)
    return parser


def _add_lineage(parser: _Parser) -> None:
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--levels", type=_whole(1, 20), default=1, metavar="N")
    parser.add_argument("--direction", choices=("both", "upstream", "downstream"), default="both")
    parser.add_argument("--start", metavar="T")
    parser.add_argument("--end", metavar="T")


def _cell_parser() -> _Parser:
    parser = _Parser(prog="%%metadata", add_help=False, allow_abbrev=False)
    parser.add_argument("--tag", dest="tags", action="append", default=[], type=_tag, metavar="TAG")
    parser.add_argument("--set", dest="properties", action="append", default=[], type=_pair, metavar="KEY=VALUE")
    return parser


_LINE = _line_parser()
_CELL = _cell_parser()

OPTIONS = {
    "lineage": ("--direction", "--end", "--levels", "--start"),
    "search": ("--limit",),
}
CELL_OPTIONS = ("--set", "--tag")
