"""`jupyter colophon`: the commands, each loaded when it is called."""

import sys
from io import TextIOWrapper
from typing import Any

from jupyter_colophon.cli.command import WRONG_USAGE, Configured, called, tell

COMMANDS = {
    "doctor": "Say how the store is, and what to do about it.",
    "verify": "Check that everything in the catalog is whole.",
    "reindex": "Make search, counts and lineage anew from what the catalog was told.",
    "backup": "Write everything to a file.",
    "restore": "Fill an empty store from a backup.",
    "compact": "Remove old changes from the change log, and give space back.",
    "show": "Show what people and machines say of an entity.",
    "search": "Search entities.",
    "keys": "List properties and tags, or the values of one.",
    "tag": "Add tags to an entity, or remove them.",
    "set": "Set properties of an entity.",
    "unset": "Remove properties of an entity.",
    "namespace": "List, make and delete namespaces.",
    "dataset": "List, make, show and delete datasets.",
    "app": "List, deploy, show and delete applications.",
    "changes": "List changes, or follow them as they happen.",
    "export": "Write a namespace to a file.",
    "import": "Take in what `export` wrote.",
    "runs": "List runs of a program or of data, or show one with all it touched.",
    "lineage": "Show what made an entity, and what was made of it.",
    "completion": "Have a shell complete what you type.",
    "relay": "Deliver changes to sinks, in a process of its own, until stopped.",
    "pipeline": "List, check, try, run or package pipelines.",
    "crawl": "Find the data in a folder or a catalog of Spark's, and tell its columns and their figures.",
    "spark": "Print the settings with which OpenLineage's Spark agent reports here.",
    "mcp": "Serve an assistant by the Model Context Protocol, over standard input and output.",
    "outbox": "Send what programs emitted while no server answered.",
    "metadata": "List, create, update, remove, migrate, export, import, move or recover instances of schemaspaces.",
}
#: The folders of the modules of commands, where that is not `cli/` itself.
_FOLDERS = dict.fromkeys(("doctor", "verify"), "checks.") | dict.fromkeys(
    ("app", "dataset", "keys", "lineage", "namespace", "runs", "search", "set", "show", "tag", "unset"), "entities."
)
#: Module and class of commands whose names are not those of their modules.
_CLASSES = {"export": "export.Exporting", "import": "import_.Importing", "app": "applications.Applications"}


def place_of(command: str) -> str:
    """Return the class of a command, as a dotted name."""
    found = _CLASSES.get(command, f"{command}.{command.capitalize()}")
    return f"jupyter_colophon.cli.{_FOLDERS.get(command, '')}{found}"


class ColophonApp(Configured):
    """Chooses the command."""

    name = "jupyter-colophon"
    description = "Keep a Jupyter Colophon catalog healthy. Works while servers run on the same store."
    examples = (
        "jupyter colophon doctor\njupyter colophon backup /backups/catalog.jsonl.gz\njupyter colophon verify --json"
    )
    subcommands: dict[str, Any] = {name: (place_of(name), told) for name, told in COMMANDS.items()}

    def start(self) -> None:
        """Without a command, say which there are."""
        if self.subapp is not None:
            self.subapp.start()
            return
        unknown = [text for text in self.extra_args if not text.startswith("-")]
        said = f"there is no command {unknown[0]!r}" if unknown else "which command?"
        tell(f"{said} ({', '.join(COMMANDS)})")
        sys.exit(WRONG_USAGE)


def main() -> None:
    """The script `jupyter-colophon`. Exit codes: 0 fine, 1 refused or something found, 2 wrong usage (docs/cli.md)."""
    if isinstance(sys.stdout, TextIOWrapper):
        # Characters that the encoding of a terminal or a file lacks are written as escapes, and fail no command.
        sys.stdout.reconfigure(errors="backslashreplace")
    called(ColophonApp.instance())
