"""Run a command on a schemaspace, and return its exit code."""

from collections.abc import Mapping, Sequence
from importlib import import_module

from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.instances.client import InstanceClient
from jupyter_colophon.cli.instances.errors import HelpRequested, InstanceCommandError, format_error
from jupyter_colophon.cli.instances.option import create_flag_option
from jupyter_colophon.cli.instances.option_parser import OptionParser
from jupyter_colophon.cli.instances.output import print_escaped_line, print_json
from jupyter_colophon.cli.instances.space_command import SpaceCommand
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import MetadataError

#: The module and class of each command.
_COMMANDS = {
    "list": "list_.ListInstances",
    "create": "create_update.CreateInstance",
    "update": "create_update.UpdateInstance",
    "remove": "remove.RemoveInstance",
    "migrate": "migrate.MigrateInstances",
    "export": "export.ExportInstances",
    "import": "import_.ImportInstances",
    "move": "move.MoveInstances",
    "recover": "recover.RecoverInstances",
}
DESCRIPTION = "Manage the instances of schemaspaces: list, create, update, remove, migrate, export, import, move and recover them."
REPLACE = create_flag_option("replace", "Update the instance.")
_HELP = ("--help", "-h")


def run_instance_command_line(arguments: Sequence[str], client: InstanceClient) -> int:
    """Run a command line, and return the exit code: 0 for success, 1 for errors and help."""
    try:
        return _find_and_run_command(arguments, client)
    except (ClientError, MetadataError) as error:
        print_escaped_line(format_error(error))
        return EXIT_FAILED


def _find_and_run_command(arguments: Sequence[str], client: InstanceClient) -> int:
    if not arguments or arguments[0] in _HELP:
        if arguments:
            print_escaped_line(f"\n{DESCRIPTION}")
        return _print_subcommands(arguments, {name: kind.description for name, kind in load_commands().items()})
    kind, options = _find_command_and_options(arguments[0], arguments[2:])
    if kind is None:
        return _print_subcommands(arguments, {name: kind.description for name, kind in load_commands().items()})
    spaces = client.list_schemaspace_names(deprecated=kind.takes_deprecated)
    space = (
        client.find_schemaspace_name(arguments[1]) if len(arguments) > 1 and not arguments[1].startswith("-") else None
    )
    if space not in spaces:
        if len(arguments) > 1 and arguments[1] in _HELP:
            print_escaped_line(f"\n{kind.description}")
        return _print_subcommands(arguments[1:], {name: kind.about.format(space=name) for name in spaces})
    return _run_command_and_print_errors(kind(client, space), options)


def _find_command_and_options(name: str, options: Sequence[str]) -> tuple[type[SpaceCommand] | None, Sequence[str]]:
    """Return the command with a name, and its options. `install` (Elyra 2 and 3) is `create`, or `update` with --replace."""
    if name != "install":
        return _load_command(name) if name in _COMMANDS else None, options
    args, others = OptionParser([REPLACE]).parse_known_args(options)
    help_ = ["--help"] if args.help else []
    return _load_command("update" if args.replace else "create"), [*others, *help_]


def _load_command(name: str) -> type[SpaceCommand]:
    """Import the class of a command; the others would take longer than a short list."""
    module, _, kind = _COMMANDS[name].partition(".")
    loaded: type[SpaceCommand] = getattr(import_module(f"jupyter_colophon.cli.instances.{module}"), kind)
    return loaded


def load_commands() -> dict[str, type[SpaceCommand]]:
    """Import the classes of all commands, and return them by name."""
    return {name: _load_command(name) for name in _COMMANDS}


def _run_command_and_print_errors(command: SpaceCommand, options: Sequence[str]) -> int:
    shows_help = False
    try:
        return EXIT_OK if command.run(options) else EXIT_FAILED
    except HelpRequested:
        shows_help, message = True, ""
    except InstanceCommandError as error:
        shows_help, message = error.shows_help, error.text
    except (ClientError, MetadataError) as error:
        message = format_error(error)
    except OSError as error:
        message = _format_os_error(error)
    if message and command.json:
        print_json({"error": message})
        return EXIT_FAILED
    if message:
        print_escaped_line(f"ERROR: {message}" if shows_help else message)
    if shows_help:
        print_escaped_line()
        command.print_help()
    return EXIT_FAILED


def _format_os_error(error: OSError) -> str:
    """Return the message of the operating system. Raises BrokenPipeError again: stdout is closed."""
    if isinstance(error, BrokenPipeError):
        raise error
    return f"{error.strerror or error}" + (f": '{error.filename}'" if error.filename else "")


def _print_subcommands(arguments: Sequence[str], commands: Mapping[str, str]) -> int:
    """Print the subcommands, after an error unless help is requested."""
    if not arguments or arguments[0] not in _HELP:
        message = f"Subcommand '{arguments[0]}' is invalid." if arguments else "No subcommand specified."
        print_escaped_line(f"{message}  One of: {list(commands)} must be specified.")
    print_escaped_line()
    print_escaped_line("Subcommands")
    print_escaped_line("-----------")
    print_escaped_line("usage: jupyter colophon metadata COMMAND SCHEMASPACE [options]")
    print_escaped_line("Use --help after the schemaspace for the options of a command.")
    print_escaped_line()
    width = max((len(name) for name in commands), default=0)
    for name, description in commands.items():
        print_escaped_line(f"{name.ljust(width)}  {description}")
    return EXIT_FAILED
