"""Chooses the command and the schemaspace, and says how it ended."""

from collections.abc import Mapping, Sequence

from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.instances.client import InstanceClient
from jupyter_colophon.cli.instances.create_update import Create, Update
from jupyter_colophon.cli.instances.errors import HelpAsked, Refusal, sentence
from jupyter_colophon.cli.instances.export import Export
from jupyter_colophon.cli.instances.import_ import Import
from jupyter_colophon.cli.instances.list_ import List
from jupyter_colophon.cli.instances.migrate import Migrate
from jupyter_colophon.cli.instances.move import Move
from jupyter_colophon.cli.instances.option import flag
from jupyter_colophon.cli.instances.option_parser import OptionParser
from jupyter_colophon.cli.instances.output import answer, say
from jupyter_colophon.cli.instances.recover import Recover
from jupyter_colophon.cli.instances.remove import Remove
from jupyter_colophon.cli.instances.space_command import SpaceCommand
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import MetadataError

COMMANDS: Mapping[str, type[SpaceCommand]] = {
    "list": List,
    "create": Create,
    "update": Update,
    "remove": Remove,
    "migrate": Migrate,
    "export": Export,
    "import": Import,
    "move": Move,
    "recover": Recover,
}
DESCRIPTION = "Manage the instances of schemaspaces: list, create, update, remove, migrate, export, import, move and recover them."
REPLACE = flag("replace", "Update the instance.")
_HELP = ("--help", "-h")


def run(words: Sequence[str], client: InstanceClient) -> int:
    """Do what the words say; returns the exit code: 0, or 1 for whatever went wrong and for help."""
    try:
        return _run(words, client)
    except (ClientError, MetadataError) as error:
        say(sentence(error))
        return EXIT_FAILED


def _run(words: Sequence[str], client: InstanceClient) -> int:
    if not words or words[0] in _HELP:
        if words:
            say(f"\n{DESCRIPTION}")
        return _which(words, {name: kind.description for name, kind in COMMANDS.items()})
    kind, options = _command(words[0], words[2:])
    if kind is None:
        return _which(words, {name: kind.description for name, kind in COMMANDS.items()})
    spaces = client.schemaspace_names(deprecated=kind.takes_deprecated)
    space = client.schemaspace_name(words[1]) if len(words) > 1 and not words[1].startswith("-") else None
    if space not in spaces:
        if len(words) > 1 and words[1] in _HELP:
            say(f"\n{kind.description}")
        return _which(words[1:], {name: kind.about.format(space=name) for name in spaces})
    return _done(kind(client, space), options)


def _command(word: str, options: Sequence[str]) -> tuple[type[SpaceCommand] | None, Sequence[str]]:
    """Return the command of a word, and its options. `install` is Elyra 2 and 3's `create`; with --replace, `update`."""
    if word != "install":
        return COMMANDS.get(word), options
    args, others = OptionParser([REPLACE]).parse_known_args(options)
    help_ = ["--help"] if args.help else []
    return Update if args.replace else Create, [*others, *help_]


def _done(command: SpaceCommand, options: Sequence[str]) -> int:
    shows_help = False
    try:
        return EXIT_OK if command.run(options) else EXIT_FAILED
    except HelpAsked:
        shows_help, message = True, ""
    except Refusal as refusal:
        shows_help, message = refusal.shows_help, refusal.text
    except (ClientError, MetadataError) as error:
        message = sentence(error)
    except OSError as error:
        message = _words(error)
    if message and command.json:
        answer({"error": message})
        return EXIT_FAILED
    if message:
        say(f"ERROR: {message}" if shows_help else message)
    if shows_help:
        say()
        command.help()
    return EXIT_FAILED


def _words(error: OSError) -> str:
    """Return the system's message. Raises a broken pipe again: nobody reads the output."""
    if isinstance(error, BrokenPipeError):
        raise error
    return f"{error.strerror or error}" + (f": '{error.filename}'" if error.filename else "")


def _which(words: Sequence[str], commands: Mapping[str, str]) -> int:
    """Say which subcommands there are, and that one of them is missing unless help was asked for."""
    if not words or words[0] not in _HELP:
        message = f"Subcommand '{words[0]}' is invalid." if words else "No subcommand specified."
        say(f"{message}  One of: {list(commands)} must be specified.")
    say()
    say("Subcommands")
    say("-----------")
    say("They are called as `jupyter colophon metadata COMMAND SCHEMASPACE [options]`;")
    say("with --help each says what its options are.")
    say()
    width = max((len(name) for name in commands), default=0)
    for name, description in commands.items():
        say(f"{name.ljust(width)}  {description}")
    return EXIT_FAILED
