"""Elyra's command line under its name: `MetadataApp.main()` runs `jupyter colophon metadata`.

There is no script `elyra-metadata`, since it would replace Elyra's (docs/cli.md has an alias).
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

#: Imported on use by name, since command lines are a layer above this one.
_COMMAND_LINE = "jupyter_colophon.cli.metadata"


class MetadataApp:
    """The application of `elyra-metadata`. `argv` is the command line without the program's name."""

    name = "elyra-metadata"
    description = "Manage the instances of schemaspaces."

    def __init__(self, *, argv: Sequence[str] | None = None, **kwargs: Any) -> None:
        self.argv = list(sys.argv[1:] if argv is None else argv)

    @classmethod
    def main(cls) -> None:
        """Run the command line of this process, and exit: 0 on success, else 1."""
        cls(argv=sys.argv[1:]).start()

    def start(self) -> None:
        """Run the command line, and exit."""
        import_module(_COMMAND_LINE).main(self.argv)


if __name__ == "__main__":
    MetadataApp.main()
