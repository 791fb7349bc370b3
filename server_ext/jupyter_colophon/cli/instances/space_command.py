"""What the commands on one schemaspace share."""

from argparse import Namespace
from collections.abc import Sequence
from typing import ClassVar

from jupyter_colophon.cli.instances.client import InstanceClient
from jupyter_colophon.cli.instances.errors import HelpAsked, Refusal
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.option_parser import OptionParser
from jupyter_colophon.cli.instances.output import answer, say


class SpaceCommand:
    """One command on one schemaspace. `work` does it, after its options were parsed."""

    #: What it does, in the list of commands, and with the name of a schemaspace.
    description: ClassVar[str]
    about: ClassVar[str]
    #: The options that do not depend on a schema.
    declared: ClassVar[Sequence[Option]]
    #: Whether it works on deprecated schemaspaces too.
    takes_deprecated: ClassVar[bool] = True

    def __init__(self, client: InstanceClient, space: str) -> None:
        self.client, self.space = client, space
        self.options: Sequence[Option] = self.declared
        self.args = Namespace()
        self.json = False

    def run(self, words: Sequence[str]) -> bool:
        """Run with these options; returns whether all went well. Raises Refusal, HelpAsked, ClientError, MetadataError, OSError."""
        unexpected = self.parse(words)
        self.json = self.args.json
        if self.args.help:
            raise HelpAsked
        for option in self.options:
            if option.is_required:
                self.require(option)
        refuse_unexpected(unexpected)
        return self.work()

    def parse(self, words: Sequence[str]) -> list[str]:
        """Parse the options; returns the words that are none."""
        self.args, unexpected = OptionParser(self.options).parse_known_args(words)
        return unexpected

    def work(self) -> bool:
        """Do it; returns whether all went well."""
        raise NotImplementedError

    def require(self, option: Option) -> None:
        """Refuse a command line without the value of an option."""
        value = getattr(self.args, option.name)
        if value is None:
            raise Refusal(f"'--{option.name}' is a required parameter.", shows_help=True)
        if not value:
            raise Refusal(f"Parameter '--{option.name}' requires a value.", shows_help=True)

    def tell(self, document: object, *lines: str) -> None:
        """Print the result, for programs or for people."""
        if self.json:
            answer(document)
            return
        for line in lines:
            say(line)

    def help(self) -> None:
        """Print what the command does, and its options."""
        say(self.about.format(space=self.space))
        say()
        say("Options")
        say("-------")
        say()
        for option in self.options:
            for line in option.lines():
                say(line)


def refuse_unexpected(words: Sequence[str]) -> None:
    """Refuse words that no option takes."""
    if words:
        raise Refusal(f"The following arguments were unexpected: {words}", shows_help=True)
