"""Elyra's command line under its name: `MetadataApp.main()` does what `jupyter colophon metadata` does.

No script is called `elyra-metadata`: it would take the place of Elyra's (docs/cli.md has an alias).
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

#: Command lines are a layer above this one: it is named here, and loaded when somebody calls it.
_COMMAND_LINE = "jupyter_colophon.cli.metadata"


class MetadataApp:
    """The application of `elyra-metadata`. `argv` is the command line without the program's name."""

    name = "elyra-metadata"
    description = "Manage the instances of schemaspaces."

    def __init__(self, *, argv: Sequence[str] | None = None, **kwargs: Any) -> None:
        self.argv = list(sys.argv[1:] if argv is None else argv)

    @classmethod
    def main(cls) -> None:
        """Do what the command line of this process says, and exit: 0 where all went well, else 1."""
        cls(argv=sys.argv[1:]).start()

    def start(self) -> None:
        """Do it, and exit."""
        import_module(_COMMAND_LINE).main(self.argv)


if __name__ == "__main__":
    MetadataApp.main()
