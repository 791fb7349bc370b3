"""`jupyter colophon metadata …`: Elyra's commands on the instances of schemaspaces."""

import logging
import sys
from collections.abc import Sequence

from jupyter_colophon.cli.command import REFUSED, WRONG_USAGE, Colophon, Configured, called, tell
from jupyter_colophon.cli.instances.argv_split import Parted, parted
from jupyter_colophon.core.errors import InvalidConfiguration


class Metadata(Configured):
    """Reads the settings, and leaves the rest of the command line to the command: its options come from a schema."""

    name = "jupyter-colophon-metadata"
    parted = Parted()

    def parse_command_line(self, argv: list[str] | None = None) -> None:
        """Take the settings out of it."""
        self.parted = parted(sys.argv[1:] if argv is None else argv)
        super().parse_command_line(self.parted.settings)

    def start(self) -> None:
        """Do it, and exit: with 1 for all that goes wrong, as in Elyra; with 2 for a wrong setting, as everywhere here."""
        sys.exit(self._ended())

    def _ended(self) -> int:
        from jupyter_colophon.cli.instances.open_instances import source_of
        from jupyter_colophon.cli.instances.output import log_to_stderr
        from jupyter_colophon.cli.instances.run import run

        try:
            log_to_stderr(self.parted.log_level)
        except ValueError:
            tell(f"there is no log level {self.parted.log_level!r}")
            return REFUSED
        try:
            with source_of(self.parted.url, Colophon(parent=self)) as source:
                return run(self.parted.words, source)
        except InvalidConfiguration as error:
            tell(error.detail)
            return WRONG_USAGE
        except BrokenPipeError:
            # Who calls us ends quietly where nobody reads on.
            raise
        except Exception as error:
            if logging.getLogger().isEnabledFor(logging.DEBUG):
                raise
            tell(f"a fault of ours ({type(error).__name__}): --debug shows where")
            return REFUSED


def main(argv: Sequence[str] | None = None) -> None:
    """The same by itself, for who calls it as Elyra's `elyra-metadata` (docs/cli.md)."""
    called(Metadata(), None if argv is None else list(argv))
