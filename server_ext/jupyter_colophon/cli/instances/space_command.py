"""What the commands on one schemaspace share."""

from typing import ClassVar

from jupyter_colophon.cli.instances.arguments import Arguments
from jupyter_colophon.cli.instances.errors import HelpAsked, Refusal
from jupyter_colophon.cli.instances.instances_protocol import Source
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.instances.output import answer, say


class SpaceCommand:
    """One command on one schemaspace. `work` does it, after its options were taken."""

    #: What it does, in the list of commands, and with the name of a schemaspace.
    description: ClassVar[str]
    about: ClassVar[str]
    #: Whether it works on deprecated schemaspaces too.
    takes_deprecated: ClassVar[bool] = True
    #: Whether `--json` asks for an answer in JSON; elsewhere it brings a document, as in Elyra.
    answers_json: ClassVar[bool] = True

    def __init__(self, source: Source, space: str, arguments: Arguments) -> None:
        self.source, self.space, self.arguments = source, space, arguments
        self.json = self.answers_json and arguments.flag("json")
        self.options: list[Option] = []

    def run(self) -> bool:
        """Do it; returns whether all went well. Raises Refusal, HelpAsked, MetadataError, OSError."""
        if self.arguments.wants_help:
            raise HelpAsked
        return self.work()

    def work(self) -> bool:
        """Do it; returns whether all went well."""
        raise NotImplementedError

    def required(self, name: str) -> str:
        """The value of an option that has to be there."""
        value = self.arguments.value(name)
        if value is None:
            raise Refusal(f"'--{name}' is a required parameter.", shows_help=True)
        if not value:
            raise Refusal(f"Parameter '--{name}' requires a value.", shows_help=True)
        return value

    def no_more(self) -> None:
        """Refuse what no option took."""
        if self.arguments.rest:
            raise Refusal(f"The following arguments were unexpected: {self.arguments.rest}", shows_help=True)

    def tell(self, document: object, *lines: str) -> None:
        """Say the result, for programs or for people."""
        if self.json:
            answer(document)
            return
        for line in lines:
            say(line)

    def help(self) -> None:
        """Say what the command does, and its options."""
        say(self.about.format(space=self.space))
        say()
        say("Options")
        say("-------")
        say()
        for option in self.options:
            for line in option.lines():
                say(line)
