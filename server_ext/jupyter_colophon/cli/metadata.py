"""`jupyter colophon metadata …`: Elyra's commands on the instances of schemaspaces."""

import argparse
import sys
from collections.abc import Sequence

from jupyter_colophon.cli import app
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_USAGE
from jupyter_colophon.cli.parser import Parser, add_long_settings, add_short_settings

#: Commands with an option for each property of a schema, which may have the name of a setting.
_HAVE_SCHEMA_OPTIONS = ("create", "update", "install")


class Metadata(Command):
    """Reads the settings, and leaves the other words to Elyra's command: its options depend on a schema.

    Settings may stand anywhere, but for `create` and `update`: after the schemaspace, only by their long names.
    """

    description = "Manage the instances of schemaspaces by Elyra's commands."
    has_help = False
    takes_unknown = True

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the settings, and the words of Elyra's command."""
        _add_url(parser)
        _add_log_level(parser)
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND SCHEMASPACE [OPTIONS]")

    def run(self) -> int:
        """Run the command; exits with 1 for all that goes wrong, as in Elyra; with 2 for a wrong setting, as everywhere here."""
        from jupyter_colophon.cli.instances.client import open_client
        from jupyter_colophon.cli.instances.output import log_to_stderr
        from jupyter_colophon.cli.instances.run import run

        words = self._take_settings(self.args.words)
        unknown = next((word.partition("=")[0] for word in words if word.startswith("--Colophon.")), None)
        if unknown:
            return self.fail(f"there is no option {unknown}", EXIT_USAGE)
        level = "DEBUG" if self.debugs else getattr(self.args, "log_level", "WARNING")
        try:
            log_to_stderr(level)
        except ValueError:
            return self.fail(f"there is no log level {level!r}")
        with open_client(getattr(self.args, "url", None), self.settings) as client:
            return run(words, client)

    def _take_settings(self, words: Sequence[str]) -> list[str]:
        """Move settings from the words behind the command's name to the arguments."""
        if not words:
            return []
        command, *rest = words
        if command not in _HAVE_SCHEMA_OPTIONS:
            return [command, *self._parse(_settings_parser(), rest)]
        before = _settings_parser()
        before.add_argument("schemaspace", nargs="?")
        before.add_argument("options", nargs=argparse.REMAINDER)
        unknown = self._parse(before, rest)
        options = self._parse(_settings_parser(short=False), self.args.options)
        schemaspace = [] if self.args.schemaspace is None else [self.args.schemaspace]
        return [command, *unknown, *schemaspace, *options]

    def _parse(self, parser: Parser, words: Sequence[str]) -> list[str]:
        """Parse words into the arguments; returns the words that are unknown."""
        _, unknown = parser.parse_known_args(words, self.args)
        return list(unknown)


def _settings_parser(*, short: bool = True) -> Parser:
    """Build a parser of settings; unless `short`, without those whose names a property of a schema may have."""
    parser = Parser(prog="jupyter colophon metadata", add_help=False, has_common_options=False)
    if short:
        add_short_settings(parser)
        _add_url(parser)
    _add_log_level(parser)
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS)
    add_long_settings(parser)
    return parser


def _add_url(parser: Parser) -> None:
    parser.add_argument(
        "--url",
        default=argparse.SUPPRESS,
        help="The server whose instances are meant (its token in COLOPHON_TOKEN); empty: those of this machine.",
    )


def _add_log_level(parser: Parser) -> None:
    parser.add_argument(
        "--log-level", metavar="LEVEL", default=argparse.SUPPRESS, help="Which log lines are printed on stderr."
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command by itself, for callers of Elyra's `elyra-metadata` (docs/cli.md)."""
    app.main(["metadata", *(sys.argv[1:] if argv is None else argv)])
