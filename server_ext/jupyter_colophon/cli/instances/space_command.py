"""Base classes of commands on a schemaspace."""

from abc import ABC, abstractmethod
from argparse import Namespace
from collections.abc import Sequence
from typing import ClassVar

from jupyter_colophon.cli.instances.client import InstanceClient
from jupyter_colophon.cli.instances.errors import HelpRequested, InstanceCommandError
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.option_parser import OptionParser
from jupyter_colophon.cli.instances.output import print_escaped_line, print_json


class SpaceCommand(ABC):
    """A command on a schemaspace."""

    #: The name of the command, what it does, and what it does in the schemaspace `{space}`.
    name: ClassVar[str]
    description: ClassVar[str]
    about: ClassVar[str]
    #: The options of a call that help shows as an example.
    example: ClassVar[str]
    #: The options that do not depend on a schema.
    declared: ClassVar[Sequence[Option]]
    #: Whether deprecated schemaspaces are accepted.
    takes_deprecated: ClassVar[bool] = True

    def __init__(self, client: InstanceClient, space: str) -> None:
        self.client, self.space = client, space
        self.options: Sequence[Option] = self.declared
        self.args = Namespace()
        self.json = False

    @abstractmethod
    def run(self, arguments: Sequence[str]) -> bool:
        """Run the command with these options, and return whether it succeeded.

        Raises:
            InstanceCommandError: the options are wrong, or the command failed.
            HelpRequested: help is among the options.
            ClientError, MetadataError, OSError: the command failed.
        """

    def parse_options(self, arguments: Sequence[str]) -> list[str]:
        """Parse the options; return unknown words."""
        self.args, unexpected = OptionParser(self.options).parse_known_args(arguments)
        return unexpected

    def print_result(self, document: object, *lines: str) -> None:
        """Print the result: the document with `--json`, else the lines."""
        if self.json:
            print_json(document)
            return
        for line in lines:
            print_escaped_line(line)

    def print_help(self) -> None:
        """Print what the command does, its options, and an example."""
        print_escaped_line(self.about.format(space=self.space))
        print_escaped_line()
        print_escaped_line("Options")
        print_escaped_line("-------")
        print_escaped_line()
        for option in self.options:
            for line in option.format_help():
                print_escaped_line(line)
        print_escaped_line()
        print_escaped_line(f"Example: {self.format_example(self.space)}")

    @classmethod
    def format_example(cls, space: str) -> str:
        """Return a call of the command as text."""
        return f"jupyter colophon metadata {cls.name} {space} {cls.example.format(space=space)}"


class FixedOptionsCommand(SpaceCommand):
    """A command whose options do not depend on a schema."""

    def run(self, arguments: Sequence[str]) -> bool:
        """Parse and check the options, then execute the command."""
        unexpected = self.parse_options(arguments)
        self.json = self.args.json
        if self.args.help:
            raise HelpRequested
        for option in self.options:
            if option.is_required:
                _require_option_value(option, getattr(self.args, option.name))
        require_no_unknown_arguments(unexpected)
        return self.execute()

    @abstractmethod
    def execute(self) -> bool:
        """Execute the command with the parsed options, and return whether it succeeded."""


def require_no_unknown_arguments(arguments: Sequence[str]) -> None:
    """Raise InstanceCommandError if there are unknown words."""
    if arguments:
        raise InstanceCommandError(f"The following arguments were unexpected: {arguments}", shows_help=True)


def _require_option_value(option: Option, value: object) -> None:
    """Raise InstanceCommandError if an option or its value is missing."""
    if value is None:
        raise InstanceCommandError(f"'--{option.name}' is a required parameter.", shows_help=True)
    if not value:
        raise InstanceCommandError(f"Parameter '--{option.name}' requires a value.", shows_help=True)
