"""All commands, by name."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from jupyter_colophon.client.verbs.answer import Result
from jupyter_colophon.kernel.commands import asking, crawling, pipelines, saying, service
from jupyter_colophon.kernel.commands.command import Command
from jupyter_colophon.kernel.synopsis import help_on

if TYPE_CHECKING:
    from jupyter_colophon.kernel.companion import Companion


def _help_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("topic", metavar="COMMAND", nargs="?", choices=sorted(COMMANDS))


def _help(_: "Companion", asked: Namespace) -> Result:
    text = help_on(asked.topic, {name: command.help for name, command in COMMANDS.items()})
    return Result("help", {"text": text}, ("text",), [(text,)])


_HELP = Command(
    "help",
    "%metadata help [COMMAND]            this, or what it says of one command (also: %metadata COMMAND --help)",
    _help_arguments,
    _help,
    at_once=True,
)

COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        *saying.COMMANDS,
        *asking.COMMANDS,
        *pipelines.COMMANDS,
        *crawling.COMMANDS,
        *service.COMMANDS,
        _HELP,
    )
}
