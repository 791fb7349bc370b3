"""`jupyter colophon`: the commands, each loaded when it is called."""

import logging
import os
import sys
from collections.abc import Container, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Final

from jupyter_colophon.cli.command import CliCommand, run_command_and_print_errors
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser, ShowVersionAction, StoreOnceAction, add_common_options

#: The commands in the groups of docs/cli.md: the module and class of each, and its summary.
_GROUPS: Final = {
    "search and describe": {
        "search": ("entities.search.SearchCommand", "Search entities."),
        "show": ("entities.show.ShowCommand", "Show the metadata of an entity."),
        "lineage": ("entities.lineage.LineageCommand", "Show the upstream and downstream lineage of an entity."),
        "cells": ("entities.cells.CellsCommand", "List which cells of a notebook are stale."),
        "runs": ("entities.runs.RunsCommand", "List the runs of a program or of data, or show a run."),
        "keys": ("entities.keys.KeysCommand", "List properties and tags, or the values of a key."),
        "tag": ("entities.tag.TagCommand", "Add tags to an entity, or remove them."),
        "set": ("entities.set.SetCommand", "Set properties of an entity."),
        "unset": ("entities.unset.UnsetCommand", "Remove properties of an entity."),
        "changes": ("entities.changes.ChangesCommand", "List changes, or follow them as they happen."),
        "requests": ("entities.requests.RequestsCommand", "Ask owners about an entity, and answer what others ask."),
        "proposals": ("entities.proposals.ProposalsCommand", "Review changes that wait to be applied."),
    },
    "manage entities": {
        "namespace": ("entities.namespace.NamespaceCommand", "List, create and delete namespaces."),
        "dataset": ("entities.dataset.DatasetCommand", "List, create, show and delete datasets."),
        "app": ("entities.applications.ApplicationCommand", "List, deploy, show and delete applications."),
        "export": ("entities.export.ExportCommand", "Export a namespace to a file."),
        "import": ("entities.import_.ImportCommand", "Import a file that `export` wrote."),
        "metadata": (
            "metadata.MetadataCommand",
            "List, create, update, remove, migrate, export, import, move or recover instances of schemaspaces.",
        ),
    },
    "run and connect": {
        "pipeline": ("spark.pipeline.PipelineCommand", "List, validate, preview, run or package pipelines."),
        "crawl": (
            "spark.crawl.CrawlCommand",
            "Find datasets in a folder or a Spark catalog, and record columns and statistics.",
        ),
        "ingest": ("ingest.command.IngestCommand", "Ingest what dbt or Great Expectations left in files."),
        "check-quality": (
            "spark.check_quality.CheckQualityCommand",
            "Check a dataset against its expectations, and report the results.",
        ),
        "run": ("run.RunCommand", "Run a command, and record what its Python processes read and write."),
        "jobs": ("spark.jobs.JobsCommand", "Verify, reindex, count, export or import a whole catalog with Spark."),
        "spark": (
            "spark.openlineage_agent.SparkCommand",
            "Print settings for OpenLineage's Spark agent to report to a server.",
        ),
        "outbox": ("outbox.OutboxCommand", "Send metadata that programs emitted while no server was available."),
        "mcp": ("mcp.McpCommand", "Serve an assistant over standard input and output (Model Context Protocol)."),
        "serve": ("serve.ServeCommand", "Serve a catalog that many users share, until stopped."),
        "relay": ("relay.RelayCommand", "Deliver changes to sinks in a separate process, until stopped."),
        "audit": ("audit.AuditCommand", "List, export and verify who read or changed what is sensitive."),
        "policies": ("policies.PoliciesCommand", "List, show, store, delete and check access policies."),
        "can": ("entities.can.CanCommand", "Print whether a user may do something, and why."),
        "tokens": ("tokens.TokensCommand", "List, create, rotate and revoke the tokens of programs."),
        "secrets": ("secrets.SecretsCommand", "List, write and delete the secrets of namespaces."),
        "artifacts": ("artifacts.ArtifactsCommand", "List, upload, show and delete artifacts: plugins of a namespace."),
        "apps": (
            "system_apps.SystemAppsCommand",
            "List, enable and disable the system applications of packages, and retry failed events.",
        ),
        "completion": ("completion.CompletionCommand", "Print the script that completes commands in a shell."),
    },
    "maintain the store": {
        "doctor": ("maintenance.doctor.DoctorCommand", "Check the health of the catalog and the settings."),
        "verify": ("maintenance.verify.VerifyCommand", "Check the integrity of everything in the catalog."),
        "reindex": (
            "maintenance.reindex.ReindexCommand",
            "Rebuild search, counts and lineage from the stored aspects.",
        ),
        "backup": ("maintenance.backup.BackupCommand", "Write a backup of the catalog to a file."),
        "restore": ("maintenance.restore.RestoreCommand", "Restore a backup into an empty store."),
        "compact": ("maintenance.compact.CompactCommand", "Remove old changes from the change log, and free space."),
        "retention": ("retention.RetentionCommand", "Show how long versions are kept, and delete older ones."),
        "person": ("person.PersonCommand", "Export what the catalog has of a person, or erase the person."),
    },
}
#: The module, class and summary of each command.
COMMANDS: Final = {name: command for group in _GROUPS.values() for name, command in group.items()}


def get_command_class_path(command: str) -> str:
    """Return the dotted path of a command's class."""
    return f"jupyter_colophon.cli.{COMMANDS[command][0]}"


def load_command(name: str) -> type[CliCommand]:
    """Import the class of a command."""
    module, _, kind = get_command_class_path(name).rpartition(".")
    loaded: type[CliCommand] = getattr(import_module(module), kind)
    return loaded


def build_parser(words: Container[str]) -> CommandParser:
    """Build the parser of a command line; of commands, only those among its `words` are loaded."""
    parser = CommandParser(
        prog="jupyter colophon",
        description="Search, describe and maintain a Jupyter Colophon catalog from the command line.",
        epilog="Run jupyter colophon COMMAND --help for the arguments of a command.",
        examples=("search orders", "tag sales.orders reviewed", "doctor"),
        has_common_options=False,
    )
    parser.add_argument("-V", "--version", action=ShowVersionAction, nargs=0, help="Show the version and exit.")
    commands = parser.add_subparsers(metavar="COMMAND")
    for name, (_, summary) in COMMANDS.items():
        if name not in words:
            commands.add_parser(name, help=summary, has_common_options=False)
            continue
        kind = load_command(name)
        command = commands.add_parser(
            name, help=summary, description=kind.description, examples=kind.examples, add_help=kind.has_help
        )
        kind.add_arguments(command)
        command.set_defaults(command=kind)
    parser.group_help(commands, _GROUPS)
    add_common_options(parser)
    return parser


def main(argv: Sequence[str] | None = None) -> None:
    """Run a command line, and exit: 0 success, 1 failure or problems found, 2 wrong usage (docs/cli.md)."""
    if isinstance(sys.stdout, TextIOWrapper):
        # Characters that the encoding of stdout lacks are written as escapes, so that they fail no command.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        try:
            status = _run_command_line(sys.argv[1:] if argv is None else argv)
        finally:
            # Short output is still in the buffer: a closed pipe is noticed here, not when Python exits.
            sys.stdout.flush()
    except KeyboardInterrupt:
        status = EXIT_FAILED
    except BrokenPipeError:
        # The reader of stdout has closed it, which is not an error. Nothing more can be written when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = EXIT_OK
    sys.exit(status)


def _run_command_line(argv: Sequence[str]) -> int:
    if "_ARGCOMPLETE" in os.environ:
        _print_completions_and_exit()
    args, unknown = build_parser(argv).parse_known_args(argv)
    if "command" not in args or getattr(args, "verb", "") is None:
        args.parser.exit_without_command(unknown)
    command = args.command(args)
    if command.takes_unknown:
        args.words = [*unknown, *args.words]
    elif unknown:
        args.parser.exit_for_unknown_arguments(unknown)
    return run_command_and_print_errors(command)


def _print_completions_and_exit() -> None:
    """Print the completions of a command line for the shell, and exit (docs/decisions/0031)."""
    import argcomplete

    # Log lines would appear in the command line that is being typed.
    logging.getLogger("jupyter_colophon").addHandler(logging.NullHandler())
    argcomplete.finders.safe_actions.add(StoreOnceAction)
    argcomplete.autocomplete(build_parser(os.environ.get("COMP_LINE", "").split()), always_complete_options=False)
