"""All commands, by name."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.kernel.commands import crawl, edits, pipelines, proposals, quality, queries, service
from jupyter_colophon.kernel.commands.command import MagicCommand
from jupyter_colophon.kernel.help_text import build_help_text

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession


def _add_help_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("topic", metavar="COMMAND", nargs="?", choices=sorted(COMMANDS))


def _show_help(_: "KernelSession", args: Namespace) -> Result:
    text = build_help_text(args.topic, {name: command.help for name, command in COMMANDS.items()})
    return Result("help", {"text": text}, ("text",), [(text,)])


_HELP = MagicCommand(
    "help",
    "%metadata help [COMMAND]            show this help, or that of one command (also: %metadata COMMAND --help)",
    _add_help_arguments,
    _show_help,
    at_once=True,
)

COMMANDS: dict[str, MagicCommand] = {
    command.name: command
    for command in (
        *edits.COMMANDS,
        *queries.COMMANDS,
        *proposals.COMMANDS,
        *pipelines.COMMANDS,
        *crawl.COMMANDS,
        *quality.COMMANDS,
        *service.COMMANDS,
        _HELP,
    )
}
