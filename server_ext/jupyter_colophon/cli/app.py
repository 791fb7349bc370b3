"""`jupyter colophon`: the commands, each loaded when it is called."""

import os
import sys
from collections.abc import Container, Sequence
from importlib import import_module
from io import TextIOWrapper

from jupyter_colophon.cli.command import Command, run_command
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import Parser, ShowVersion, StoreOnce, add_common_options

#: The module and the class of each command, and what it does.
COMMANDS = {
    "doctor": ("checks.doctor.Doctor", "Say how the store is, and what to do about it."),
    "verify": ("checks.verify.Verify", "Check that everything in the catalog is whole."),
    "reindex": ("reindex.Reindex", "Rebuild search, counts and lineage from the stored aspects."),
    "backup": ("backup.Backup", "Write everything to a file."),
    "restore": ("restore.Restore", "Fill an empty store from a backup."),
    "compact": ("compact.Compact", "Remove old changes from the change log, and give space back."),
    "show": ("entities.show.Show", "Show what people and machines say of an entity."),
    "search": ("entities.search.Search", "Search entities."),
    "keys": ("entities.keys.Keys", "List properties and tags, or the values of one."),
    "tag": ("entities.tag.Tag", "Add tags to an entity, or remove them."),
    "set": ("entities.set.Set", "Set properties of an entity."),
    "unset": ("entities.unset.Unset", "Remove properties of an entity."),
    "namespace": ("entities.namespace.Namespace", "List, create and delete namespaces."),
    "dataset": ("entities.dataset.Dataset", "List, create, show and delete datasets."),
    "app": ("entities.applications.Applications", "List, deploy, show and delete applications."),
    "changes": ("changes.Changes", "List changes, or follow them as they happen."),
    "export": ("export.Exporting", "Write a namespace to a file."),
    "import": ("import_.Importing", "Take in what `export` wrote."),
    "runs": ("entities.runs.Runs", "List runs of a program or of data, or show one with all it touched."),
    "lineage": ("entities.lineage.Lineage", "Show what made an entity, and what was made of it."),
    "completion": ("completion.Completion", "Print the script with which a shell completes commands."),
    "relay": ("relay.Relay", "Deliver changes to sinks, in a process of its own, until stopped."),
    "pipeline": ("pipeline.Pipeline", "List, check, try, run or package pipelines."),
    "crawl": ("crawl.Crawl", "Find the data in a folder or a catalog of Spark's, and record columns and figures."),
    "spark": ("spark.Spark", "Print the settings with which OpenLineage's Spark agent reports here."),
    "mcp": ("mcp.Mcp", "Serve an assistant by the Model Context Protocol, over standard input and output."),
    "outbox": ("outbox.Outbox", "Send what programs emitted while no server answered."),
    "metadata": (
        "metadata.Metadata",
        "List, create, update, remove, migrate, export, import, move or recover instances of schemaspaces.",
    ),
}


def place_of(command: str) -> str:
    """Return the class of a command, as a dotted name."""
    return f"jupyter_colophon.cli.{COMMANDS[command][0]}"


def load_command(name: str) -> type[Command]:
    """Import the class of a command."""
    module, _, kind = place_of(name).rpartition(".")
    loaded: type[Command] = getattr(import_module(module), kind)
    return loaded


def build_parser(words: Container[str]) -> Parser:
    """Build the parser of a command line, with the arguments of the commands that are among its `words`."""
    parser = Parser(
        prog="jupyter colophon",
        description="Keep a Jupyter Colophon catalog, and what it says, from the command line.",
        epilog="jupyter colophon COMMAND --help shows the arguments of a command.",
        has_common_options=False,
    )
    parser.add_argument("-V", "--version", action=ShowVersion, nargs=0, help="Show the version and exit.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    add_common_options(parser)
    for name, (_, summary) in COMMANDS.items():
        if name not in words:
            commands.add_parser(name, help=summary, has_common_options=False)
            continue
        kind = load_command(name)
        command = commands.add_parser(name, help=summary, description=kind.description, add_help=kind.has_help)
        kind.add_arguments(command)
        command.set_defaults(command=kind)
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command line, and exit: 0 fine, 1 refused or something found, 2 wrong usage (docs/cli.md)."""
    if isinstance(sys.stdout, TextIOWrapper):
        # Characters that the encoding of a terminal or a file lacks are written as escapes, and fail no command.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            status = _run(sys.argv[1:] if argv is None else argv)
        finally:
            # What is short enough to wait in the buffer meets a closed pipe here, and not when Python ends.
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = EXIT_FAILED
    except BrokenPipeError:
        # Whoever reads us has read enough; nobody reads an error at the end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = EXIT_OK
    sys.exit(status)


def _run(argv: Sequence[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        _complete()
    args, unknown = build_parser(argv).parse_known_args(argv)
    command = args.command(args)
    if command.takes_unknown:
        args.words = [*unknown, *args.words]
    elif unknown:
        args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return run_command(command)


def _complete() -> None:
    """Give the shell what can come next on its line, and exit (docs/decisions/0031)."""
    import argcomplete

    argcomplete.finders.safe_actions.add(StoreOnce)
    argcomplete.autocomplete(build_parser(os.environ.get("COMP_LINE", "").split()), always_complete_options=False)
