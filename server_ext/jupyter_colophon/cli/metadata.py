"""`jupyter colophon metadata …`: Elyra's commands for instances of schemaspaces."""

import argparse
import sys
from collections.abc import Sequence

from jupyter_colophon.cli import app
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_USAGE
from jupyter_colophon.cli.parser import CommandParser, add_long_setting_options, add_short_setting_options

#: Commands with an option for each property of a schema. Such an option may have the name of a setting.
_SCHEMA_OPTION_COMMANDS = ("create", "update", "install")


class MetadataCommand(CliCommand):
    """Parse the settings, and pass the other words to a command of Elyra, whose options depend on a schema.

    Settings are accepted anywhere; after the schemaspace of `create` and `update`, only by their long names.
    """

    description = "Manage instances of schemaspaces with Elyra's commands."
    has_help = False
    takes_unknown = True

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the settings and the words of the command."""
        _add_url_option(parser)
        _add_log_level_option(parser)
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND SCHEMASPACE [OPTIONS]")

    def run(self) -> int:
        """Run the command. The exit code of any failure is 1, as in Elyra, but that of a wrong setting is 2."""
        from jupyter_colophon.cli.instances.client import open_instance_client
        from jupyter_colophon.cli.instances.output import log_to_stderr
        from jupyter_colophon.cli.instances.run import run_instance_command_line

        words = self._move_settings_to_arguments(self.args.words)
        unknown = next((word.partition("=")[0] for word in words if word.startswith("--Colophon.")), None)
        if unknown:
            return self.print_error_and_get_status(f"unknown option {unknown}", EXIT_USAGE)
        level = "DEBUG" if self.is_debug else getattr(self.args, "log_level", "WARNING")
        try:
            log_to_stderr(level)
        except ValueError:
            return self.print_error_and_get_status(f"unknown log level {level!r}")
        with open_instance_client(getattr(self.args, "url", None), self.settings) as client:
            return run_instance_command_line(words, client)

    def _move_settings_to_arguments(self, arguments: Sequence[str]) -> list[str]:
        """Move settings from the words to the arguments; return the other words."""
        if not arguments:
            return []
        command, *rest = arguments
        if command not in _SCHEMA_OPTION_COMMANDS:
            return [command, *self._parse_into_arguments(_create_settings_parser(), rest)]
        before = _create_settings_parser()
        before.add_argument("schemaspace", nargs="?")
        before.add_argument("options", nargs=argparse.REMAINDER)
        unknown = self._parse_into_arguments(before, rest)
        options = self._parse_into_arguments(_create_settings_parser(short=False), self.args.options)
        schemaspace = [] if self.args.schemaspace is None else [self.args.schemaspace]
        return [command, *unknown, *schemaspace, *options]

    def _parse_into_arguments(self, parser: CommandParser, arguments: Sequence[str]) -> list[str]:
        """Parse words into the arguments; return unknown words."""
        _, unknown = parser.parse_known_args(arguments, self.args)
        return list(unknown)


def _create_settings_parser(*, short: bool = True) -> CommandParser:
    """Return a parser of settings; unless `short`, only of long names, which no property of a schema has."""
    parser = CommandParser(prog="jupyter colophon metadata", add_help=False, has_common_options=False)
    if short:
        add_short_setting_options(parser)
        _add_url_option(parser)
    _add_log_level_option(parser)
    parser.add_argument("--debug", action="store_true", default=argparse.SUPPRESS)
    add_long_setting_options(parser)
    return parser


def _add_url_option(parser: CommandParser) -> None:
    parser.add_argument(
        "--url",
        default=argparse.SUPPRESS,
        help="Use the instances of this server (token in COLOPHON_TOKEN); empty: those of this machine.",
    )


def _add_log_level_option(parser: CommandParser) -> None:
    parser.add_argument(
        "--log-level", metavar="LEVEL", default=argparse.SUPPRESS, help="Minimum level of log lines on stderr."
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Run the command, as Elyra's `elyra-metadata` (docs/cli.md)."""
    app.main(["metadata", *(sys.argv[1:] if argv is None else argv)])
